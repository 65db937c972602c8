/* The timeline: what was found, looked at and concluded, on the video's own axis. Plotly draws the lanes; clicking,
   dragging, zooming and hovering are ours, so that a live update never takes a click or a zoom away. */
(() => {
  const V = window.VESTA, { h } = V;
  const T = (V.timeline = { from: 0, to: 1, duration: 1, value: null });
  T.LANES = [["scenes", 14], ["relevance", 20], ["retrieved", 26], ["inspected", 14], ["speech", 14], ["clip", 14], ["relations", 12], ["answer", 15], ["coverage", 12], ["notes", 14]];
  T.NAMES = { relations: "events" };
  const GAP = 3;
  T.right = 10;
  Object.defineProperty(T, "left", { get: () => (document.body.classList.contains("stage") ? 92 : 76) });
  Object.defineProperty(T, "axis", { get: () => (document.body.classList.contains("stage") ? 23 : 18) });

  T.layout = () => {
    const shown = T.LANES.filter(([name]) => T.isShown(name));
    const places = {};
    let y = 4;
    for (const [name, height] of shown) { places[name] = [y, height]; y += height + GAP; }
    return { places, height: y + T.axis };
  };
  T.x = (t, width) => T.left + ((t - T.from) / (T.to - T.from)) * (width - T.left - T.right);
  T.t = (x, width) => T.from + ((x - T.left) / (width - T.left - T.right)) * (T.to - T.from);
  T.zoom = (from, to) => {
    const span = Math.max(0.5, Math.min(T.duration, to - from));
    T.from = Math.max(0, Math.min(T.duration - span, from));
    T.to = T.from + span;
    T.redraw();
  };
  T.fit = () => T.zoom(0, T.duration);

  V.panels.timeline = (root, api) => {
    root.classList.add("card");
    const plot = h("div.tl-plot", { "aria-hidden": "true" }), hot = h("div.tl-hot", { role: "group", "aria-label": "Timeline: click to go there, drag to act on an interval, wheel to zoom, arrow keys to go from bar to bar" });
    const labels = h("div.tl-labels"), head = h("div.tl-head", { hidden: true }), band = h("div.tl-band", { hidden: true }), tip = h("div.tip", { hidden: true });
    const foot = h("div.tl-foot"), said = h("div.tl-said"), overview = h("canvas.tl-over", { "aria-hidden": "true" }), frame = h("div.tl-window", { hidden: true });
    const list = h("ol.tl-list", { hidden: true, id: "timeline-list" });
    const listing = h("button.mini", { type: "button", "aria-expanded": "false", "aria-controls": "timeline-list", title: "The same as a list", onclick: () => { list.hidden = !list.hidden; listing.setAttribute("aria-expanded", String(!list.hidden)); drawList(); } }, "list");
    const fit = h("button.mini", { type: "button", title: "Whole video (0)", onclick: T.fit }, "fit");
    const wrap = h("div.tl-wrap", {}, labels, plot, hot);
    const empty = h("p.empty", {}, "Timeline — scenes, what was retrieved, what was looked at and heard, and what never was.");
    const over = h("div.tl-over-row", {}, h("span", {}, "overview"), h("div.tl-over-box", {}, overview, frame));
    hot.append(band, head);
    foot.append(said, h("div.tl-tools", {}, T.lanesMenu(), fit, listing));
    V.append(root, [empty, over, wrap, foot, list, tip]);
    Object.assign(T, { root, plot, hot, band, tip, overview, frame, wrap, api, buttons: new Map() });

    let waiting = false, key = "";
    T.redraw = () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } };
    function draw() {
      const on = !!T.value;
      empty.hidden = on; over.hidden = wrap.hidden = foot.hidden = !on;
      if (!on) return;
      const { places, height } = T.layout(), width = wrap.clientWidth;
      if (!width) return;
      wrap.style.height = height + "px";
      hot.style.left = T.left + "px"; hot.style.width = width - T.left - T.right + "px";
      V.fill(labels, Object.entries(places).map(([name, [y, tall]]) => [h("span", { style: { top: y + "px", height: tall + "px" } }, T.NAMES[name] || name), T.value.run ? null : h("em", { style: { top: y + "px", height: tall + "px" } }, T.ABOUT[name])]), Object.entries(places).filter(([name]) => name !== "scenes" || !T.value.scenes).map(([, [y, tall]]) => h("i", { style: { top: y + "px", height: tall + "px", left: T.left + "px", right: T.right + "px" } })));
      if (!T.value.run) { /* Plotly draws the axis with the lanes; before a run there are none */
        const { tickvals, ticktext } = T.ticks(width);
        V.append(labels, tickvals.map((t, n) => h("u", { style: { left: Math.min(T.x(t, width), width - 26) + "px", top: height - T.axis + 2 + "px" } }, ticktext[n])));
      }
      drawLanes(places, width, height);
      T.hotspots(places, width);
      T.overviewDraw();
      placeHead(V.now());
      placeBand();
      drawFoot();
      if (!list.hidden) drawList();
    }
    /* Plotly at most three times a second while a run goes on; zooming and the first picture are not kept waiting */
    let drawn = 0, later = 0, view = "";
    function drawLanes(places, width, height) {
      const now = performance.now(), same = view === `${T.from}|${T.to}|${width}|${document.body.className}`;
      clearTimeout(later);
      if (same && now - drawn < 330) { later = setTimeout(() => { drawn = performance.now(); T.draw(plot, ...last); }, 330 - (now - drawn)); } else { drawn = now; T.draw(plot, places, width, height); }
      last = [places, width, height];
      view = `${T.from}|${T.to}|${width}|${document.body.className}`;
    }
    let last = [];
    function drawFoot() {
      const c = T.value.coverage;
      const never = c ? [...c.never].sort((a, b) => b[1] - b[0] - (a[1] - a[0])).slice(0, 3).sort((a, b) => a[0] - b[0]) : [];
      V.fill(said, T.value.run && !T.loaded ? h("span", {}, "loading the picture of the lanes …") : null, T.value.scenes ? h("span", {}, V.plural(T.value.scenes, "scene")) : null, c && T.value.scenes ? h("span", { title: "Share of the picture that was looked at, and of the sound that was listened to" }, `seen ${V.percent(c.seen_share)}, heard ${V.percent(c.heard_share)}`) : null,
        T.value.pending ? h("span", {}, "speech is still being transcribed") : null,
        never.length && (c.seen_share || c.heard_share) ? h("span.never", {}, h("b", {}, "never looked at: "), never.map(([s, e]) => [V.time(s, e), " "])) : null);
    }
    function drawList() {
      const items = T.items().sort((a, b) => a.s - b.s);
      V.fill(list, items.length ? items.slice(0, 300).map((i) => h("li", {}, V.time(i.s, i.e, about(i)), h("span.dim", {}, T.NAMES[i.lane] || i.lane), h("span", {}, i.label))) : h("li.dim", {}, "Nothing yet."));
    }
    const about = (i) => ({ s: i.s, e: i.e, step: i.step || undefined, ref: i.lane === "retrieved" ? i.id : undefined, entry: i.lane === "answer" ? i.id : undefined });
    T.about = about;

    function placeHead(t) {
      const width = wrap.clientWidth, x = T.x(t, width) - T.left;
      head.hidden = !T.value || x < 0 || x > width - T.left - T.right;
      head.style.transform = `translateX(${x}px)`;
    }
    function placeBand() {
      const chosen = T.dragging || V.state.selection, width = wrap.clientWidth;
      const has = T.value && chosen && Number.isFinite(chosen.s) && chosen.e > chosen.s;
      band.hidden = !has;
      if (has) {
        const a = Math.max(T.from, chosen.s), b = Math.min(T.to, chosen.e);
        band.hidden = b <= a;
        band.style.left = T.x(a, width) - T.left + "px";
        band.style.width = Math.max(2, T.x(b, width) - T.x(a, width)) + "px";
      }
      for (const [, button] of T.buttons) button.classList.toggle("sel", V.belongs(about(button.item)));
    }
    T.placeBand = placeBand;

    V.on("time", placeHead);
    V.on("select", placeBand);
    new ResizeObserver(T.redraw).observe(wrap);
    new MutationObserver(T.redraw).observe(document.body, { attributes: true, attributeFilter: ["class"] });
    V.on("tab", T.redraw);
    /* before a run there are the lanes, the axis and the playhead already: nothing moves when it starts */
    const blank = (duration) => { T.duration = duration; T.from = 0; T.to = duration; T.value = { duration, items: [], relevance: [], scenes: 0, coverage: null, query: "" }; };
    V.on("run", () => { plot.style.visibility = "hidden"; key = ""; V.scenes = []; if (V.duration()) blank(V.duration()); T.redraw(); });
    V.on("video", (facts) => { if (!V.state.run && facts.duration_s) { blank(facts.duration_s); T.redraw(); } });

    async function scenes(value) {
      const wanted = value.run + value.index + value.pending;
      if (!value.index || wanted === key) return;
      key = wanted;
      const found = await V.get(`run/${value.run}/scenes`).catch(() => null);
      if (!found) return void (key = ""); /* asked for again with the next update */
      if (V.state.run !== value.run) return; /* the page went on to another run meanwhile */
      V.scenes = found;
      V.state.sha = value.sha;
      V.tell("scenes");
      if (V.scenes.some((s) => s.speech)) V.tell("subtitles", value.run);
      T.redraw();
    }
    T.listen(hot, wrap);
    T.warmWhenQuiet();
    return {
      update: (value) => {
        const longer = value && value.duration !== T.duration;
        if (value) { T.value = value; plot.style.visibility = ""; }
        if (value) { if (longer) { T.duration = value.duration || 1; T.from = 0; T.to = T.duration; } scenes(value); }
        T.redraw();
      },
    };
  };
})();
