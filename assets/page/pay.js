/* When does exploring pay? The paper's two axes (share of the video that the evidence takes × length of the video) with the
   compared runs as points, and what each agent spent per second of evidence. The picture comes drawn, as SVG: its text is
   text, and it is taken in as XML, never as markup of this page. */
(() => {
  const V = window.VESTA, { h } = V;
  const COLUMNS = [["answer", (r) => r.answer || "none"], ["own evidence", (r) => (r.share === null ? "none cited" : (100 * r.share).toFixed(1) + " %")], ["frames", (r) => r.frames], ["of them in the evidence", (r) => r.inside], ["input tokens", (r) => (r.counted ? "" : "≈ ") + r.tokens.toLocaleString("en")], ["frames / s of evidence", (r) => r.frames_per_s.toFixed(1)], ["tokens / s of evidence", (r) => Math.round(r.tokens_per_s).toLocaleString("en")], ["money", (r) => (r.cost_usd === null ? "unknown" : r.cost_usd === 0 ? "free" : V.money(r.cost_usd))]];

  V.pay = (letters, id = "pay", from = "pay?runs=" + Object.keys(letters).join(",")) => {
    const body = h("div.pay"), place = h("section.card", { id }, h("div.panel-top", {}, h("h2", {}, "When does it pay?")), body);
    V.get(from).then((p) => V.fill(body, ...draw(p, letters)), (error) => V.fill(body, h("p.pad.dim", {}, error.message)));
    return place;
  };
  const drawn = (svg) => document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
  function draw(p, letters) {
    const name = (r) => `${letters[r.run]} ${r.agent}`, cheapest = p.rows.find((r) => r.run === p.cheapest), others = p.rows.filter((r) => r.times !== null && r !== cheapest).map((r) => `${name(r)} ${r.times} ×`);
    return [h("div.pay-top", {}, h("div.plane", {}, drawn(p.picture)), h("div.pay-said", {},
      h("p", {}, `This video lasts ${V.clock(p.duration, false)} (${p.length}). The evidence takes ${p.evidence_s.toFixed(1)} s, ${(100 * p.share).toFixed(1)} % of it (${p.concentration}): `, p.evidence.length ? [V.cut(p.evidence.map(([s, e]) => V.span(s, e)).join(", "), 6), p.cited ? ` (the shortest cited for ${V.cut(p.agreed, 6)})` : ""] : "none is cited", "."),
      cheapest ? h("p", {}, h("b", {}, name(cheapest)), ` reached ${p.agreed}${p.known ? ", the right answer," : " (what most say: a case can hold the right answer)"} with the fewest tokens`, others.length ? `; ${others.join(", ")}` : "", ".") : null,
      h("p.dim", {}, `Dashed: this video's length and the share its evidence takes. A dot is a run at the share of what it cites itself; a ring answered something other than ${p.agreed || "the rest"}.`),
      h("p.dim", {}, "Beside the bands: how far the paper's SAVE was ahead of native reading with the same tokens (Gemini 3 Flash; lengths on Minerva, shares on the synthetic set)."))),
      h("div.scroll", {}, h("table.costs", {}, h("thead", {}, h("tr", {}, h("th"), p.rows.map((r) => h("th", {}, h("b.letter-of", {}, letters[r.run]), " ", r.agent)))), h("tbody", {}, COLUMNS.map(([title, of]) => h("tr", {}, h("td", {}, title), p.rows.map((r) => h("td", {}, of(r)))))))),
      p.rows.some((r) => !r.counted) ? h("p.pad.dim", {}, "≈ is estimated from the frames that were looked at.") : null];
  }
})();
