/* Bench: a set of questions under several configurations, each answer a recorded run. The server keeps it: a reload and a
   second page see the same. Tables come as the Markdown that the shell prints, and are drawn from it. */
(() => {
  const V = window.VESTA, { h } = V;
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", CHECKED = ["full", "save", "native"];
  const PHASES = { scenes: "finding scenes", speech: "listening", encode: "encoding scenes", store: "storing", waiting: "waiting for another run that indexes it", probe: "opening" };
  const SAID = { "✓": "right", "✗": "wrong", "?": "in other words than the gold answer" };
  const TITLES = ["Accuracy", "What the models were asked", "What was looked at and heard", "Evidence"];

  /* a Markdown table → a table; anything else a paragraph */
  V.table = (text) => {
    if (!text.startsWith("|")) return h("p.pad.dim", {}, text);
    const [head, , ...lines] = text.trim().split("\n").map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
    return h("div.scroll", { tabindex: 0, role: "group", "aria-label": head[0] + " table" }, h("table.costs", {}, h("thead", {}, h("tr", {}, head.map((cell) => h("th", { scope: "col" }, cell)))), h("tbody", {}, lines.map((cells) => h("tr", {}, cells.map((cell, n) => (n ? h("td", {}, cell) : h("th", { scope: "row" }, cell))))))));
  };

  V.panels.bench = (root, api) => {
    V.addTab("bench", "Bench");
    const asker = V.asker(api);
    let open = V.asked.get("bench") || "", picked = !!open, known = {}, timer = 0, about = 0;
    const set = h("select", { "aria-label": "Set of questions", onchange: estimate }), checks = h("div.bench-checks"), cost = h("p.dim", { role: "status" });
    const trouble = h("p.bad", { role: "alert", hidden: true });
    const go = h("button.mini.main", { type: "button", onclick: () => begin({ set: set.value, names: names() }) }, "Run");
    const halt = h("button.mini.strong", { type: "button", hidden: true, onclick: () => tell("halt", {}) }, "Stop");
    const rest = h("button.mini.strong", { type: "button", hidden: true, title: "Runs that failed or were never begun; answers stay", onclick: () => begin({ bench: open }) }, "Run what is left");
    const list = h("select", { "aria-label": "Benches", onchange: () => { open = list.value; picked = true; load(); } });
    const state = h("span", { role: "status" }), bar = h("progress", { max: 1, value: 0, "aria-label": "Progress of the bench" });
    const copy = h("button.mini.strong", { type: "button", onclick: () => V.copy(now.markdown, "Copied as Markdown.") }, "copy as Markdown");
    const head = h("div.bench-head", { hidden: true }, list, state, bar, h("span.sp"), rest, copy);
    const grid = h("div.scroll.bench-grid", { tabindex: 0, role: "group", "aria-label": "Answers" }), tables = h("div.compare"), said = h("div.card.bench-notes", { hidden: true }), paying = h("div.compare"), one = h("div.compare");
    let now = {};
    V.append(root, [h("div.page-top", {}, h("h2", {}, "Bench"), h("span.dim", {}, "Questions with a known answer under several configurations. Every answer is a recorded run, to be opened.")),
      h("div.card.board", {}, h("label.row.bench-set", {}, h("b", {}, "Questions"), set), checks, h("div.row.bench-go", {}, go, halt, cost)), trouble, head, h("section.card", { id: "bench-answers", hidden: true }, grid), said, tables, paying, one]);

    const names = () => [...checks.querySelectorAll("input:checked")].map((c) => c.value);
    const settings = () => V.live.settings?.api.props.value || {};
    async function tell(event, data) {
      trouble.hidden = true;
      try { return await asker.ask(event, data); } catch (error) { trouble.hidden = false; trouble.textContent = error.message; return null; } finally { load(); }
    }
    async function begin(data) {
      go.disabled = rest.disabled = true;
      const made = await tell("start", { ...data, settings: settings() });
      if (made) { open = made.started; picked = false; load(); }
    }
    async function estimate() {
      const chosen = names();
      go.disabled = !chosen.length || !!known.live;
      if (!chosen.length) return void (cost.textContent = "Choose at least one configuration.");
      const found = await V.get("bench/estimate?" + new URLSearchParams({ ...Object.fromEntries(Object.entries(settings()).filter(([, value]) => value !== "")), set: set.value, names: chosen.join(",") })).catch((error) => ({ text: error.message }));
      if (chosen.join() === names().join()) cost.textContent = found.text;
    }

    const parts = new Map();
    /* draws a part again only when its data changed; a cell that has the focus keeps it */
    function part(node, data, draw) {
      const text = JSON.stringify(data), held = document.activeElement?.dataset.cell;
      if (parts.get(node) === text) return;
      parts.set(node, text);
      V.fill(node, draw(data));
      if (held) node.querySelector(`[data-cell="${held}"]`)?.focus();
    }
    async function load() {
      clearTimeout(timer);
      try {
        known = await V.get("bench");
        choices();
        if (!picked || !open) open = known.live || known.benches[0]?.id || "";
        const url = new URL(location.href);
        picked ? url.searchParams.set("bench", open) : url.searchParams.delete("bench");
        if (url.href !== location.href) history.replaceState(history.state, "", url);
        if (open) draw(await V.get("bench/" + open));
        else part(paying, known.locality, () => synthetic());
      } catch (error) { trouble.hidden = false; trouble.textContent = error.message; picked = false; }
      if (document.body.dataset.tab === "bench") timer = setTimeout(load, known.live ? 1000 : 4000);
    }
    function choices() {
      part(set, known.sets, (sets) => sets.map((s) => h("option", { value: s.key, disabled: !s.count }, `${s.title} (${s.count})`)));
      part(checks, known.configurations, (all) => [["VESTA", (c) => c.agent === "vesta"], ["Other agents", (c) => c.agent !== "vesta"]].map(([title, of]) => h("fieldset", {}, h("legend", {}, title), all.filter(of).map((c) => h("label.flag", {}, h("input", { type: "checkbox", value: c.name, checked: CHECKED.includes(c.name), onchange: estimate }), c.name)))));
      part(list, [known.benches, open], ([benches]) => benches.map((b) => h("option", { value: b.id, selected: b.id === open }, `${b.title}, ${V.when(b.id)}`)));
      if (!cost.textContent) estimate();
      go.disabled = !!known.live || !names().length;
      halt.hidden = !known.live;
    }
    const doing = (b) => (b.progress ? `Indexing the video first: ${PHASES[b.progress.phase] || b.progress.phase}${b.progress.total ? `, ${V.percent(b.progress.done / b.progress.total)}` : ""}` : b.live ? `Run ${Math.min(b.done + 1, b.total)} of ${b.total}` : `${b.done} of ${b.total} runs${b.failed ? ` (${b.failed} without an answer)` : ""}${b.trouble ? `: ${b.trouble}` : b.done < b.total ? ": interrupted" : ", done"}`);
    function draw(b) {
      now = b;
      head.hidden = grid.parentNode.hidden = false;
      if (state.textContent !== doing(b)) state.textContent = doing(b);
      bar.hidden = !b.live;
      bar.value = b.progress ? (b.progress.total ? b.progress.done / b.progress.total : 0) : b.done / b.total;
      rest.hidden = !!known.live || !b.open;
      rest.disabled = false;
      part(grid, [b.id, b.rows], () => answers(b));
      said.hidden = !b.tables.length;
      part(said, [b.notes, b.roles], () => [h("p.dim", {}, `Roles: ${b.roles}.`), b.notes.map((text) => h("p", {}, text))]);
      part(tables, b.tables, (all) => all.map((text, n) => h("section.card", {}, h("div.panel-top", {}, h("h2", {}, TITLES[n])), V.table(text))));
      part(paying, [b.paying, known.locality], () => [h("section.card", {}, h("div.panel-top", {}, h("h2", {}, "When does exploring pay?"), h("span.dim", {}, "Accuracy by the share of the video that the evidence takes; on the questions that all have answered.")), b.paying.length ? b.paying.map(V.table) : h("p.pad.dim", {}, "Shown as soon as a question with gold intervals is answered under every configuration.")), synthetic()]);
      part(one, [b.id, b.live, b.rows.map((r) => r.cells.map((c) => c?.state === "ended" && c.run)), about], () => plane(b));
    }
    const synthetic = () => h("section.card", {}, h("div.panel-top", {}, h("h2", {}, "The synthetic set"), h("span.dim", {}, "evidence whose share of the video is known exactly")), known.locality ? known.locality.trim().split("\n\n").map(V.table) : h("p.pad.dim", {}, "Not measured here yet: ", h("code", {}, "python -m vesta_ui bench locality"), " does, and its table then stands here."));
    const answers = (b) => h("table.aligned", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "question"), h("th", { scope: "col" }, "gold"), b.configurations.map((c) => h("th", { scope: "col" }, h("b", {}, c.name), c.agent === "vesta" ? h("span.dim", {}, " vesta") : null)))),
      h("tbody", {}, b.rows.map((row, r) => h("tr", {}, h("th", { scope: "row" }, row.question), h("td.gold", { title: row.means }, row.gold, row.means ? h("span.dim", {}, " " + V.cut(row.means, 5)) : null), row.cells.map((c, n) => h("td", {}, cell(c, b.configurations[n].name, `${r}-${n}`)))))));
    function cell(c, name, key) {
      if (!c) return h("span.dim", { "aria-label": "not run" }, "–");
      if (c.state === "waiting") return h("span.dim", {}, "waits");
      const open = { type: "button", data: { cell: key, run: c.run }, onclick: () => V.openRun(c.run) };
      if (c.state === "running") return h("button.cell", { ...open, "aria-label": `${name} runs, step ${c.steps}: open it` }, h("span.busy"), ` step ${c.steps}`);
      if (c.state === "failed") return h("button.cell.fail", { ...open, title: c.reason, "aria-label": `${name} failed, ${c.why}: open this run` }, h("b", {}, "! "), c.why);
      return h("button.cell", { ...open, title: c.means || c.answer, "aria-label": `${name}: ${c.answer}, ${SAID[c.mark]}, ${V.plural(c.steps, "step")}: open this run` }, h("b", { class: { "✓": "ok", "✗": "bad", "?": "dim" }[c.mark] }, c.mark), ` ${V.cut(c.answer, 6)} `, h("span.dim", {}, V.plural(c.steps, "step")));
    }
    /* the panel of the Compare tab, over the runs on one question of the bench */
    function plane(b) {
      const of = (row) => row.cells.filter((c) => c?.state === "ended").map((c, n) => [c.run, LETTERS[n]]), some = b.rows.flatMap((row, r) => (of(row).length ? [r] : []));
      if (b.live || !some.length) return null;
      const shown = some.includes(about) ? about : some[0];
      return [h("label.row.bench-set", {}, h("b", {}, "One question on the paper’s axes"), h("select", { data: { cell: "plane" }, onchange: (e) => { about = +e.target.value; draw(now); } }, some.map((r) => h("option", { value: r, selected: r === shown }, b.rows[r].question)))), V.pay(Object.fromEntries(of(b.rows[shown])), "bench-pay", `bench/${b.id}/pay/${shown}`)];
    }
    V.on("settings", () => document.body.dataset.tab === "bench" && estimate());
    V.on("tab", (tab) => (tab === "bench" ? (load(), set.value && estimate()) : clearTimeout(timer)));
    return { update: asker.take };
  };
})();
