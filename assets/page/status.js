/* Status line, header meters, navigation, and what the buttons say. */
(() => {
  const V = window.VESTA, { h } = V;
  let tabs = [["live", "Live"]];
  V.addTab = (name, title) => { if (!tabs.some(([n]) => n === name)) { tabs.push([name, title]); V.tell("tabs"); } };
  V.goTab = (name) => {
    document.body.dataset.tab = name;
    document.querySelectorAll(".tab").forEach((tab) => tab.classList.toggle("on", tab.id === "tab-" + name));
    document.querySelectorAll("#head [role=tab]").forEach((b) => { const on = b.dataset.tab === name; b.setAttribute("aria-selected", String(on)); b.tabIndex = on ? 0 : -1; });
    const url = new URL(location.href);
    name === "live" ? url.searchParams.delete("tab") : url.searchParams.set("tab", name);
    history.replaceState(history.state, "", url);
    V.tell("tab", name);
  };

  V.panels.head = (root) => {
    let roles = {}, status = {}, forecast = null;
    const nav = h("nav", { role: "tablist", "aria-label": "Pages" }), chips = h("div.chips"), tools = h("div.tools", {},
      h("button.icon", { type: "button", title: "Stage mode: big type", "aria-label": "Stage mode", "aria-pressed": String(document.body.classList.contains("stage")), onclick: (e) => V.stage(e.currentTarget) }, "Aa"),
      h("button.icon", { type: "button", title: "Settings", "aria-label": "Settings", id: "v-settings", onclick: () => V.openSettings?.() }, "⚙"),
      h("button.icon", { type: "button", title: "Keyboard (?)", "aria-label": "Keyboard help", onclick: () => V.help?.() }, "?"));
    V.append(root, [h("h1", {}, "VESTA"), nav, h("span.sp"), chips, tools]);
    const drawTabs = () => {
      V.fill(nav, tabs.map(([name, title]) => h("button", { type: "button", role: "tab", data: { tab: name }, id: "go-" + name, "aria-controls": "tab-" + name, onclick: () => V.goTab(name) }, title)));
      V.goTab(document.body.dataset.tab || (tabs.some(([n]) => n === V.asked.get("tab")) ? V.asked.get("tab") : "live"));
    };
    nav.addEventListener("keydown", (e) => {
      const way = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (!way) return;
      const all = [...nav.children], next = all[(all.indexOf(document.activeElement) + way + all.length) % all.length];
      next.focus(); next.click(); e.preventDefault(); e.stopPropagation();
    });
    V.on("tabs", () => { delete document.body.dataset.tab; drawTabs(); });
    const short = (spec) => spec.replace(/^(openai|gemini|compatible):/, "").split("@")[0];
    const draw = () => {
      const r = status.roles && Object.keys(status.roles).length ? status.roles : roles;
      const same = new Set(Object.values(r));
      const names = same.size === 1 ? [["engine", [...same][0]]] : Object.entries(r);
      V.fill(chips, names.map(([name, spec]) => h("span.chip", { title: `${name}: ${spec}` }, name + " ", h("i", {}, short(spec)))),
        forecast?.requests ? h("span.chip", { title: forecast.text }, "a run at most ", h("i", {}, forecast.usd === null ? `${forecast.requests} requests` : V.money(forecast.usd))) : null,
        status.budget ? h("span.chip", {}, "step ", h("i", {}, `${V.state.pinned ?? status.step} / ${status.budget}`)) : null,
        V.state.pinned === null && status.usage && (status.usage.requests || status.max_usd) ? h("span.chip", {}, "spent ", h("i", {}, V.money(status.usage.usd)), status.max_usd ? ` of ${V.money(status.max_usd)}` : "") : null);
    };
    V.on("status", (value) => { status = value; draw(); });
    V.on("run", () => { status = {}; draw(); });
    V.on("pin", draw);
    V.on("forecast", (value) => { forecast = value; draw(); });
    V.on("settings", (chosen) => { roles = { ...roles, ...Object.fromEntries(Object.entries(chosen).filter(([name]) => name in roles)) }; draw(); });
    drawTabs();
    return { update: (value) => { roles = value?.roles || {}; V.recorded = !!value?.recorded; V.tell("recorded", V.recorded); draw(); } };
  };
  V.stage = (button) => {
    const on = document.body.classList.toggle("stage");
    button?.setAttribute("aria-pressed", String(on));
    try { localStorage.setItem("vesta-stage", on ? "1" : ""); } catch { /* private window: not remembered */ }
    dispatchEvent(new Event("resize"));
  };

  const BUSY = ["starting", "indexing", "routing", "running", "pausing", "paused", "stopping"];
  V.panels.status = (root) => {
    const text = h("span.text", { role: "status", "aria-live": "polite" }), bar = h("progress", { max: 1, hidden: true, "aria-label": "Progress" });
    const dot = h("i.dot", { "aria-hidden": "true" }), replay = h("div.replay", { hidden: true });
    V.append(root, [dot, text, bar, h("span.sp"), replay]);
    V.replayBar?.(replay);
    let shownVideo = "", filled = "", ofRun = false, wasOn = false, said = "", cut = 0, away = false, now = { phase: "idle", text: "" };
    const write = () => {
      const past = V.state.pinned !== null;
      text.textContent = away ? "The server cannot be reached: what you see may be old. Trying again …" : past ? `The page as it was ${V.state.pinned ? "after step " + V.state.pinned : "before the first step"}.` : now.text;
      root.dataset.phase = away ? "lost" : past ? "past" : now.phase;
    };
    V.on("pin", write);
    /* a server that is gone: what the run does now is not known, so nothing says that it goes on */
    V.on("line", (up) => {
      if (!up) return void (cut ||= setTimeout(() => { away = bar.hidden = true; write(); }, 2500));
      clearTimeout(cut);
      cut = 0;
      away = false;
      write();
    });
    V.on("run", (run) => {
      V.tell("line", true);
      if (run || !ofRun) return;
      /* another video was chosen: nothing of the old run stays. What Python said meanwhile (“Opened …”) does. */
      shownVideo = filled = "";
      V.receive("status", { phase: "idle", text: said || (wasOn ? "The run before goes on: it is in Replay. Pick a question and press Run." : "") });
    });
    return {
      update: (value) => {
        if (!value) return;
        said = value.run ? "" : value.text;
        if (!value.run && wasOn && V.state.run) return void ((now.text = value.text), write()); /* about a command: the run goes on */
        if (value.run) V.setRun(value.run);
        if (value.run && !value.roles) V.follow(value.run, true);
        ofRun = !!value.run;
        wasOn = ofRun && !!value.live;
        const phase = value.phase || "idle";
        now = { phase, text: value.text || "Ready. Pick a question and press Run." };
        write();
        bar.hidden = !BUSY.includes(phase) || phase === "paused";
        if (Number.isFinite(value.progress)) bar.value = value.progress; else bar.removeAttribute("value");
        V.phase(phase);
        buttons(phase);
        if (phase === "error" && !V.state.run && !V.videoKey()) V.openVideo?.(V.values.player?.key); /* a link to a run that is not here */
        if (!value.roles) return;
        V.tell("status", value);
        V.state.runSha = value.sha;
        if (value.sha && value.run + value.sha !== shownVideo) { shownVideo = value.run + value.sha; V.openVideo?.(value.sha); }
        if (value.run !== filled && value.question && !value.fresh) { /* a run opened by link or reload: show what it was asked */
          filled = value.run;
          const field = document.querySelector("#question textarea");
          if (field && document.activeElement !== field) V.fillQuestion(value, value.sha);
        }
      },
    };
  };

  let starting = 0;
  const set = (id, on, text, title) => {
    const button = document.querySelector(`button#${id}, #${id} button`);
    if (!button) return;
    button.disabled = !on;
    if (text && button.textContent.trim() !== text) button.textContent = text;
    if (title) button.title = title;
  };
  function buttons(phase) {
    if (!document.querySelector("#stop")) return void setTimeout(() => buttons(document.body.dataset.phase), 50); /* gradio has not made them yet */
    const busy = BUSY.includes(phase), held = phase === "paused", deciding = held || phase === "running" || phase === "pausing";
    set("run", !busy, held ? "Paused" : phase === "pausing" ? "Pausing" : phase === "stopping" ? "Stopping" : busy ? "Running" : "Run", held ? "This run waits; continue it, or stop it to ask again" : busy ? "This run goes on; stop it to ask again" : "Ask (Ctrl+Enter)");
    set("pause", deciding, phase === "paused" || phase === "pausing" ? "Continue" : "Pause", phase === "paused" ? "Continue (p)" : "Pause before the next operation (p)");
    set("step", deciding, "Step", "Do exactly one operation (n)");
    set("stop", busy && phase !== "stopping", phase === "stopping" ? "Stopping" : "Stop", "Stop and keep what was found (x)");
  }
  V.on("phase", buttons);
  /* over a slow network the answer to a press takes its time: that it was heard is seen at once */
  document.addEventListener("click", (event) => event.target.closest?.("#run") && setTimeout(() => {
    const phase = document.body.dataset.phase || "idle";
    if (BUSY.includes(phase)) return;
    set("run", false, "Starting");
    clearTimeout(starting);
    starting = setTimeout(() => buttons(document.body.dataset.phase || "idle"), 5000);
  }));
})();
