/* What all panels share: the run, the one selection, the address of what is shown, the step being looked at. */
(() => {
  const V = window.VESTA;
  if (V.values) return;
  V.values = {};
  V.PINNED = ["route", "steps", "timeline", "ledger", "answer"];
  V.state = { run: "", selection: null, pinned: null, follow: true };
  const listeners = {};
  V.on = (name, fn) => (listeners[name] ||= []).push(fn);
  V.once = (name, fn) => V.on(name, function one(data) { listeners[name] = listeners[name].filter((f) => f !== one); fn(data); });
  V.tell = (name, data) => [...(listeners[name] || [])].forEach((fn) => fn(data));

  /* ---- one selection: {step, s, e, entry, ref}. Panels mark what belongs to it and never scroll the page for it. */
  V.select = (selection) => {
    V.state.selection = selection;
    V.tell("select", selection);
    V.address();
  };
  V.belongs = (item) => {
    const chosen = V.state.selection;
    if (!chosen || !item) return false;
    if (chosen.entry && item.entry) return chosen.entry === item.entry;
    if (chosen.ref && item.ref) return chosen.ref === item.ref;
    if (chosen.step && item.step) return chosen.step === item.step;
    return Number.isFinite(chosen.s) && Number.isFinite(item.s) && chosen.s < item.e && item.s < chosen.e;
  };

  /* ---- the stream of a run: its panels as they change. The browser takes a broken line up again by itself. */
  let line = null, followed = "";
  V.follow = (run, again = false) => { /* again: a run that had ended goes on */
    if (run === followed && !(again && line?.readyState === EventSource.CLOSED)) return;
    line?.close();
    followed = run;
    if (!run) return;
    const mine = (line = new EventSource(V.url(`run/${encodeURIComponent(run)}/stream`)));
    mine.addEventListener("message", (event) => Object.entries(JSON.parse(event.data)).forEach(([name, value]) => V.receive(name, value)));
    mine.addEventListener("end", () => mine.close());
    mine.addEventListener("open", () => V.tell("line", true));
    mine.addEventListener("error", () => {
      if (mine !== line) return;
      V.tell("line", false);
      if (mine.readyState === EventSource.CLOSED) setTimeout(() => mine === line && V.follow(run, true), 3000); /* some browsers give up at once */
    });
  };

  /* ---- the run on the page */
  V.setRun = (run) => {
    if (!run || run === V.state.run) return;
    V.state.run = run;
    V.follow(run);
    if (V.values.status?.run && V.values.status.run !== run) V.values.status = null; /* not drawn yet: it would go back to the old run */
    V.state.runSha = "";
    V.state.pinned = null;
    V.state.selection = null;
    /* never an old answer under a new run; what came of the new one in the same moment stays */
    const came = V.PINNED.filter((name) => V.values[name]?.run === run);
    V.PINNED.filter((name) => !came.includes(name)).forEach((name) => { V.values[name] = null; V.show(name, null); });
    document.body.classList.add("has-run");
    V.tell("run", run);
    came.forEach((name) => V.show(name, V.values[name]));
    V.address();
  };

  /* another video was chosen: the run on the page was about another one */
  V.clearRun = () => {
    if (!V.state.run) return;
    V.follow("");
    Object.assign(V.state, { run: "", runSha: "", pinned: null, selection: null });
    document.body.classList.remove("has-run");
    V.PINNED.forEach((name) => { V.values[name] = null; V.show(name, null); });
    V.tell("run", "");
    V.address();
  };

  /* ---- address: ?run=ID&step=3&t=340, so that reload and a sent link show the same */
  V.address = () => {
    const url = new URL(location.href), put = (key, value) => (value === null || value === undefined || value === "" ? url.searchParams.delete(key) : url.searchParams.set(key, value));
    put("run", V.state.run);
    put("video", V.state.run || V.state.video === V.state.usual ? "" : V.state.video);
    put("step", V.state.pinned ?? V.state.selection?.step);
    put("at", V.state.pinned === null ? null : 1);
    if (Number.isFinite(V.state.selection?.s)) put("t", +V.state.selection.s.toFixed(1));
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  };
  V.asked = new URL(location.href).searchParams;
  V.follow(V.asked.get("run") || "");

  /* ---- the whole page as at step k; null goes back to the newest */
  V.pin = async (step) => {
    if (step === null) {
      V.state.pinned = null;
      V.PINNED.forEach((name) => V.show(name, V.values[name]));
    } else {
      V.state.pinned = step;
      const run = V.state.run, values = await V.get(`run/${run}?step=${step}`).catch((error) => V.say(error.message));
      if (V.state.run !== run || V.state.pinned !== step) return; /* the reader went on meanwhile */
      if (!values) return V.pin(null);
      V.PINNED.forEach((name) => V.show(name, values[name]));
      if (step > 0) V.state.selection = { step };
      V.tell("select", V.state.selection);
    }
    V.tell("pin", step);
    V.address();
  };

  V.say = (text) => {
    const place = document.getElementById("v-said") || document.body.appendChild(V.h("div", { id: "v-said", role: "status", "aria-live": "polite" }));
    place.textContent = text;
    place.classList.add("on");
    clearTimeout(V.say.timer);
    V.say.timer = setTimeout(() => place.classList.remove("on"), 2200);
  };
  V.phase = (phase) => {
    if (document.body.dataset.phase === phase) return;
    document.body.dataset.phase = phase;
    V.tell("phase", phase);
  };
  V.press = (id) => {
    const button = document.querySelector(`#${id}`);
    const real = button?.matches("button") ? button : button?.querySelector("button");
    if (real && !real.disabled) real.click();
  };
  /* A Gradio field set from here must hear of it as if it was typed. */
  V.type = (id, text) => {
    const field = document.querySelector(`#${id} textarea, #${id} input`);
    if (!field) return;
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
})();
