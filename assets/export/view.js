/* The exported page: reads the embedded data and builds everything as text nodes. Nothing is fetched. */
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const h = (tag, attrs, ...children) => {
    const [name, ...classes] = tag.split("."), node = document.createElement(name || "div");
    if (classes.length) node.className = classes.join(" ");
    for (const [key, value] of Object.entries(attrs || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (key === "class") node.className += " " + value;
      else node.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children.flat(9)) if (child !== null && child !== undefined && child !== false && child !== "") node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    return node;
  };
  const NS = "http://www.w3.org/2000/svg";
  const s = (tag, attrs, text) => { const node = document.createElementNS(NS, tag); for (const [k, v] of Object.entries(attrs)) node.setAttribute(k, v); if (text !== undefined) node.textContent = text; return node; };
  const clock = (t, tenths = true) => {
    const whole = tenths ? Math.round(t * 10) / 10 : Math.floor(t), hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, rest = whole % 60;
    return (hours ? hours + ":" : "") + String(minutes).padStart(2, "0") + ":" + (tenths ? rest.toFixed(1).padStart(4, "0") : String(Math.floor(rest)).padStart(2, "0"));
  };
  const SIGN = { right: "✓", partly: "◐", wrong: "✕" };
  const money = (usd) => (usd === null ? "price unknown" : usd ? "$" + usd.toFixed(usd < 0.01 ? 4 : 3) : "free");
  /* Indented, with a list of numbers on one line. */
  const written = (value) => JSON.stringify(value, null, 1).replace(/\[\n\s*([-\d.,\s]+?)\n\s*\]/g, (_, numbers) => `[${numbers.replace(/\s+/g, " ")}]`);
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const duration = data.video.duration_s || 1, page = document.getElementById("page");

  /* ---- one selection: a span of the video, shown on the screen and on the timeline */
  let run = data.runs[0], at = 0, selection = null, timer = 0;
  const screen = h("div.screen"), caption = h("p.caption.dim", { role: "status" });
  const film = data.film ? h("video", { src: data.film, controls: true, playsinline: true }) : null;
  const time = (from, to, step) => h("button.t", { type: "button", "data-t": from, title: film ? "Go to " + clock(from) : "Show the frame nearest to " + clock(from), onclick: () => choose(from, to, step) }, clock(from) + (to - from > 0.05 ? "–" + clock(to) : ""));
  const taken = () => run.steps.flatMap((one) => one.frames.filter((f) => data.pictures[f.sha]).map((f) => ({ ...f, step: one.n })));
  function choose(from, to, step) {
    selection = { from, to, step };
    if (film) { film.currentTime = from; caption.textContent = clock(from) + " of " + clock(duration); }
    else still(from, to);
    mark();
  }
  function still(from, to) {
    const frames = taken(), inside = frames.filter((f) => f.t >= from - 0.05 && f.t <= to + 0.05);
    const near = (inside.length ? inside : frames).reduce((best, f) => (!best || Math.abs(f.t - (from + to) / 2) < Math.abs(best.t - (from + to) / 2) ? f : best), null);
    if (near) screen.replaceChildren(h("img", { src: data.pictures[near.sha], alt: "Frame at " + clock(near.t) }));
    else screen.replaceChildren(h("p", {}, "No frame of this run was kept."));
    caption.textContent = near ? `Frame at ${clock(near.t)}, looked at in step ${near.step}` + (inside.length ? "" : ` — nothing was looked at in ${clock(from)}–${clock(to)}`) : "";
  }

  /* ---- timeline */
  const lanes = s("svg", { class: "lanes", role: "group", "aria-label": "Timeline" });
  function timeline() {
    const left = 84, wide = 900, tall = 15, gap = 5, gold = data.case?.gold_intervals || [];
    const state = run.states[Math.min(at, run.states.length - 1)] || {}, looked = (op) => run.steps.filter((one) => one.op === op).flatMap((one) => one.places.map(([from, to]) => ({ from, to, step: one.n })));
    const status = state.references || {};
    const rows = [
      ["scenes", run.scenes.map(([from, to], i) => ({ from, to, fill: i % 2 ? "var(--scene1)" : "var(--scene2)", quiet: true }))],
      ["retrieved", run.references.map((r) => ({ from: r.s, to: r.e, step: r.step, fill: { verified: "var(--ok)", rejected: "var(--no)" }[status[r.id]] || "none", edge: "var(--mut)", title: `${r.id}, score ${r.score}, ${status[r.id] || "not yet"}` }))],
      ["inspected", looked("inspect").map((o) => ({ ...o, fill: "var(--clip)" }))], ["speech", looked("speech").map((o) => ({ ...o, fill: "var(--speech)" }))],
      ["clip", looked("clip").map((o) => ({ ...o, fill: "var(--ink)" }))], ["other", run.steps.filter((o) => !["inspect", "speech", "clip", "retrieve", "finalize", ""].includes(o.op)).flatMap((o) => o.places.map(([from, to]) => ({ from, to, step: o.n, fill: "var(--clip)" })))],
      ["answer", (run.answer?.evidence || []).map((e) => ({ from: e.start, to: e.end, fill: "var(--accent)", step: run.steps.length, title: e.why }))],
      ["gold", gold.map(([from, to]) => ({ from, to, fill: "var(--gold)" }))],
      ["notes", (data.case?.notes || []).filter((n) => !n.run || n.run === run.id).flatMap((n) => (n.at ? [n.at] : run.steps.find((o) => o.n === n.step)?.places || []).map(([from, to]) => ({ from, to, step: n.step ?? undefined, fill: "var(--mut)", title: [n.label, n.text].filter(Boolean).join(": ") })))],
      ["coverage", [...(state.seen || []).map(([from, to]) => ({ from, to, fill: "var(--ok)", quiet: true })), ...(state.heard || []).map(([from, to]) => ({ from, to, fill: "var(--speech)", quiet: true, thin: true }))]],
    ].filter(([name, items]) => items.length || ["retrieved", "answer", "coverage"].includes(name));
    const height = rows.length * (tall + gap) + 22;
    lanes.setAttribute("viewBox", `0 0 ${left + wide + 16} ${height}`);
    lanes.replaceChildren();
    rows.forEach(([name, items], n) => {
      const y = 2 + n * (tall + gap);
      lanes.append(s("text", { x: left - 8, y: y + 12, "text-anchor": "end" }, name), s("rect", { x: left, y, width: wide, height: tall, fill: "var(--lane)" }));
      for (const item of items) {
        const box = s("rect", { x: left + (wide * item.from) / duration, y: item.thin ? y + tall * 0.6 : y, width: Math.max(3, (wide * (item.to - item.from)) / duration), height: item.thin ? tall * 0.4 : tall, fill: item.fill, stroke: item.edge || "none", class: (item.quiet ? "" : "hit") + (item.step > at ? " later" : "") });
        if (!item.quiet) {
          box.setAttribute("tabindex", "0"); box.setAttribute("role", "button"); box.setAttribute("aria-label", `${name} ${clock(item.from)}–${clock(item.to)}`);
          box.addEventListener("click", () => choose(item.from, item.to, item.step));
          box.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); choose(item.from, item.to, item.step); } });
          box.append(s("title", {}, `${item.step ? `step ${item.step}, ` : ""}${clock(item.from)}–${clock(item.to)}${item.title ? " — " + item.title : ""}`));
          if (selection && Math.abs(selection.from - item.from) < 0.01 && Math.abs(selection.to - item.to) < 0.01) box.classList.add("sel");
        }
        lanes.append(box);
      }
    });
    for (let k = 0; k <= 6; k++) lanes.append(s("text", { x: left + (wide * k) / 6, y: height - 4, "text-anchor": k === 6 ? "end" : "middle" }, clock((duration * k) / 6, false)));
  }

  /* ---- steps */
  const spoken = (call) => [h("p.dim", {}, `${call.role} — ${call.model}${call.failure ? " — " + call.failure : ""}`), call.messages.map((m) => h("pre", { tabindex: 0 }, `${m.role}${m.frames ? `, ${plural(m.frames, "frame")}` : ""}\n${m.text}`)), h("pre", { tabindex: 0 }, call.reply)];
  const steps = h("div.steps");
  function drawSteps() {
    steps.replaceChildren(...run.steps.map((one) => {
      const lines = one.output.trim().split("\n"), kept = one.frames.filter((f) => data.pictures[f.sha]);
      const notes = (data.case?.notes || []).filter((note) => note.run === run.id && note.step === one.n);
      return h("article.step", { "data-step": one.n },
        h("div.row", {}, h("span.n", {}, one.n), h("span.op", {}, one.op || "undecided"), one.places.slice(0, 6).map(([from, to]) => time(from, to, one.n)), one.source === "user" ? h("span.chip", {}, "by hand") : null, one.error_kind ? h("span.chip.wrong", {}, one.error_kind.replaceAll("_", " ")) : null, notes.map((n) => n.label && h("span.chip.label", {}, n.label)), h("span.grow"), h("span.dim.mono", {}, [one.frames.length ? plural(one.frames.length, "frame") : "", one.usage.remote_requests ? money(one.usage.cost_usd) : "", one.seconds + " s"].filter(Boolean).join(" · "))),
        one.thought ? h("p.thought", {}, one.thought) : null,
        notes.map((n) => n.text && h("p.bad", {}, "Note: " + n.text)),
        one.error ? h("p.bad", {}, one.error) : null,
        lines[0] && !one.error ? h("p", {}, lines[0]) : null, lines.length > 1 ? h("details", { open: lines.length < 5 }, h("summary", {}, "everything it returned"), h("pre", { tabindex: 0 }, one.output)) : null,
        kept.length ? h("div.frames", {}, kept.map((f) => h("button", { type: "button", "aria-label": "Frame at " + clock(f.t), onclick: () => choose(f.t, f.t, one.n) }, h("img", { src: data.pictures[f.sha], alt: "", loading: "lazy" }), h("span", {}, clock(f.t))))) : null,
        kept.length < one.frames.length ? h("p.dim", {}, `${kept.length} of ${one.frames.length} frames are kept in this file.`) : null,
        h("details", {}, h("summary", {}, "arguments" + (one.shown ? ", what the Reasoner saw" : "") + (one.calls.length ? `, ${plural(one.calls.length, "model call")}` : "")),
          h("pre", { tabindex: 0 }, written(one.arguments)), one.shown ? h("pre", { tabindex: 0 }, one.shown) : null,
          one.calls.map(spoken)),
        one.warnings.map((w) => h("p.bad", {}, w)));
    }));
  }

  /* ---- ledger as of a step */
  const ledger = h("div.scroll"), spent = h("p.dim"), facts = h("div");
  function drawLedger() {
    const state = run.states[Math.min(at, run.states.length - 1)] || {}, cited = new Set((run.answer?.evidence || []).map((e) => e.entry_id));
    const entries = run.entries.filter((e) => e.step <= at), references = run.references.filter((r) => r.step <= at);
    ledger.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, ["", "time", "step", "what", "status"].map((c) => h("th", {}, c)))),
      h("tbody", {}, references.map((r) => h("tr", { class: r.step === at && at ? "new" : "" }, h("td.mono", {}, r.id), h("td", {}, time(r.s, r.e, r.step)), h("td", {}, r.step || "–"), h("td.dim", {}, `retrieved, score ${r.score}`), h("td", { class: "st-" + (state.references?.[r.id] || "unverified") }, state.references?.[r.id] || "unverified"))),
        entries.map((e) => h("tr", { class: e.step === at ? "new" : "" }, h("td.mono", {}, e.id), h("td", {}, time(e.s, e.e, e.step)), h("td", {}, e.step), h("td", {}, e.what, e.text && !e.what.includes(e.text) ? ` “${e.text}”` : "", " ", e.stances.map((x) => h("span.chip", {}, x))), h("td", {}, e.verdict === true ? h("span.ok", {}, "found") : e.verdict === false ? h("span.bad", {}, "not here") : h("span.dim", {}, "open"), cited.has(e.id) ? h("span.dim", {}, " · cited") : ""))))));
    if (!entries.length && !references.length) ledger.replaceChildren(h("p.dim", {}, "Nothing yet."));
    spent.textContent = state.spent ? `After step ${at}: ${plural(state.spent.frames, "frame")}, ${plural(state.spent.remote_requests, "request")}, ${state.spent.input_tokens === null ? "tokens unknown" : plural(state.spent.input_tokens + state.spent.output_tokens, "token")}, ${money(state.spent.cost_usd)}, ${state.at.toFixed(1)} s. Seen ${Math.round(100 * (state.seen_share || 0))} % of the picture, heard ${Math.round(100 * (state.heard_share || 0))} % of the sound.` : "";
    facts.replaceChildren(...[state.why ? h("p", {}, h("b", { class: state.sufficient ? "ok" : "" }, state.sufficient ? "Sufficient. " : "Not yet sufficient. "), state.why) : null,
      state.relations?.length ? h("ul.notes", {}, state.relations.slice(0, 40).map((r) => h("li", {}, h("span.chip", {}, r.kind), " ", time(r.s, r.e), " ", r.text, r.status ? h("span.dim", {}, " " + r.status) : ""))) : null,
      state.gaps?.length ? h("p.dim", {}, "Still missing: " + state.gaps.join(" · ")) : null].filter(Boolean));
  }

  /* ---- the scrubber */
  const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "Show the run as after this step", oninput: () => { stop(); go(+slider.value); } }), label = h("span.mono");
  const play = h("button", { type: "button", onclick: () => (timer ? stop() : start()) }, "▶ play");
  function go(step) {
    at = Math.max(0, Math.min(run.steps.length, step));
    slider.value = at;
    label.textContent = `step ${at} of ${run.steps.length}`;
    slider.setAttribute("aria-valuetext", label.textContent);
    const now = run.steps[at - 1], where = now?.places[0];
    if (where) { selection = { from: where[0], to: where[1], step: at }; if (film) film.currentTime = where[0]; else still(...where); }
    mark();
    drawLedger();
  }
  function start() { if (at >= run.steps.length) go(0); play.textContent = "❚❚ pause"; timer = setInterval(() => (at >= run.steps.length ? stop() : go(at + 1)), 1400); }
  function stop() { clearInterval(timer); timer = 0; play.textContent = "▶ play"; }
  function mark() {
    timeline();
    for (const node of steps.children) { const n = +node.dataset.step; node.classList.toggle("later", n > at); node.classList.toggle("sel", !!selection && n === selection.step); }
  }
  document.addEventListener("keydown", (e) => {
    if (e.target.closest("input, video, summary, button, [tabindex]") || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "j") go(at + 1); else if (e.key === "k") go(at - 1); else if (e.key === " ") { e.preventDefault(); timer ? stop() : start(); }
  });
  addEventListener("beforeprint", () => { document.querySelectorAll("details").forEach((d) => { d.open = true; }); go(run.steps.length); });

  /* ---- the page */
  const answerBox = h("section.card"), tabs = h("div.tabs", { role: "tablist" });
  function show(next) {
    stop();
    run = next; selection = null;
    tabs.querySelectorAll("button").forEach((b, i) => b.setAttribute("aria-selected", String(data.runs[i] === run)));
    slider.max = run.steps.length;
    const a = run.answer;
    answerBox.replaceChildren(...[
      h("div.row", {}, a ? h("p.answer", {}, a.label ? h("b", {}, a.label) : null, a.text) : h("p.answer", {}, "No answer"), h("span.grow"), run.verdict ? h("span.chip", { class: run.verdict === "right" ? "right" : "wrong" }, `${SIGN[run.verdict]} ${run.verdict}${run.judged_by_hand ? ", judged by hand" : ""}`) : null, run.iou === null ? null : h("span.chip", {}, "evidence IoU ", h("b", {}, run.iou.toFixed(2))), a ? h("span.chip", {}, "confidence ", h("b", {}, a.confidence.toFixed(2))) : null, h("span.chip", {}, run.outcome)),
      run.reason ? h("p.dim", {}, run.reason) : null,
      a?.evidence.length ? h("ul.evidence", {}, a.evidence.map((e) => h("li", {}, time(e.start, e.end), h("span.dim.mono", {}, e.entry_id), h("span", {}, e.why)))) : null,
      run.warnings.map((w) => h("p.bad", {}, w)), run.unknown.length ? h("p.bad", {}, `Made by a newer version: ${plural(run.unknown.length, "event")} of kinds not known here (${[...new Set(run.unknown.map((u) => u.kind))].join(", ")}) are left out.`) : null,
      h("p.dim", {}, `${run.agent} · ${plural(run.steps.length, "step")} · ${plural(run.cost.frames, "frame")} · ${plural(run.cost.remote_requests, "request")} · ${money(run.cost.cost_usd)} · ${run.cost.seconds.toFixed(1)} s` + (run.route ? ` · ${run.route.policy}, ${run.route.emphasis}` : "") + (run.fork ? ` · forked from ${run.parent}, ${run.fork}` : "")),
      run.route ? h("details", {}, h("summary", {}, "why this route" + (run.route.call ? ", 1 model call" : "")), h("p", {}, run.route.why), run.route.call ? spoken(run.route.call) : null) : null,
    ].flat(3).filter(Boolean));
    drawSteps();
    go(run.steps.length);
    const first = a?.evidence[0];
    if (first) choose(first.start, first.end); else if (!film) still(0, duration);
  }
  const q = data.question, c = data.case, about = (note) => [note.run ? `run ${data.runs.findIndex((r) => r.id === note.run) + 1 || note.run}` : "case", note.step ? `step ${note.step}` : null].filter(Boolean).join(", ");
  page.append(
    h("header", {}, h("h1", {}, q.text),
      q.choices.length ? h("ul.choices", {}, q.choices.map((x) => h("li", { class: c?.gold === x.label ? "gold" : "" }, `${x.label}. ${x.text}`, c?.gold === x.label ? h("span.ok", {}, " ✓ gold") : ""))) : c?.gold ? h("p", {}, "Gold answer: ", h("b", {}, c.gold)) : "",
      h("p.dim", {}, `${data.video.name} · ${clock(duration, false)} · ${data.video.width}×${data.video.height}`)),
    c && (c.notes.length || c.gold_intervals.length) ? h("section.card", {}, h("h2", {}, "Case"), c.gold_intervals.length ? h("p", {}, "Evidence lies at ", c.gold_intervals.map(([from, to]) => [time(from, to), " "])) : null, h("ul.notes", {}, c.notes.map((n) => h("li", {}, h("span.dim", {}, about(n) + " "), n.at ? [time(...n.at), " "] : null, n.label ? h("span.chip.label", {}, n.label) : null, " ", n.text)))) : "",
    data.runs.length > 1 ? tabs : "", answerBox,
    h("section.card", {}, h("div.two", {}, h("div", {}, screen, caption), h("div.facts", {}, h("h2", {}, "What was known"), spent, facts)), lanes, h("div.scrub", {}, play, slider, label)),
    h("div.two", {}, h("section.card", {}, h("h2", {}, "Steps"), steps), h("section.card", {}, h("h2", {}, "Ledger"), ledger)),
    data.runs.length > 1 ? h("section.card", {}, h("h2", {}, "Cost"), costs()) : "",
    h("footer", {}, h("p", {}, `${data.made_by}, ${data.made_at}. Works offline; nothing is fetched. Keys: j and k for steps, space to play.`), data.redacted.length ? h("p", {}, "Redacted: " + data.redacted.map((r) => `${r.count} × ${r.what}`).join(", ") + ".") : h("p", {}, "Nothing had to be redacted.")));
  function costs() {
    const named = { answer: (r) => r.answer?.label || r.answer?.text || "–", iterations: "iterations", "remote requests": "remote_requests", "failed requests": "failed_requests", "input tokens": "input_tokens", "output tokens": "output_tokens", "retrieve calls": "retrieve_calls", "inspect calls": "inspect_calls", "clip calls": "clip_calls", "speech calls": "speech_calls", "other queries": "other_calls", frames: "frames", money: (r) => money(r.cost.cost_usd), seconds: (r) => r.cost.seconds.toFixed(1) };
    return h("div.scroll", {}, h("table", {}, h("thead", {}, h("tr", {}, h("th"), data.runs.map((r) => h("th.num", {}, r.agent)))), h("tbody", {}, Object.entries(named).map(([name, of]) => h("tr", {}, h("td", {}, name), data.runs.map((r) => h("td.num", {}, typeof of === "string" ? r.cost[of] ?? "unknown" : of(r))))))));
  }
  data.runs.forEach((r, i) => tabs.append(h("button", { type: "button", role: "tab", onclick: () => show(r) }, `Run ${i + 1}: ${r.agent}${r.verdict ? " " + SIGN[r.verdict] : ""}`)));
  if (film) { screen.append(film); }
  show(run);
})();
