/* The ledger: evidence table, coverage, relations and gaps, what the Reasoner sees, memory. Changed rows flash once. */
(() => {
  const V = window.VESTA, { h } = V;
  const VIEWS = ["Evidence", "Coverage", "Relations, gaps", "What the Reasoner sees", "Memory"];
  const SIGN = { verified: "✓", rejected: "✕", inconclusive: "?", unverified: "○" };
  V.state_mark = (status) => h("span.state", { class: "st-" + status }, h("i", { "aria-hidden": "true" }, SIGN[status]), status);

  /* what speaks for and against every answer; `worded`: with its text, for who does not know the letters by heart */
  V.matrix = (hypotheses, worded = false) => {
    const most = Math.max(0.01, ...hypotheses.map((x) => Math.max(x.support, x.refutation)));
    const best = Math.max(...hypotheses.map((x) => x.support - x.refutation));
    if (worded && hypotheses.every((x) => !x.support && !x.refutation)) return h("ul.matrix.worded", {}, hypotheses.map((x) => h("li.hyp", {}, h("b", {}, x.label), h("span.word", {}, x.text))));
    return h("div.matrix", { role: "table", "aria-label": "Support for each answer", class: worded ? "worded" : "" }, hypotheses.map((x) => h("div.hyp", { role: "row", class: x.support - x.refutation === best && best > 0 ? "best" : "", title: `${x.label}: ${x.text} — for ${x.support}, against ${x.refutation}` },
      h("b", { role: "rowheader" }, x.label), worded ? h("span.word", { role: "cell" }, x.text) : null, h("span.bars", { role: "cell" }, h("i.for", { style: { width: (100 * x.support) / most + "%" } }), h("i.against", { style: { width: (100 * x.refutation) / most + "%" } })), h("span.num", { role: "cell" }, `+${x.support.toFixed(1)} −${x.refutation.toFixed(1)}`))));
  };

  V.panels.ledger = (root) => {
    root.classList.add("card");
    let ledger = null, view = "Evidence", onlyCited = false, run = "", seen = new Map(), rows = new Map();
    const tabs = h("div.tabs", { role: "tablist", "aria-label": "Ledger" }, VIEWS.map((name) => h("button", { type: "button", role: "tab", "aria-selected": String(name === view), onclick: () => { view = name; draw(); } }, name === "Evidence" ? "Ledger" : name)));
    const asOf = h("span.dim.asof"), cited = h("button.mini", { type: "button", "aria-pressed": "false", title: "Only what the answer names", onclick: () => { onlyCited = !onlyCited; draw(); } }, "cited");
    const body = h("div.ledger-body", { tabindex: "0", role: "tabpanel", "aria-label": "Ledger" });
    V.append(root, [h("div.panel-top", {}, tabs, h("span.sp"), asOf, cited), body]);

    let top = 0;
    body.addEventListener("scroll", () => { top = body.scrollTop; }, { passive: true });
    function draw() {
      [...tabs.children].forEach((tab, i) => tab.setAttribute("aria-selected", String(VIEWS[i] === view)));
      cited.hidden = view !== "Evidence" || !ledger?.entries.some((e) => e.cited);
      cited.setAttribute("aria-pressed", String(onlyCited));
      if (!ledger) { asOf.textContent = ""; return V.fill(body, h("p.empty", {}, "Everything seen or heard becomes an entry here: what, when, from which step, and what it says about each answer.")); }
      asOf.textContent = V.state.pinned !== null ? `as of step ${V.state.pinned}` : "";
      V.fill(body, { Evidence: table, Coverage: coverage, "Relations, gaps": relations, "What the Reasoner sees": prompt, Memory: memory }[view]());
      if (top) body.scrollTop = top; /* reading it here would force a layout at every update */
      mark();
    }
    function table() {
      const changed = (id, text) => { const before = seen.get(id); seen.set(id, text); return seen.ready && before !== text; };
      const refs = onlyCited ? [] : ledger.references.map((r) => row(r.id, { ref: r.id, step: r.history.at(-1)?.[0] ?? r.step, s: r.s, e: r.e }, changed(r.id, r.status), JSON.stringify(r), () => [
        V.time(r.s, r.e, { ref: r.id }), [h("span.dim", {}, `provisional, score ${r.score.toFixed(2)}`), r.h.length ? h("span.tag", {}, "for " + r.h.join(" ")) : null, r.note ? h("span.dim", {}, " " + r.note) : null],
        r.step ? `${r.step} retrieve` : "policy", history(r)]));
      const entries = ledger.entries.filter((e) => !onlyCited || e.cited).map((e) => row(e.id, { entry: e.id, step: e.step, s: e.s, e: e.e }, changed(e.id, "1"), JSON.stringify(e), () => [
        V.time(e.s, e.e, { entry: e.id, step: e.step }), [h("span.mod", { class: e.modality }, e.modality === "speech" ? "heard" : "seen"), h("span", {}, e.what), e.text && !e.what.includes(e.text) ? h("q", {}, e.text) : null, V.stances(e.stances), e.cited ? h("span.tag.cited", {}, "cited") : null],
        [`${e.step} ${e.op}`, e.confidence !== null ? h("span", { title: "Confidence of the one who looked, 0 to 1" }, ` · ${e.confidence.toFixed(2)}`) : null], V.verdict(e)]));
      seen.ready = true;
      if (!refs.length && !entries.length) return h("p.empty", {}, "Nothing yet.");
      const hidden = ledger.total - ledger.entries.length;
      return [ledger.hypotheses.some((x) => x.support || x.refutation) ? V.matrix(ledger.hypotheses) : null, h("table", {}, h("thead", {}, h("tr", {}, ["#", "when", "what", "from", "state"].map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, entries.reverse(), refs)), hidden > 0 ? h("p.dim", {}, `${hidden} older entries are in the trace.`) : null];
    }
    /* rows that did not change are kept as they are */
    const row = (id, item, fresh, text, make) => {
      const known = rows.get(id);
      if (known && known.text === text && !fresh) { known.node.classList.remove("fresh"); return known.node; }
      const cells = make();
      const node = h("tr", { data: { entry: id }, class: fresh ? "fresh" : "", onclick: (e) => { if (!e.target.closest("button")) V.select({ ...item }); } }, h("th.tag", { scope: "row" }, id), cells.map((c) => h("td", {}, c)));
      node.item = item;
      rows.set(id, { node, text });
      return node;
    };
    const history = (r) => {
      const last = r.history.at(-2);
      return [last && last[1] !== r.status ? h("span.dim", {}, last[1] + " → ") : null, V.state_mark(r.status)];
    };
    function coverage() {
      const c = ledger.coverage;
      const bar = (name, list, kind) => h("div.cov", {}, h("span", {}, name), h("div.cov-bar", { class: c.seen.length || c.heard.length ? "begun" : "" }, list.map(([s, e]) => h("i", { class: kind, style: { left: (100 * s) / c.duration + "%", width: Math.max(0.3, (100 * (e - s)) / c.duration) + "%" } }))));
      return [h("p", {}, `Seen ${V.percent(c.seen_share)}, heard ${V.percent(c.heard_share)} of the video. `, h("b", { class: c.sufficient ? "ok" : "" }, c.sufficient ? "Sufficient. " : "Not yet sufficient. "), c.why),
        bar("seen", c.seen, "seen"), bar("heard", c.heard, "heard"),
        c.never.length ? h("p", {}, "Never looked at: ", c.never.slice(0, 40).map(([s, e]) => [V.time(s, e), " "])) : h("p", {}, "Everything was looked at.")];
    }
    function relations() {
      return [ledger.relations.length ? h("ul.rel", {}, ledger.relations.map((r) => h("li", {}, h("span.chip", { class: r.kind === "conflict" ? "bad" : "" }, r.kind), V.time(r.s, r.e, { entry: r.entries[0] }), h("span", {}, r.text), r.status ? h("span.dim", {}, r.status) : null, r.entries.map((id) => h("button.tag", { type: "button", onclick: () => V.select({ entry: id }) }, id))))) : h("p.empty", {}, "No relations between entries yet."),
        h("h3", {}, "Still missing"), ledger.gaps.length ? h("ul.rel", {}, ledger.gaps.map((g) => h("li", {}, g.s !== null ? V.time(g.s, g.e) : null, h("span", {}, g.text), g.op ? h("span.chip", {}, g.op) : null))) : h("p.dim", {}, "Nothing: the ledger has no open gap.")];
    }
    const later = (path, build) => { const place = h("div", {}, h("p.dim", {}, "Loading …")); V.get(path).then((data) => V.fill(place, build(data)), (e) => V.fill(place, h("p.bad", {}, e.message))); return place; };
    const prompt = () => later(`run/${V.state.run}/prompt${V.state.pinned !== null ? "?step=" + V.state.pinned : ""}`, (p) => p.text ? [h("p.dim", {}, `Exactly what was shown at step ${p.step}.`), h("pre", {}, p.text), p.left_out.length ? h("p.dim", {}, "Left out: " + p.left_out.map(([id, why]) => `${id} (${why})`).join(", ")) : null] : h("p.empty", {}, ledger.hidden ? "The ledger is hidden in this run (ablation): the Reasoner sees tool memory only." : "The Reasoner has not been asked yet."));
    const memory = () => later(`run/${V.state.run}/memory`, (list) => list.length ? list.map((m) => h("details", {}, h("summary", {}, `${m.step} ${m.op} `, h("span.dim", {}, V.cut(m.error || m.output, 14))), h("pre", {}, JSON.stringify(m.arguments)), h("pre", {}, m.error || m.output))) : h("p.empty", {}, "No tool output yet."));

    const mark = () => body.querySelectorAll("tr[data-entry]").forEach((node) => node.classList.toggle("sel", V.belongs(node.item)));
    V.on("select", mark);
    V.on("run", () => { seen = new Map(); rows = new Map(); onlyCited = false; });
    return {
      update: (value) => {
        if (value && value.run !== run) { run = value.run; seen = new Map(); rows = new Map(); }
        ledger = value;
        V.tell("standing", value?.hypotheses || []);
        if (view === "What the Reasoner sees" || view === "Memory") { if (!value) draw(); else if (body.dataset.at !== String(value.step)) { body.dataset.at = value.step; draw(); } return; }
        draw();
      },
    };
  };
})();
