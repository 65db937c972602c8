/* Compare: two to four runs on one time axis, their steps aligned, where they part, answers, ledgers and costs. Or every
   agent on the question of the Live tab: the board fills as they go. */
(() => {
  const V = window.VESTA, { h } = V;
  const LANES = [["retrieved", "retrieved"], ["looked", "inspected clip other"], ["heard", "speech"], ["answer", "answer"]];
  const KINDS = { same: "same", moved: "moved", differs: "not in all", only: "only here" };
  const COSTS = [["iterations", "iterations"], ["remote requests", "remote_requests"], ["failed requests", "failed_requests"], ["input tokens", "input_tokens"], ["output tokens", "output_tokens"], ["retrieve calls (SSR)", "retrieve_calls"], ["inspect calls (TVI)", "inspect_calls"], ["clip calls (QCCA)", "clip_calls"], ["speech calls", "speech_calls"], ["other queries", "other_calls"], ["frames", "frames"], ["retrieval seconds", (c) => c.retrieve_s.toFixed(2)], ["money", (c) => (c.cost_usd === 0 ? "free" : V.money(c.cost_usd))], ["seconds", (c) => c.seconds.toFixed(1)]];

  V.panels.compare = (root, api) => {
    V.addTab("compare", "Compare");
    const asker = V.asker(api);
    let ids = (V.asked.get("cmp") || "").split(",").filter(Boolean), timer = 0, shown = "", agents = [];
    const title = h("span.dim"), trouble = h("p.bad", { role: "alert", hidden: true }), body = h("div.compare");
    const checks = h("span.row"), repeat = h("select", { "aria-label": "Repeat each" }, [1, 2, 3, 5].map((n) => h("option", { value: n }, n === 1 ? "once" : `${n} times`)));
    const go = h("button.mini.main", { type: "button", onclick: start }, "Run them");
    V.append(root, [h("div.page-top", {}, h("h2", {}, "Compare"), title), h("div.card.board", {}, h("b", {}, "On the question of the Live tab: "), checks, repeat, go), trouble, body]);

    async function start() {
      const text = (id) => document.querySelector(`#${id} textarea`)?.value || "", names = [...checks.querySelectorAll("input:checked")].map((c) => c.value);
      trouble.hidden = true;
      go.disabled = true;
      try {
        const made = await asker.ask("board", { agents: names, repeat: +repeat.value, question: text("question"), choices: text("choices").split("\n").filter((l) => l.trim()), key: V.live.player?.api.props.value?.key || "", settings: V.live.settings?.api.props.value || {} });
        V.compareRuns(made.started);
      } catch (error) { trouble.hidden = false; trouble.textContent = error.message; }
      go.disabled = false;
    }
    const match = (run, button) => { button.disabled = true; asker.ask("match", { run }).then((made) => V.compareRuns([...ids, ...made.started]), (error) => { V.say(error.message); button.disabled = false; }); };
    V.compareRuns = (list) => { ids = list; shown = ""; V.fill(body, h("p.dim", {}, "Loading …")); document.body.dataset.tab === "compare" ? load() : V.goTab("compare"); };
    V.compare = () => (V.state.run ? (ids.includes(V.state.run) || ids.length >= 4 ? V.goTab("compare") : V.compareRuns([...ids, V.state.run])) : V.goTab("compare"));

    async function load() {
      clearTimeout(timer);
      const url = new URL(location.href);
      ids.length ? url.searchParams.set("cmp", ids.join(",")) : url.searchParams.delete("cmp");
      if (url.href !== location.href) history.replaceState(history.state, "", url);
      if (!ids.length) return V.fill(body, h("p.empty", {}, "Tick two to four runs on the Replay tab, or let several agents answer the question of the Live tab."));
      const wanted = ids.join(",");
      try {
        const data = await V.get("compare?runs=" + wanted);
        if (wanted !== ids.join(",")) return;
        const text = JSON.stringify(data);
        if (text !== shown) { shown = text; draw(data); }
        if (data.live && document.body.dataset.tab === "compare") timer = setTimeout(load, 1000);
      } catch (error) { V.fill(body, h("p.bad", {}, error.message)); }
    }
    const go_to = (run, step, s) => { V.openRun(run, () => setTimeout(async () => { await V.goStep(step); if (Number.isFinite(s)) V.seek(s); })); };
    const stamp = (run, step, s, e) => h("button.t", { type: "button", title: "Open this run at " + V.clock(s), onclick: (event) => { event.stopPropagation(); go_to(run, step, s); } }, V.span(s, e));
    const name = (run, n) => [h("b.letter-of", {}, "ABCDEFGHIJKL"[n]), " ", run.agent || "…"];

    function draw(data) {
      const letters = Object.fromEntries(data.runs.map((r, n) => [r.id, "ABCDEFGHIJKL"[n]]));
      title.textContent = data.question;
      const used = LANES.filter(([, kinds]) => data.runs.some((r) => r.items.some((i) => kinds.split(" ").includes(i.lane))));
      V.fill(body, h("section.card.lanes-of", {}, data.runs.map((r, n) => lane(r, n, data, used)), axis(data.duration)),
        data.runs.length > 4 ? h("p.dim", {}, "Take runs out until two to four are left to see their steps aligned.") : null,
        data.rows ? steps(data, letters) : null, data.rows ? ledgers(data, letters) : null, costs(data, letters), !data.live && data.runs.some((r) => data.costs[r.id]) ? V.pay(letters) : null, data.spread ? spread(data.spread) : null);
    }
    function lane(run, n, data, used) {
      const at = (t) => (100 * t) / (data.duration || 1) + "%", wide = (s, e) => Math.max(0.35, (100 * (e - s)) / (data.duration || 1)) + "%";
      const bars = (kinds) => run.items.filter((i) => kinds.split(" ").includes(i.lane)).map((i) => h("button.bar", { type: "button", class: `l-${i.lane} s-${i.state}`, style: { left: at(i.s), width: wide(i.s, i.e) }, title: i.label, "aria-label": i.label, data: { step: i.step, run: run.id }, onclick: () => mark(run.id, i.step), ondblclick: () => go_to(run.id, i.step, i.s) }));
      return h("div.lane-run", { data: { run: run.id } }, h("div.lane-head", {}, h("span", {}, name(run, n)), h("span.dim", {}, run.fork || run.reasoner), h("span.chip", { class: { answered: "", running: "", waiting: "" }[run.outcome] ?? "warn" }, run.outcome), run.outcome === "running" ? h("span.busy") : null, h("span.said", {}, run.answer ? h("b", {}, run.answer === run.said ? V.cut(run.said, 8) : `${run.answer} ${V.cut(run.said, 8)}`) : h("span.dim", {}, run.outcome === "waiting" ? "waits for its turn" : V.plural(run.steps, "step"))), run.outcome === "running" || run.outcome === "waiting" ? h("button.mini", { type: "button", title: "Stop and keep what was found", onclick: () => asker.ask("stop", { run: run.id }).catch((e) => V.say(e.message)) }, "stop") : null, run.matchable ? h("button.mini", { type: "button", title: "Let native answer the same question with the input tokens of this run", onclick: (e) => match(run.id, e.currentTarget) }, "match native") : null, h("button.mini", { type: "button", disabled: run.outcome === "waiting", onclick: () => V.openRun(run.id) }, "open"), h("button.mini", { type: "button", "aria-label": "Take out of the comparison", title: "Take out", onclick: () => { ids = ids.filter((id) => id !== run.id); shown = ""; load(); } }, "×")),
        h("div.lane-rows", {}, used.map(([title, kinds]) => h("div.lane-row", {}, h("span.lane-name", {}, title), h("div.track", {}, bars(kinds)))),
          h("div.lane-row", {}, h("span.lane-name", {}, "coverage"), h("div.track.seen-track", {}, (run.coverage?.seen || []).map(([s, e]) => h("i", { style: { left: at(s), width: wide(s, e) } })), (run.coverage?.heard || []).map(([s, e]) => h("i.heard", { style: { left: at(s), width: wide(s, e) } }))))));
    }
    const axis = (duration) => h("div.axis", { "aria-hidden": "true" }, [0, 0.2, 0.4, 0.6, 0.8, 1].map((x) => h("span", { style: { left: 100 * x + "%" } }, V.clock(duration * x, false))));
    function mark(run, step) {
      body.querySelectorAll(".sel").forEach((node) => node.classList.remove("sel"));
      const cell = body.querySelector(`td[data-run="${run}"][data-step="${step}"]`), row = cell?.closest("tr");
      if (!row) return;
      row.classList.add("sel");
      row.querySelectorAll("td[data-step]").forEach((td) => body.querySelectorAll(`.bar[data-run="${td.dataset.run}"][data-step="${td.dataset.step}"]`).forEach((bar) => bar.classList.add("sel")));
      row.scrollIntoView({ block: "nearest" });
    }
    function steps(data, letters) {
      const first = data.divergence, rows = data.rows.map((row, n) => h("tr", { class: `k-${row.kind}`, data: { row: n } }, h("td", {}, h("span.kind", {}, row.kind === "only" ? `only ${letters[data.columns[row.steps.findIndex(Boolean)]]}` : KINDS[row.kind])),
        row.steps.map((cell, i) => (cell ? h("td", { data: { run: data.columns[i], step: cell.n }, onclick: () => mark(data.columns[i], cell.n) }, h("div.row", {}, h("b.mono", {}, cell.n), h("span", {}, cell.op), cell.at.slice(0, 2).map(([s, e]) => stamp(data.columns[i], cell.n, s, e)), cell.at.length > 2 ? h("span.dim", {}, `+${cell.at.length - 2}`) : null), h("p", { class: cell.error ? "bad" : "dim" }, V.cut(cell.error || cell.result, 22))) : h("td.none", {}, "–")))));
      const jump = h("button.mini.strong", { type: "button", disabled: first === null, onclick: () => { const row = body.querySelector(`tr[data-row="${first}"]`); body.querySelectorAll("tr.sel").forEach((n) => n.classList.remove("sel")); row.classList.add("sel"); row.scrollIntoView({ block: "center", behavior: V.quiet() ? "auto" : "smooth" }); } }, first === null ? "same all the way" : "first divergence ↓");
      return h("section.card", {}, h("div.panel-top", {}, h("h2", {}, "Steps, aligned"), h("span.dim", {}, ["same", "moved", "differs", "only"].map((kind) => `${data.rows.filter((r) => r.kind === kind).length} ${KINDS[kind]}`).join(" · ")), h("span.sp"), jump),
        h("div.scroll", {}, h("table.aligned", {}, h("thead", {}, h("tr", {}, h("th"), data.columns.map((id) => h("th", {}, h("b.letter-of", {}, letters[id]), " ", data.runs.find((r) => r.id === id).agent)))), h("tbody", {}, rows))));
    }
    function ledgers(data, letters) {
      const none = data.only.every((list) => !list.length);
      return h("section.card", {}, h("div.panel-top", {}, h("h2", {}, "Answers and evidence"), data.live ? h("span.chip", {}, "still going") : h("span.chip", { class: data.agree ? "" : "warn" }, data.agree ? "the answers agree" : "the answers differ")),
        h("ul.rel.pad", {}, data.columns.map((id) => { const run = data.runs.find((r) => r.id === id); return h("li", {}, h("b.letter-of", {}, letters[id]), h("b", {}, run.answer || "no answer"), run.said && run.said !== run.answer ? h("span", {}, run.said) : null, run.confidence !== null ? h("span.dim", {}, `confidence ${run.confidence.toFixed(2)}`) : null); })),
        h("p.pad.dim", {}, none ? "Every place one ledger holds is covered by another." : "Held by one ledger only, at places no other covers:"),
        none ? null : h("ul.rel.pad", {}, data.only.flatMap((list, i) => list.slice(0, 12).map((e) => h("li", {}, h("b.letter-of", {}, letters[data.columns[i]]), h("span.tag", {}, e.id), stamp(data.columns[i], undefined, e.s, e.e), h("span", {}, V.cut(e.what, 24)))))));
    }
    function costs(data, letters) {
      const runs = data.runs.filter((r) => data.costs[r.id]);
      if (!runs.length) return null;
      const cell = (c, of) => (typeof of === "string" ? c[of] ?? "unknown" : of(c));
      return h("section.card", {}, h("div.panel-top", {}, h("h2", {}, "Cost")), h("div.scroll", {}, h("table.costs", {}, h("thead", {}, h("tr", {}, h("th"), runs.map((r) => h("th", {}, h("b.letter-of", {}, letters[r.id]), " ", r.agent)))), h("tbody", {}, h("tr", {}, h("td", {}, "answer"), runs.map((r) => h("td", {}, r.answer || "…"))), COSTS.map(([title, of]) => h("tr", {}, h("td", {}, title), runs.map((r) => h("td", {}, cell(data.costs[r.id], of)))))))));
    }
    const spread = (s) => h("section.card", {}, h("div.panel-top", {}, h("h2", {}, "Variance"), h("span.dim", {}, `${s.runs} runs of one agent on one question`)),
      h("ul.rel.pad", {}, h("li", {}, "Answers: ", s.answers.map(([answer, n]) => h("span.chip", {}, h("i", {}, answer), ` ${n} of ${s.runs}`))), h("li", {}, `Steps ${s.steps_mean.toFixed(1)} ± ${s.steps_sd.toFixed(1)}, seconds ${s.seconds_mean.toFixed(1)} ± ${s.seconds_sd.toFixed(1)}, ${s.usd_mean === 0 ? "free" : V.money(s.usd_mean) + " a run"}`), h("li", {}, `Places looked at overlap by ${V.percent(s.places_iou)}, cited evidence by ${V.percent(s.evidence_iou)} (mean over pairs)`)));
    V.on("tab", (tab) => (tab === "compare" ? load() : clearTimeout(timer)));
    return {
      update: (value) => {
        asker.take(value);
        if (value?.agents && !agents.length) { agents = value.agents; V.fill(checks, agents.map((a) => h("label.flag", {}, h("input", { type: "checkbox", value: a, checked: true }), a))); }
      },
    };
  };
})();
