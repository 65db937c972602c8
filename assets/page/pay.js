/* When does exploring pay? Length of the video × share of it that the evidence takes, with the compared runs as points,
   and what each agent spent per second of evidence. */
(() => {
  const V = window.VESTA, { h } = V;
  const COLUMNS = [["answer", (r) => r.answer || "none"], ["own evidence", (r) => (r.share === null ? "none cited" : (100 * r.share).toFixed(1) + " %")], ["frames", (r) => r.frames], ["of them in the evidence", (r) => r.inside], ["input tokens", (r) => (r.counted ? "" : "≈ ") + r.tokens.toLocaleString("en")], ["frames / s of evidence", (r) => r.frames_per_s.toFixed(1)], ["tokens / s of evidence", (r) => Math.round(r.tokens_per_s).toLocaleString("en")], ["money", (r) => (r.cost_usd === null ? "unknown" : r.cost_usd === 0 ? "free" : V.money(r.cost_usd))]];
  const level = (names, name) => Math.max(0, names.indexOf(name));
  const shareLevel = (share) => [0.01, 0.05, 0.15].filter((upto) => share > upto).length;

  V.pay = (letters) => {
    const body = h("div.pay"), place = h("section.card", { id: "pay" }, h("div.panel-top", {}, h("h2", {}, "When does it pay?")), body);
    V.get("pay?runs=" + Object.keys(letters).join(",")).then((p) => V.fill(body, ...draw(p, letters)), (error) => V.fill(body, h("p.pad.dim", {}, error.message)));
    return place;
  };
  function draw(p, letters) {
    const y = level(p.lengths, p.length);
    const cell = (row, column) => {
      const here = row === y ? p.rows.filter((r) => r.share !== null && shareLevel(r.share) === column) : [];
      return h("td", { class: row === y && column === level(p.shares, p.concentration) ? "here" : "" }, here.map((r) => h("b.letter-of", { title: `${r.agent}: ${r.answer}` }, letters[r.run])));
    };
    const plot = h("table.plot", {}, h("caption", {}, "share of the video that the evidence takes →"), h("thead", {}, h("tr", {}, h("td"), p.shares.map((s) => h("th", { scope: "col" }, s)))),
      h("tbody", {}, [...p.lengths.keys()].reverse().map((row) => h("tr", {}, h("th", { scope: "row" }, p.lengths[row]), [...p.shares.keys()].map((column) => cell(row, column))))));
    const others = Object.entries(p.times).filter(([name]) => name !== p.cheapest).map(([name, times]) => `${name} ${times} ×`);
    return [h("div.pay-top", {}, plot, h("div.pay-said", {},
      h("p", {}, `This video lasts ${V.clock(p.duration, false)} (${p.length}). The evidence takes ${p.evidence_s.toFixed(1)} s, ${(100 * p.share).toFixed(1)} % of it (${p.concentration}): `, p.evidence.length ? V.cut(p.evidence.map(([s, e]) => V.span(s, e)).join(", "), 6) : "none is cited", "."),
      p.cheapest ? h("p", {}, h("b", {}, p.cheapest), ` reached ${p.agreed} with the fewest tokens`, others.length ? `; ${others.join(", ")}` : "", ".") : null,
      h("p.dim", {}, "The paper found that exploring gains most over dense reading in long videos whose evidence is a small share of them, and little where it is spread out."))),
      h("div.scroll", {}, h("table.costs", {}, h("thead", {}, h("tr", {}, h("th"), p.rows.map((r) => h("th", {}, h("b.letter-of", {}, letters[r.run]), " ", r.agent)))), h("tbody", {}, COLUMNS.map(([title, of]) => h("tr", {}, h("td", {}, title), p.rows.map((r) => h("td", {}, of(r)))))))),
      p.rows.some((r) => !r.counted) ? h("p.pad.dim", {}, "≈ is estimated from the frames that were looked at.") : null];
  }
})();
