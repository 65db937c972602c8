/* The answer: letter and text, confidence, evidence as times, what is not verified, what was degraded. */
(() => {
  const V = window.VESTA, { h } = V;
  const TITLES = { budget: "Budget spent", stopped: "Stopped", failed: "Failed", lost: "Interrupted" };

  const keeping = (run) => [h("button.link", { type: "button", title: "Keep the question with this run, to note, label and judge", onclick: () => V.keepCase([run]) }, "keep as a case"), h("button.link", { type: "button", title: "Beside other runs (c)", onclick: () => V.compare() }, "compare"), h("button.link", { type: "button", title: "Its state at every step, and what would have been", onclick: () => V.stepInside(run, V.state.selection?.step || 1) }, "step inside"), V.exports(`run/${run}`)];

  /* what was read or heard first: it tells one piece of evidence from the next */
  const why = (text) => {
    const [quote] = text.match(/“[^”]{3,}”/) || [], rest = quote ? text.replace(quote, "").trim().replace(/ reads$/, "") : "";
    return rest ? [h("q", {}, quote.slice(1, -1)), h("span.dim", {}, " " + rest)] : text;
  };

  const costs = ({ steps, usage, seconds }) => {
    const spent = [V.plural(steps, "step"), ...V.costs(usage), V.seconds(seconds)], last = spent.length - 1;
    return h("span.dim", { title: spent.join(" · ") }, spent.map((text, n) => h("span", { class: n && n < last - 1 ? "more" : "" }, (n ? " · " : "") + text)));
  };

  V.panels.answer = (root) => {
    root.classList.add("card");
    root.setAttribute("aria-live", "polite");
    let none = true, standing = [], told = "";
    V.on("standing", (list) => { standing = list; if (none) waiting(); });
    V.on("run", () => { standing = []; told = ""; });

    /* until there is an answer: how the possible ones stand */
    function waiting() {
      const text = JSON.stringify(standing);
      if (text === told) return;
      told = text;
      V.fill(root, standing.length ? [h("p.dim.ans-wait", {}, standing.some((x) => x.support || x.refutation) ? "No answer yet. How the possible ones stand:" : "No answer yet, and nothing for or against any of these:"), V.matrix(standing, true)] : h("p.empty", {}, "The answer appears here, with the times of its evidence."));
    }
    return {
      update: (answer) => {
        root.dataset.outcome = answer?.outcome || "";
        root.dataset.proof = answer?.outcome !== "answered" ? "" : answer.evidence.length && answer.evidence.every((e) => e.verified) ? "verified" : "open";
        none = !answer;
        if (none) return waiting();
        told = "";
        if (answer.outcome === "lost") return V.fill(root, h("p", {}, h("b", {}, "Interrupted. "), "The server ended before this run did; everything up to then is kept."), h("p", {}, h("button.second", { type: "button", onclick: () => V.resumeRun(answer.run) }, "Continue this run")));
        const unverified = answer.evidence.filter((e) => !e.verified).length;
        const text = answer.choice || answer.text || "No answer";
        const claim = !answer.evidence.length ? "No evidence is named: treat this as a guess." : unverified === 0 ? "The cited evidence is verified." : `${V.plural(unverified, "claim")} without verified evidence.`;
        V.fill(root,
          h("div.ans-top", {},
            answer.label ? h("span.letter", {}, answer.label) : null,
            h("div.ans-text", {},
              TITLES[answer.outcome] ? h("span.chip.warn", {}, TITLES[answer.outcome]) : null,
              h("b", {}, text), answer.choice && answer.text && answer.text !== answer.choice ? h("span", {}, " — " + answer.text) : null,
              answer.reason ? h("p.dim", {}, answer.reason) : null),
            answer.confidence !== null && answer.confidence !== undefined ? h("span.conf", { title: "Confidence of the answer" }, V.percent(answer.confidence)) : null),
          answer.label || answer.text ? h("p.claim", { class: answer.evidence.length && unverified === 0 ? "ok" : "open" }, claim) : null,
          h("div.ans-body", { tabindex: "0", role: "group", "aria-label": "Evidence of the answer" },
            answer.warnings.length ? h("ul.warnings", { "aria-label": "Limits of this answer" }, answer.warnings.map((w) => h("li", {}, w))) : null,
            answer.evidence.length ? h("ul.evidence", {}, answer.evidence.map((e) => h("li", { data: { evidence: e.entry } },
              V.time(e.s, e.e, { entry: e.entry, s: e.s, e: e.e }), h("span.tag", {}, e.entry), h("span.whytext", { title: e.why }, why(e.why)), e.verified ? h("span.mark.ok", {}, "✓", h("span.word", {}, " verified")) : h("span.mark.open", {}, "○ not verified")))) : null),
          h("div.foot", {}, costs(answer), h("span.sp"), V.keepCase ? keeping(answer.run) : null));
      },
    };
  };
})();
