/* Stepping into a run: M_t, E_t, L_t as they were at a step; the compact view under another μ or size budget; what
   retrieval would return; one operation again; a fork with something changed. */
(() => {
  const V = window.VESTA, { h } = V;
  const FLAGS = ["counting", "ordering", "state_change", "numeric", "speech", "cross_modal"];
  const VIEWS = ["What the Reasoner saw", "Memory", "Entries", "Retrieval", "Run again", "Fork"];

  V.inside = (place, run, step) => {
    let data = null, view = VIEWS[0], card = null;
    const body = h("div.inside-body"), label = h("b");
    const slider = h("input", { type: "range", min: 1, step: 1, "aria-label": "Step", oninput: () => load(+slider.value) });
    const tabs = h("div.tabs", { role: "tablist" }, VIEWS.map((name) => h("button", { type: "button", role: "tab", onclick: () => { view = name; draw(); } }, name)));
    const emphasis = h("select", { "aria-label": "Emphasis of μ", onchange: () => load(step) }, ["local", "coverage", "hypotheses", "none"].map((o) => h("option", { value: o }, o === "none" ? "no μ" : o)));
    const flags = FLAGS.map((f) => h("label.flag", {}, h("input", { type: "checkbox", value: f, onchange: () => load(step) }), f.replace("_", " ")));
    const chars = h("input", { type: "number", min: 200, step: 200, "aria-label": "Size budget in characters", onchange: () => load(step) });
    const own = h("button.mini", { type: "button", onclick: () => { fresh = true; load(step); } }, "as recorded");
    let fresh = true;
    V.fill(place, h("div.panel-top", {}, h("h2", {}, "Step inside"), h("button.mini", { type: "button", onclick: () => load(step - 1) }, "‹"), slider, h("button.mini", { type: "button", onclick: () => load(step + 1) }, "›"), label, h("span.sp"), h("button.mini", { type: "button", onclick: () => { V.openRun(run, () => V.pin(step)); } }, "whole page as then"), h("button.mini", { type: "button", "aria-label": "Close", onclick: () => { place.hidden = true; } }, "close")), tabs, body);
    place.classList.add("card");

    async function load(next) {
      step = Math.max(1, Math.min(data?.steps || next, next));
      const query = new URLSearchParams();
      if (!fresh) { query.set("view", emphasis.value); query.set("chars", chars.value || data.chars); const on = flags.map((f) => f.firstChild).filter((f) => f.checked).map((f) => f.value); if (on.length && emphasis.value !== "none") query.set("flags", on.join(",")); }
      const wanted = step;
      try {
        const [found, full] = await Promise.all([V.get(`run/${run}/inside/${step}?${query}`), V.get(`run/${run}/step/${step}`)]);
        if (wanted !== step) return;
        data = found; card = full;
      } catch (error) { return V.fill(body, h("p.bad", {}, error.message)); }
      if (fresh) { emphasis.value = data.emphasis; chars.value = data.chars; flags.forEach((f) => { f.firstChild.checked = data.flags.includes(f.firstChild.value); }); fresh = false; }
      slider.max = data.steps; slider.value = step;
      label.textContent = `${step} of ${data.steps}${card ? ": " + card.op : ""}`;
      draw();
    }
    function draw() {
      if (!data) return;
      tabs.querySelectorAll("[role=tab]").forEach((t) => t.setAttribute("aria-selected", String(t.textContent === view)));
      const newer = data.unknown.length ? h("details.newer", {}, h("summary", {}, `Made by a newer version: ${V.plural(data.unknown.length, "event")} not known here, shown raw`), data.unknown.map((u) => h("pre", { tabindex: 0 }, `line ${u.line + 1}, schema ${u.schema}: ${u.kind}\n${JSON.stringify(u.raw, null, 1)}`))) : null;
      V.fill(body, newer, { "What the Reasoner saw": shown, Memory: memory, Entries: entries, Retrieval: retrieval, "Run again": again, Fork: fork }[view]());
    }
    function shown() {
      const d = data.difference;
      return [h("div.what-if", {}, h("span.label", {}, "L under μ ="), emphasis, emphasis.value === "none" ? null : flags, h("span.label", {}, "at most"), chars, h("span.label", {}, "characters"), own),
        data.hidden ? h("p.dim", {}, "The Reasoner saw no ledger at this step; this is what it would have seen.") : null,
        d && (d.lines.length || d.shown.length || d.hidden.length) ? h("p", {}, h("b", {}, "Against what was shown: "), !d.shown.length && !d.hidden.length ? "the same entries, told otherwise. " : "", d.shown.length ? `now shown ${d.shown.join(", ")}. ` : "", d.hidden.length ? `now left out ${d.hidden.join(", ")}. ` : "", d.sufficient[0] !== d.sufficient[1] ? h("b", { class: d.sufficient[1] ? "ok" : "bad" }, d.sufficient[1] ? "The evidence would suffice." : "The evidence would not suffice.") : "") : h("p.dim", {}, "As it was shown at this step."),
        h("div.side", {}, h("div", {}, h("pre", { tabindex: 0, "aria-label": "What the Reasoner is shown" }, data.shown.text)), d && d.lines.length ? h("div", {}, h("pre.diff", { tabindex: 0, "aria-label": "Difference" }, d.lines.slice(2).map((line) => h("span", { class: line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : line.startsWith("@@") ? "at" : "" }, line + "\n")))) : null),
        data.shown.left_out.length ? h("p.dim", {}, "Left out: " + data.shown.left_out.map(([id, why]) => `${id} (${why})`).join(", ")) : null];
    }
    const memory = () => (data.memory.length ? data.memory.map((m) => h("details", { open: m.step === step - 1 }, h("summary", {}, `${m.step} ${m.op} `, h("span.dim", {}, V.cut(m.output, 16))), h("pre", { tabindex: 0 }, JSON.stringify(m.arguments)), h("pre", { tabindex: 0 }, m.output))) : h("p.empty", {}, "Nothing yet: this is the first decision."));
    const entries = () => (data.entries.length ? h("ul.rel", {}, data.entries.map((e) => h("li", {}, h("span.tag", {}, e.id), h("span.t", {}, V.span(e.s, e.e)), h("span.dim", {}, `${e.op}, step ${e.step}`), h("span", {}, e.what), data.shown.entries.includes(e.id) ? null : h("span.chip", {}, "not shown")))) : h("p.empty", {}, "The ledger is empty at this step."));
    function retrieval() {
      const query = h("input", { type: "text", placeholder: "another query (empty: the question)", "aria-label": "Query", onkeydown: (e) => e.key === "Enter" && go() }), result = h("div", {}, h("p.dim", {}, "Searching …"));
      async function go() {
        try {
          const found = await V.get(`run/${run}/retrievals?query=${encodeURIComponent(query.value)}`);
          if (found.unavailable) return V.fill(result, h("p.empty", {}, found.unavailable));
          V.fill(result, h("div.side.three", {}, found.policies.map((p) => h("div", {}, h("p", {}, h("span.pi", { class: p.policy }, p.policy), p.note ? h("span.dim", {}, " " + p.note) : ""), h("ol.found", {}, p.references.map((r) => h("li", {}, h("span.t", {}, V.span(r.s, r.e)), h("span.dim.mono", {}, r.score.toFixed(2)), r.h.length ? h("span.chip", {}, r.h.join(" ")) : null, r.note === "backfilled" ? h("span.chip", {}, r.note) : null, r.had ? null : h("span.chip.warn", {}, "not in this run"))))))));
        } catch (error) { V.fill(result, h("p.bad", {}, error.message)); }
      }
      go();
      return [h("div.what-if", {}, query, h("button.mini", { type: "button", onclick: go }, "search")), result];
    }
    function again() {
      const args = h("textarea", { rows: 4, "aria-label": "Arguments as JSON", spellcheck: "false" });
      args.value = JSON.stringify(card?.arguments || {}, null, 1);
      const result = h("div"), go = h("button.mini", { type: "button", onclick: act }, "run this operation alone");
      async function act() {
        let parsed;
        try { parsed = JSON.parse(args.value); } catch { return V.fill(result, h("p.bad", {}, "The arguments are not JSON.")); }
        go.disabled = true;
        V.fill(result, h("p.dim", {}, "Working …"));
        try {
          const { rerun } = await V.studyAsk("rerun", { run, step, operation: card.op, arguments: parsed });
          V.fill(result, h("p", {}, rerun.output === rerun.recorded ? h("b.ok", {}, "The same as recorded.") : h("b", {}, "Another result than recorded:")), h("div.side", {}, h("div", {}, h("div.label", {}, "now"), h("pre", { tabindex: 0 }, rerun.output)), h("div", {}, h("div.label", {}, "recorded"), h("pre", { tabindex: 0 }, rerun.recorded || "(nothing)"))));
        } catch (error) { V.fill(result, h("p.bad", {}, error.message)); }
        go.disabled = false;
      }
      return !card || card.op === "finalize" ? h("p.empty", {}, "This step is the answer: there is no operation to run again.") : [h("p", {}, h("b", {}, card.op), h("span.dim", {}, " in the state before this step. The run stays as it is.")), args, h("p", {}, go), result];
    }
    function fork() {
      const select = (title, options) => h("select", { "aria-label": title }, h("option", { value: "" }, title), options.map((o) => h("option", { value: o }, o)));
      const policy = select("π as it was", ["focused", "recall", "contrastive"]), mu = select("μ as it was", ["local", "coverage", "hypotheses"]);
      const question = h("input", { type: "text", placeholder: "another question (empty: as it was)", "aria-label": "Question" }), reasoner = h("input", { type: "text", placeholder: "another reasoner, e.g. openai:gpt-4.1", "aria-label": "Reasoner" });
      const budget = h("input", { type: "number", min: 1, placeholder: "steps", "aria-label": "Budget of steps" }), last = data.memory.at(-1);
      const seen = h("textarea", { rows: 3, "aria-label": "What the step before returned", placeholder: "what the step before returned (empty: as it was)" }), result = h("p", { role: "status" });
      const mine = h("input", { type: "checkbox" });
      const go = h("button.go", { type: "button", onclick: async () => {
        go.disabled = true;
        try { const made = await V.studyAsk("fork_edit", { run, step, paused: mine.checked, policy: policy.value, view: mu.value, question: question.value, reasoner: reasoner.value, max_steps: budget.value, observation: seen.value }); V.openRun(made.forked); V.say("Forked: the new run takes over from here."); } catch (error) { V.fill(result, h("span.bad", {}, error.message)); }
        go.disabled = false;
      } }, `Fork at step ${step}`);
      return [h("p.dim", {}, `A new run keeps everything before step ${step} and goes on with what you change; this run stays as it is. To choose the operation itself, open the step on the Live tab and press f.`), h("div.what-if", {}, policy, mu, question, reasoner, budget), last ? [seen, h("p", {}, h("button.link", { type: "button", onclick: () => { seen.value = last.output; } }, "start from what it returned"))] : null, h("div.row", {}, go, h("label.flag", { title: "The new run waits at every decision: let it through, or choose the operation yourself" }, mine, "pause it: I decide"), result)];
    }
    load(step);
  };
})();
