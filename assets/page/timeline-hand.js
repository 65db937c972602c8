/* Hands on the timeline: hotspots over bars, click, drag, wheel, hover, overview window, the menu of steps by hand. */
(() => {
  const V = window.VESTA, { h } = V, T = V.timeline;
  const MOST = 240;

  /* One real button over every bar that can be chosen: keyboard, screen reader and click all work on it. */
  T.hotspots = (places, width) => {
    const items = T.items().filter((i) => places[i.lane] && i.e >= T.from && i.s <= T.to).slice(-MOST), kept = new Set();
    for (const item of items) {
      const id = `${item.lane}|${item.id}|${item.s}|${item.e}`;
      if (kept.has(id)) continue;
      kept.add(id);
      let button = T.buttons.get(id);
      if (!button) {
        button = h("button.spot", { type: "button", data: { t: item.s, e: item.e, lane: item.lane }, onclick: (e) => { e.stopPropagation(); const i = button.item; V.select(T.about(i)); e.shiftKey ? V.loop(i.s, i.e) : V.seek(i.s); } });
        T.buttons.set(id, button);
        T.hot.append(button);
      }
      button.item = item;
      const [top, tall] = places[item.lane], a = Math.max(T.from, item.s), b = Math.min(T.to, item.e);
      const wide = Math.max(9, T.x(b, width) - T.x(a, width)), middle = (T.x(a, width) + T.x(b, width)) / 2 - T.left;
      Object.assign(button.style, { left: middle - wide / 2 + "px", width: wide + "px", top: top + "px", height: tall + "px" });
      button.setAttribute("aria-label", `${item.label}, ${V.span(item.s, item.e)}`);
      button.dataset.state = item.state;
      V.fill(button, item.lane === "notes" ? h("b", {}, "✎") : item.lane === "retrieved" && item.h.length ? h("b", {}, item.h.join("")) : null);
    }
    for (const [id, button] of T.buttons) if (!kept.has(id)) { button.remove(); T.buttons.delete(id); }
    stop();
  };

  /* One stop for Tab; arrows go on from bar to bar: left and right in time, up and down to the lane beside. */
  const stop = (wanted = document.activeElement) => {
    const all = [...T.buttons.values()], one = all.includes(wanted) ? wanted : all.find((b) => b.tabIndex === 0) || all[0];
    for (const button of all) button.tabIndex = button === one ? 0 : -1;
  };
  const beside = (button, key) => {
    const all = [...T.buttons.values()], { lane, s } = button.item, lanes = T.LANES.map(([name]) => name);
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const row = all.filter((b) => b.item.lane === lane).sort((a, b) => a.item.s - b.item.s);
      return row[row.indexOf(button) + (key === "ArrowRight" ? 1 : -1)];
    }
    const way = key === "ArrowDown" ? 1 : -1;
    for (let n = lanes.indexOf(lane) + way; n >= 0 && n < lanes.length; n += way) {
      const row = all.filter((b) => b.item.lane === lanes[n]);
      if (row.length) return row.reduce((best, b) => (Math.abs(b.item.s - s) < Math.abs(best.item.s - s) ? b : best));
    }
  };

  T.listen = (hot, wrap) => {
    let start = null, menu = null;
    hot.addEventListener("keydown", (event) => {
      if (!event.key.startsWith("Arrow") || !event.target.matches(".spot")) return;
      event.preventDefault();
      const next = beside(event.target, event.key);
      if (next) { stop(next); next.focus({ preventScroll: true }); }
    });
    hot.addEventListener("focusin", (event) => event.target.matches(".spot") && stop(event.target));
    const inWrap = (event) => event.clientX - wrap.getBoundingClientRect().left;
    const timeAt = (event) => Math.max(0, Math.min(T.duration, T.t(inWrap(event), wrap.clientWidth)));
    hot.addEventListener("pointerdown", (event) => {
      if (event.button || event.target.closest(".spot, .menu") || !T.value) return;
      close();
      start = { x: event.clientX, t: timeAt(event) };
      hot.setPointerCapture(event.pointerId);
    });
    hot.addEventListener("pointermove", (event) => {
      if (start && Math.abs(event.clientX - start.x) > 5) {
        const t = timeAt(event);
        T.dragging = { s: Math.min(start.t, t), e: Math.max(start.t, t) };
        T.placeBand();
        hideTip();
      } else if (!start) hover(event);
    });
    hot.addEventListener("pointerup", (event) => {
      if (!start) return;
      const dragged = T.dragging, t = start.t;
      start = null;
      T.dragging = null;
      if (dragged) { V.select({ s: dragged.s, e: dragged.e }); open(dragged, event.clientX - hot.getBoundingClientRect().left); return; }
      const scene = (V.scenes || []).find((s) => t >= s.s && t < s.e);
      V.seek(t);
      V.select(scene && overLane(event) === "scenes" ? { s: scene.s, e: scene.e } : { s: t, e: t });
    });
    hot.addEventListener("pointercancel", () => { start = T.dragging = null; T.placeBand(); });
    hot.addEventListener("pointerleave", hideTip);
    hot.addEventListener("dblclick", (event) => !event.target.closest(".menu") && T.fit());
    hot.addEventListener("wheel", (event) => {
      if (!T.value) return;
      event.preventDefault();
      const span = T.to - T.from;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) { const move = ((event.deltaX || event.deltaY) / 600) * span; return T.zoom(T.from + move, T.to + move); }
      const t = timeAt(event), factor = Math.exp(event.deltaY * 0.0015);
      T.zoom(t - (t - T.from) * factor, t + (T.to - t) * factor);
    }, { passive: false });

    const box = T.frame.parentElement;
    let grab = null;
    const boxTime = (event) => ((event.clientX - box.getBoundingClientRect().left) / box.clientWidth) * T.duration;
    box.addEventListener("pointerdown", (event) => {
      if (!T.value) return;
      const t = boxTime(event), span = T.to - T.from;
      if (T.frame.hidden) return V.seek(t);
      if (t < T.from || t > T.to) T.zoom(t - span / 2, t + span / 2);
      grab = t - T.from;
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointermove", (event) => { if (grab !== null) { const from = boxTime(event) - grab; T.zoom(from, from + T.to - T.from); } });
    box.addEventListener("pointerup", () => { grab = null; });

    function overLane(event) {
      const y = event.clientY - hot.getBoundingClientRect().top;
      return Object.entries(T.layout().places).find(([, [top, tall]]) => y >= top && y <= top + tall)?.[0];
    }
    function hover(event) {
      const spot = event.target.closest(".spot"), lane = overLane(event);
      if (!T.value || event.target.closest(".menu") || menu) return hideTip();
      const t = timeAt(event), scene = (V.scenes || []).find((s) => t >= s.s && t < s.e);
      if (!spot && !(scene && (lane === "scenes" || lane === "relevance"))) return hideTip();
      let near = 0;
      scene?.times.forEach((time, i) => { if (Math.abs(time - t) < Math.abs(scene.times[near] - t)) near = i; });
      const score = scene && T.value.relevance[V.scenes.indexOf(scene)], id = spot ? spot.item.label : scene.id + "|" + near;
      T.tip.hidden = false;
      if (T.tip.dataset.id !== id) {
        T.tip.dataset.id = id;
        V.fill(T.tip, scene?.frames[near] ? h("img", { src: V.sceneUrl(scene.frames[near]), alt: "" }) : null,
          spot ? h("p", {}, spot.item.label) : [h("p.mono", {}, V.span(scene.s, scene.e)), Number.isFinite(score) ? h("p.dim", {}, `relevance ${(score / 100).toFixed(2)}`) : null, scene.text ? h("p", {}, h("q", {}, V.cut(scene.text, 14))) : null, scene.speech ? h("p.dim", {}, V.cut(scene.speech, 22)) : null]);
      }
      const bounds = T.root.getBoundingClientRect(), x = event.clientX - bounds.left;
      T.tip.style.left = Math.max(8, Math.min(bounds.width - 228, x - 110)) + "px";
      T.tip.style.bottom = bounds.bottom - hot.getBoundingClientRect().top + 6 + "px";
    }
    function hideTip() { T.tip.hidden = true; }

    function close() { menu?.remove(); menu = null; }
    /* the same without dragging, for what is selected */
    T.act = () => {
      const chosen = V.state.selection;
      if (!(chosen?.e > chosen?.s)) return V.say("Select an interval first: a bar of the timeline, or a time.");
      open(chosen, T.x((chosen.s + chosen.e) / 2, wrap.clientWidth) - T.left);
    };
    function open(span, x) {
      close();
      hideTip();
      const s = +span.s.toFixed(2), e = +span.e.toFixed(2), live = ["running", "pausing", "paused"].includes(document.body.dataset.phase);
      const ask = h("input", { type: "text", "aria-label": "What to find out in this interval", placeholder: "what to find out here", value: document.querySelector("#question textarea")?.value || "" });
      const act = (operation, args) => () => { T.api.trigger("by_hand", { operation, arguments: args(), thought: "chosen by hand on the timeline" }); V.say("Taken as the next step."); close(); };
      const button = (text, fn) => h("button", { type: "button", onclick: fn }, text);
      menu = h("div.menu", { role: "dialog", "aria-label": "Act on this interval", onpointerdown: (x) => x.stopPropagation(), onkeydown: (x) => { if (x.key === "Escape") { close(); x.stopPropagation(); } } },
        h("p", {}, h("b.mono", {}, V.span(s, e)), live ? " next step, by hand" : null),
        live ? ask : null,
        live && h("div.row", {}, button("Inspect", act("inspect", () => ({ intervals: [[s, e]], focus: ask.value }))), button("Listen", act("speech", () => ({ intervals: [[s, e]] }))), button("Analyse", act("clip", () => ({ interval: [s, e], question: ask.value || "What happens here?" }))), button("Search only here", act("retrieve", () => ({ query: ask.value || "anything", interval: [s, e] })))),
        h("div.row", {}, button("Loop", () => { V.loop(s, e); close(); }), button("Zoom", () => { T.zoom(s, e); close(); }), button("Ask about this", () => { V.askAbout(s, e); close(); }), button("Close", () => { close(); V.select(null); })));
      hot.append(menu);
      const width = hot.clientWidth;
      menu.style.left = Math.max(0, Math.min(width - menu.offsetWidth, x - menu.offsetWidth / 2)) + "px";
      (live ? ask : menu.querySelector("button")).focus({ preventScroll: true });
    }
    V.on("run", close);
    addEventListener("keydown", (event) => event.key === "Escape" && close());
  };
})();
