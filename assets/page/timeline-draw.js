/* Lanes as Plotly traces. Y is in pixels from the top, X in seconds; nothing here listens to anything. */
(() => {
  const V = window.VESTA, { h } = V, T = V.timeline;
  const css = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
  let colours = null, ready = null;
  const MIN_PX = 5;
  const RANK = ["unverified", "inconclusive", "rejected", "verified"]; /* a scene found again must not cover what is known of it */

  const palette = () => ({
    ink: css("--v-ink"), mut: css("--v-mut"), line: css("--v-line2"), lane: css("--v-lane"), scene: [css("--v-scene1"), css("--v-scene2")],
    verified: css("--v-ok"), rejected: css("--v-no"), inconclusive: css("--v-mut"), unverified: css("--v-mut"), speech: css("--v-speech"), bg: css("--v-card"),
    policy: css("--v-" + (V.values.route?.policy || "focused")), clip: css("--v-clip"), font: css("--font"),
  });

  /* plotly.js is the copy plotly.py carries; it is loaded when there is something to draw */
  const plotly = () => (ready ||= new Promise((done, fail) => {
    if (window.Plotly) return done(window.Plotly);
    document.head.append(h("script", { src: V.url("plotly.js"), onload: () => { T.loaded = true; T.redraw(); done(window.Plotly); }, onerror: () => fail(new Error("plotly.js could not be loaded")) }));
  }));

  T.warm = () => plotly().catch(() => {});
  /* Running its 4.7 MB takes half a second in one piece: before a run needs it, it is done while no hand is on the page. */
  T.warmWhenQuiet = () => {
    const HANDS = ["pointermove", "pointerdown", "keydown", "wheel"], quiet = 1500;
    let last = performance.now();
    const touch = () => { last = performance.now(); };
    HANDS.forEach((name) => addEventListener(name, touch, { capture: true, passive: true }));
    const look = () => {
      if (!ready && performance.now() - last < quiet) return setTimeout(look, 300);
      HANDS.forEach((name) => removeEventListener(name, touch, { capture: true }));
      if (!ready) (window.requestIdleCallback || setTimeout)(() => T.warm());
    };
    setTimeout(look, quiet);
  };

  const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
  T.ticks = (width) => {
    const span = T.to - T.from, room = Math.max(2, Math.floor((width - T.left) / 90)), step = STEPS.find((s) => span / s <= room) || 14400;
    const values = [];
    for (let t = Math.ceil(T.from / step) * step; t <= T.to + 1e-6; t += step) values.push(+t.toFixed(3));
    return { tickvals: values, ticktext: values.map((t) => V.clock(t, step < 1)) };
  };

  /* A bar at least MIN_PX wide, around its middle, cut to the view. */
  function place(item, width) {
    const least = (MIN_PX * (T.to - T.from)) / Math.max(1, width - T.left - T.right);
    const middle = (item.s + item.e) / 2, half = Math.max(item.e - item.s, least) / 2;
    return [middle, 2 * half];
  }
  function bars(items, places, lane, width, style) {
    const [top, tall] = places[lane] || [];
    if (top === undefined || !items.length) return null;
    const trace = { type: "bar", x: [], width: [], base: [], y: [], marker: { color: [], line: { color: [], width: [] }, pattern: { shape: [], fgcolor: [], bgcolor: [], size: 5, solidity: 0.35, fillmode: "replace" } } };
    for (const item of items) {
      const s = style(item), [middle, wide] = place(item, width), share = s.share ?? 1;
      trace.x.push(middle); trace.width.push(wide); trace.base.push(top + tall * (1 - share)); trace.y.push(tall * share);
      trace.marker.color.push(s.fill); trace.marker.line.color.push(s.edge || s.fill); trace.marker.line.width.push(s.edge ? 1.5 : 0);
      trace.marker.pattern.shape.push(s.hatch || ""); trace.marker.pattern.fgcolor.push(s.edge || s.fill); trace.marker.pattern.bgcolor.push("rgba(0,0,0,0)");
    }
    return trace;
  }
  function mix(colour, share) { /* Plotly wants plain colours: mix with the lane by hand */
    const read = (c) => { const m = c.match(/^#(..)(..)(..)$/); return m ? m.slice(1).map((x) => parseInt(x, 16)) : [128, 128, 128]; };
    const [a, b] = [read(colour), read(colours.lane)];
    return `rgb(${a.map((x, i) => Math.round(x * share + b[i] * (1 - share))).join(",")})`;
  }

  function sceneTrace(places) {
    const list = V.scenes || [], [top, tall] = places.scenes || [];
    if (!list.length || top === undefined) return null;
    const edges = [...list.map((s) => s.s), list.at(-1).e];
    return { type: "heatmap", x: edges, y: [top, top + tall], z: [list.map((_, i) => i % 2)], showscale: false, zmin: 0, zmax: 1, colorscale: [[0, colours.scene[0]], [1, colours.scene[1]]], zsmooth: false, xgap: list.length < 200 ? 1 : 0 };
  }
  function relevanceTrace(places) {
    const list = V.scenes || [], scores = T.value.relevance, [top, tall] = places.relevance || [];
    if (!scores.length || scores.length !== list.length || top === undefined) return null;
    const low = Math.min(...scores), high = Math.max(low + 1, ...scores), x = [], y = [];
    list.forEach((scene, i) => { const v = top + tall * (1 - (0.06 + 0.94 * Math.pow((scores[i] - low) / (high - low), 1.5))); x.push(scene.s, scene.e); y.push(v, v); });
    return { type: "scatter", mode: "lines", x: [x[0], ...x, x.at(-1)], y: [top + tall, ...y, top + tall], fill: "toself", fillcolor: mix(colours.policy, 0.5), line: { color: colours.policy, width: 1 }, hoverinfo: "skip" };
  }
  function heardTrace(places, width) { /* where the transcript has words, lightly */
    const list = (V.scenes || []).filter((s) => s.speech), [top, tall] = places.speech || [];
    if (!list.length || top === undefined || list.length > 800) return null;
    const trace = bars(list.map((s) => ({ s: s.s, e: s.e })), { speech: [top + tall * 0.3, tall * 0.4] }, "speech", width, () => ({ fill: mix(colours.speech, 0.45) }));
    return trace;
  }

  T.traces = (places, width) => {
    const of = (lane) => T.value.items.filter((i) => i.lane === lane && i.e >= T.from && i.s <= T.to);
    const most = Math.max(0.001, ...T.value.items.filter((i) => i.lane === "retrieved").map((i) => i.value));
    const dense = Math.max(0.001, ...T.value.items.filter((i) => i.lane === "inspected").map((i) => i.value));
    const c = T.value.coverage;
    const begun = c && (c.seen.length || c.heard.length); /* before the first look nothing was passed over yet */
    const cover = begun ? [...c.never.map(([s, e]) => ({ s, e, kind: "never" })), ...c.seen.map(([s, e]) => ({ s, e, kind: "seen" })), ...c.heard.map(([s, e]) => ({ s, e, kind: "heard" }))] : [];
    const found = of("answer"), [answerTop, answerTall] = places.answer || [];
    return [
      sceneTrace(places), relevanceTrace(places), heardTrace(places, width),
      bars(of("retrieved").sort((a, b) => RANK.indexOf(a.state) - RANK.indexOf(b.state)), places, "retrieved", width, (i) => ({
        share: 0.3 + 0.7 * Math.max(0, i.value / most), edge: i.state === "verified" ? "" : colours[i.state],
        fill: i.state === "verified" ? colours.verified : i.state === "rejected" ? mix(colours.rejected, 0.35) : colours.bg, hatch: { inconclusive: "/", rejected: "x" }[i.state] })),
      bars(of("inspected"), places, "inspected", width, (i) => ({ fill: mix(colours.ink, i.state === "working" ? 0.25 : 0.4 + 0.5 * (i.value / dense)), hatch: i.state === "working" ? "/" : "" })),
      bars(of("speech"), places, "speech", width, (i) => ({ fill: colours.speech, hatch: i.state === "working" ? "/" : "" })),
      bars(of("clip"), places, "clip", width, (i) => ({ fill: colours.clip, hatch: i.state === "working" ? "/" : "" })),
      bars(of("relations"), places, "relations", width, (i) => ({ fill: i.state === "conflict" ? colours.rejected : mix(colours.ink, 0.55), hatch: i.state === "conflict" ? "x" : "" })),
      bars(cover.filter((i) => i.kind === "never"), places, "coverage", width, () => ({ fill: mix(colours.rejected, 0.28) })),
      bars(cover.filter((i) => i.kind === "seen"), places, "coverage", width, () => ({ fill: colours.verified, share: 1 })),
      places.coverage && bars(cover.filter((i) => i.kind === "heard"), { coverage: [places.coverage[0] + places.coverage[1] * 0.6, places.coverage[1] * 0.4] }, "coverage", width, () => ({ fill: colours.speech })),
      found.length && answerTop !== undefined ? { type: "scatter", mode: "markers", x: found.map((i) => (i.s + i.e) / 2), y: found.map(() => answerTop + answerTall / 2), marker: { symbol: "triangle-up", size: 13, color: found.map((i) => (i.state === "verified" ? colours.verified : colours.bg)), line: { color: colours.verified, width: 1.5 } }, hoverinfo: "skip" } : null,
    ].filter(Boolean);
  };

  T.draw = async (plot, places, width, height) => {
    if (!T.value.run) return; /* nothing to draw yet: the empty lanes are the page's own */
    let P;
    try { P = await plotly(); } catch (error) { V.say(error.message); return; }
    if (!T.value) return;
    colours = palette();
    P.react(plot, T.traces(places, width).map((t) => ({ hoverinfo: "skip", showlegend: false, ...t })), {
      width, height, margin: { l: T.left, r: T.right, t: 0, b: T.axis }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", barmode: "overlay", bargap: 0, uirevision: "keep",
      font: { family: "IBM Plex Sans, system-ui, sans-serif", size: document.body.classList.contains("stage") ? 13.5 : 11.5, color: colours.mut },
      xaxis: { range: [T.from, T.to], fixedrange: true, showgrid: false, zeroline: false, ticks: "outside", ticklen: 3, tickcolor: colours.line, ...T.ticks(width) },
      yaxis: { range: [height - T.axis, 0], visible: false, fixedrange: true },
    }, { staticPlot: true, displayModeBar: false, responsive: false });
    plot.dataset.drawn = String(T.value.items.length);
  };

  T.overviewDraw = () => {
    const box = T.overview.parentElement, width = box.clientWidth, height = 14, ratio = devicePixelRatio || 1;
    if (!width) return;
    colours ||= palette();
    Object.assign(T.overview, { width: width * ratio, height: height * ratio });
    const draw = T.overview.getContext("2d"), at = (t) => (t / T.duration) * width;
    draw.scale(ratio, ratio);
    draw.fillStyle = css("--v-lane"); draw.fillRect(0, 0, width, height);
    const put = (s, e, colour, y, tall) => { draw.fillStyle = colour; draw.fillRect(at(s), y, Math.max(2, at(e) - at(s)), tall); };
    const state = { verified: css("--v-ok"), rejected: css("--v-no"), inconclusive: css("--v-mut"), unverified: css("--v-mut") };
    for (const i of T.value.items) {
      if (i.lane === "retrieved") put(i.s, i.e, state[i.state], 1, 6);
      else if (i.lane === "answer") put(i.s, i.e, state.verified, 0, 14);
      else if (i.lane !== "relations") put(i.s, i.e, i.lane === "speech" ? css("--v-speech") : css("--v-ink"), 8, 5);
    }
    const whole = T.from <= 0.01 && T.to >= T.duration - 0.01;
    T.frame.hidden = whole;
    T.frame.style.left = at(T.from) + "px";
    T.frame.style.width = Math.max(8, at(T.to) - at(T.from)) + "px";
  };
})();
