/* Replay: every recorded run of this data folder; open one, or play it step by step. */
(() => {
  const V = window.VESTA, { h } = V;
  V.panels.replay = (root) => {
    V.addTab("replay", "Replay");
    let all = [], words = "";
    const list = h("div.runs", { role: "list" });
    const search = h("input.search", { type: "search", placeholder: "search", "aria-label": "Search the runs", oninput: () => { words = search.value.toLowerCase(); draw(); } });
    V.append(root, [h("div.page-top", {}, h("h2", {}, "Recorded runs"), h("span.dim", {}, "Replaying asks no model and needs no network."), h("span.sp"), search), list]);
    function draw() {
      const shown = all.filter((r) => !words || Object.values(r).join(" ").toLowerCase().includes(words));
      V.fill(list, shown.length ? shown.map(row) : h("p.empty", {}, all.length ? "No run matches." : "No run yet: ask a question on the Live tab."));
    }
    const row = (r) => h("article.run.card", { role: "listitem", data: { run: r.id } },
      h("div.run-main", {}, h("b", {}, r.question), h("p.dim", {}, `${r.video} · ${r.agent} · ${when(r.id)}`), r.answer ? h("p", {}, r.answer) : null),
      h("span.chip", { class: { answered: "", running: "" }[r.outcome] ?? "warn" }, r.outcome),
      h("div.row", {}, h("button.mini", { type: "button", onclick: () => V.openRun(r.id) }, "open"),
        r.outcome === "interrupted" ? h("button.mini", { type: "button", onclick: () => V.resumeRun(r.id) }, "continue") : h("button.mini", { type: "button", onclick: () => { V.openRun(r.id); V.once("status", () => V.replay()); } }, "▶ replay")));
    const when = (id) => `${id.slice(0, 4)}-${id.slice(4, 6)}-${id.slice(6, 8)} ${id.slice(9, 11)}:${id.slice(11, 13)}`;
    V.on("tab", async (name) => {
      if (name !== "replay") return;
      all = await V.get("runs").catch(() => []);
      draw();
    });
  };
})();
