/* Cases: a question with its gold answer and interval, the runs on it, notes and labels. Saved beside the runs, never in them. */
(() => {
  const V = window.VESTA, { h } = V;
  const SIGN = { right: ["✓", "ok"], partly: ["◐", "open"], wrong: ["✕", "no"], "": ["?", "open"] };

  V.panels.cases = (root, api) => {
    V.addTab("cases", "Cases");
    const asker = V.asker(api);
    let open = V.asked.get("case") || "", timer = 0, about = null;
    const words = h("input", { type: "search", placeholder: "search question, answers, notes, video", "aria-label": "Search the cases", oninput: () => { clearTimeout(timer); timer = setTimeout(load, 200); } });
    const label = h("select", { "aria-label": "Label", onchange: () => load() }, h("option", { value: "" }, "any label"));
    const list = h("div.case-list"), detail = h("div.case-detail");
    V.append(root, [h("div.page-top", {}, h("h2", {}, "Cases"), h("span.dim", {}, "A question, its gold answer, its runs and what you think of them.")), h("div.filters-row", {}, words, label), h("div.cases", {}, list, detail)]);
    const tell = async (event, data) => { try { return await asker.ask(event, data); } catch (error) { V.say(error.message); return null; } };

    async function load() {
      const query = new URLSearchParams({ words: words.value, label: label.value });
      const found = await V.get("cases?" + query).catch(() => ({ cases: [], labels: [] }));
      if (label.options.length === 1) V.append(label, [found.labels.map((l) => h("option", { value: l }, l))]);
      if (!found.cases.some((c) => c.id === open)) open = found.cases[0]?.id || "";
      V.fill(list, found.cases.length ? found.cases.map((c) => h("button.case.card", { type: "button", "aria-current": String(c.id === open), data: { case: c.id }, onclick: () => { open = c.id; load(); } }, h("b", {}, c.question), h("span.dim", {}, `${c.video} · ${V.plural(c.runs, "run")} · ${V.plural(c.notes, "note")}`), h("span.row", {}, c.gold ? h("span.chip", {}, "gold ", h("i", {}, c.gold)) : null, c.labels.map((l) => h("span.chip.warn", {}, l))))) : h("p.empty", {}, words.value || label.value ? "No case matches." : "No case yet: tick runs on the Replay tab and keep them as a case."));
      const url = new URL(location.href);
      open ? url.searchParams.set("case", open) : url.searchParams.delete("case");
      if (url.href !== location.href) history.replaceState(history.state, "", url);
      if (open) show(await V.get("case/" + open).catch(() => null)); else V.fill(detail);
    }
    async function change(data) { if (await tell("edit", { case: open, ...data })) { load(); marks(); } }
    /* notes on steps show on the steps themselves */
    async function marks() {
      const run = V.state.run, found = run ? await V.get("cases?run=" + run).catch(() => ({ marks: [] })) : { marks: [] };
      if (run !== V.state.run) return;
      V.marks = {};
      for (const mark of found.marks) if (mark.step) (V.marks[mark.step] ||= []).push(mark);
      V.tell("marks", found.marks);
    }
    V.on("run", marks);

    function show(c) {
      if (!c) return V.fill(detail, h("p.bad", {}, "This case cannot be read."));
      const text = (spans) => spans.map(([s, e]) => `${+s.toFixed(2)}-${+e.toFixed(2)}`).join(", ");
      const gold = c.choices.length ? h("select", { "aria-label": "Gold answer" }, h("option", { value: "" }, "not known"), c.choices.map((x) => h("option", { value: x.label, selected: x.label === c.gold }, `${x.label}. ${x.text}`))) : h("input", { type: "text", "aria-label": "Gold answer", value: c.gold, placeholder: "gold answer" });
      const spans = h("input", { type: "text", "aria-label": "Gold intervals in seconds", value: text(c.gold_intervals), placeholder: "where the evidence is, e.g. 61.5-72" });
      const saving = h("button.mini.strong", { type: "button", onclick: () => { const found = read(spans.value); found ? change({ gold: gold.value, intervals: found }) : V.say("Write intervals as from-to in seconds, for example 61.5-72."); } }, "save gold");
      V.fill(detail, h("section.card", {},
        h("div.panel-top", {}, h("h2", {}, c.question), h("span.sp"), V.exports("case/" + c.id), h("button.mini", { type: "button", onclick: (e) => remove(e.currentTarget) }, "delete")),
        c.choices.length ? h("p.pad", {}, c.choices.map((x) => h("span.choice", { class: x.label === c.gold ? "gold" : "" }, h("b", {}, x.label), " ", x.text, x.label === c.gold ? " ✓" : ""))) : null,
        h("div.what-if.pad", {}, h("span.label", {}, "gold"), gold, h("span.label", {}, "at"), spans, saving),
        bar(c),
        h("table.aligned", {}, h("thead", {}, h("tr", {}, ["run", "answer", "", "evidence IoU", "steps", ""].map((t) => h("th", {}, t)))), h("tbody", {}, c.judged.map((j) => h("tr", { data: { run: j.run_id } }, h("td", {}, j.agent || "–", h("p.dim", {}, V.when(j.run_id))), h("td", {}, j.answer), h("td", {}, verdict(c, j)), h("td.mono", {}, c.gold_intervals.length && j.outcome !== "gone" ? j.iou.toFixed(2) : "–"), h("td.mono", {}, j.steps || "–"), h("td", {}, j.outcome === "gone" ? h("span.dim", {}, "deleted") : h("button.mini", { type: "button", onclick: () => V.openRun(j.run_id) }, "open")))))),
        c.judged.filter((j) => j.outcome !== "gone").length > 1 ? h("p.pad", {}, h("button.mini.strong", { type: "button", onclick: () => V.compareRuns(c.judged.filter((j) => j.outcome !== "gone").map((j) => j.run_id).slice(0, 4)) }, "compare these runs")) : null),
        notes(c));
    }
    /* by the gold answer where words can be compared, else by the user; the user's word stands above */
    function verdict(c, j) {
      if (j.outcome === "gone") return "–";
      const own = h("select", { "aria-label": "Your verdict", title: "Your own verdict stands above the comparison with the gold answer", onchange: () => change({ run: j.run_id, verdict: own.value }) }, [["", j.by_hand ? "compare" : "judge …"], ["right", "right"], ["partly", "partly"], ["wrong", "wrong"]].map(([value, text]) => h("option", { value, selected: j.by_hand && value === j.verdict }, text)));
      const said = j.verdict || (c.gold ? "in other words: judge it" : "no gold answer");
      return h("div.row", {}, h("span.mark", { class: SIGN[j.verdict][1] }, `${SIGN[j.verdict][0]} ${said}${j.by_hand ? ", yours" : ""}`), own);
    }
    function bar(c) {
      if (!c.gold_intervals.length) return null;
      const at = (s, e) => ({ left: (100 * s) / c.duration + "%", width: Math.max(0.4, (100 * (e - s)) / c.duration) + "%" });
      return h("div.gold-bar.pad", { title: "Where the evidence is" }, h("div.track", {}, c.gold_intervals.map(([s, e]) => h("i.gold", { style: at(s, e) }))), h("p.dim", {}, "evidence at ", c.gold_intervals.map(([s, e]) => [h("span.t", {}, V.span(s, e)), " "])));
    }
    function notes(c) {
      const words = h("textarea", { rows: 2, placeholder: "what you saw", "aria-label": "Note" }), tag = h("select", { "aria-label": "Label" }, h("option", { value: "" }, "no label"), [...label.options].slice(1).map((o) => h("option", { value: o.value }, o.value)));
      const run = h("select", { "aria-label": "About" }, h("option", { value: "" }, "the whole case"), c.judged.map((j, n) => h("option", { value: j.run_id, selected: c.judged.length === 1 }, `run ${n + 1}: ${j.agent}`)));
      if (about) { run.value = about.run; setTimeout(() => words.focus()); }
      const step = h("input", { type: "number", min: 1, placeholder: "step", "aria-label": "Step", value: about?.step || null }), where = h("input", { type: "text", placeholder: "interval, e.g. 61.5-72", "aria-label": "Interval in seconds" });
      const add = () => { const found = read(where.value), at = found?.[0] || null; if (!found || found.length > 1) return V.say("Write one interval as from-to in seconds, for example 61.5-72."); change({ note: { text: words.value, label: tag.value, run: run.value, step: step.value, at } }); };
      about = null;
      const whose = (n) => { const k = c.judged.findIndex((j) => j.run_id === n.run_id); return [n.run_id ? `run ${k + 1}` : "case", n.step ? `step ${n.step}` : null].filter(Boolean).join(", "); };
      return h("section.card", {}, h("div.panel-top", {}, h("h2", {}, "Notes")),
        c.written.length ? h("ul.rel.pad", {}, c.written.map((n, i) => h("li", {}, n.run_id ? h("button.link", { type: "button", onclick: () => { V.openRun(n.run_id, () => n.step && setTimeout(() => V.goStep(n.step))); } }, whose(n)) : h("span.dim", {}, whose(n)), n.at ? h("span.t", {}, V.span(...n.at)) : null, n.label ? h("span.chip.warn", {}, n.label) : null, h("span", {}, n.text), h("button.mini", { type: "button", "aria-label": "Remove this note", onclick: () => change({ drop_note: i }) }, "×")))) : h("p.pad.dim", {}, "Nothing noted yet."),
        h("div.what-if.pad", {}, run, step, where, tag), h("div.pad", {}, words, h("p", {}, h("button.mini.strong", { type: "button", onclick: add }, "add note"))));
    }
    const read = (text) => { const found = text.split(",").map((p) => p.trim()).filter(Boolean).map((p) => p.split(/[-–]/).map(Number)); return found.every((p) => p.length === 2 && p.every(Number.isFinite) && p[1] > p[0]) ? found : null; };
    async function remove(button) {
      if (button.textContent !== "really?") { button.textContent = "really?"; setTimeout(() => { button.textContent = "delete"; }, 3000); return; }
      if (await tell("remove", { case: open })) { open = ""; load(); }
    }
    V.keepCase = async (ids) => { const made = await tell("keep", { runs: ids }); if (made) { open = made.saved; V.goTab("cases"); V.say("Kept as a case."); } };
    /* a note from the Live tab: on the case this run belongs to, or on a new one */
    V.noteStep = async (run, step) => {
      if (!run) return V.say("Open a run first, then note something on it.");
      const known = (await V.get("cases?run=" + run).catch(() => ({ cases: [] }))).cases[0];
      if (!known) { const made = await tell("keep", { runs: [run] }); if (!made) return; open = made.saved; } else open = known.id;
      about = { run, step };
      V.goTab("cases");
    };
    V.on("tab", (tab) => tab === "cases" && load());
    return { update: asker.take };
  };
})();
