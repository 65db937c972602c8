/* The user as Reasoner: while a run is held, its proposed action can be let through, changed or replaced. */
(() => {
  const V = window.VESTA, { h } = V;
  const OPERATIONS = ["inspect", "speech", "clip", "retrieve", "finalize"];

  V.proposal = (place, trigger) => {
    let shown = "";
    V.on("status", (value) => {
      const proposed = value.phase === "paused" ? value.proposed : null, key = proposed ? value.run + JSON.stringify(proposed) : "";
      if (key === shown) return;
      shown = key;
      place.hidden = !proposed;
      V.fill(place, proposed ? form(proposed, "by_hand", trigger) : null);
    });
    /* a fork: the same form, filled with what step n did; the child takes over everything before it */
    V.fork = (n = V.state.selection?.step) => {
      const card = V.values.steps?.cards.find((c) => c.n === n);
      if (!card) return V.say("Choose a step first, then fork from it.");
      place.hidden = false;
      shown = "fork";
      V.fill(place, form({ step: n, operation: card.op, arguments: { intervals: card.at, query: card.ask } }, "fork", trigger, () => { place.hidden = true; shown = ""; }));
      place.querySelector("select").focus();
    };
    V.on("run", () => { place.hidden = true; shown = ""; });
  };

  function form(proposed, event, trigger, close) {
    const args = proposed.arguments || {}, spans = args.intervals || (args.interval ? [args.interval] : []);
    const operation = h("select", { "aria-label": "Operation" }, OPERATIONS.map((o) => h("option", { value: o, selected: o === proposed.operation }, o)));
    const times = h("input", { type: "text", "aria-label": "Intervals in seconds, from-to, separated by commas", value: spans.map(([s, e]) => `${s}-${e}`).join(", "), placeholder: "from-to in seconds" });
    const words = h("input", { type: "text", "aria-label": "What to look for, or the answer", value: args.query || args.question || args.focus || args.answer || "", placeholder: "words, or the answer" });
    const trouble = h("p.bad", { hidden: true });
    const say = (text) => { trouble.hidden = false; trouble.textContent = text; };
    function use() {
      const found = times.value.split(",").map((part) => part.trim()).filter(Boolean).map((part) => part.split(/[-–]/).map(Number));
      const chosen = operation.value, text = words.value.trim();
      if (found.some((pair) => pair.length !== 2 || pair.some((n) => !Number.isFinite(n)) || pair[1] <= pair[0])) return say("Write intervals as from-to in seconds, for example 61.5-72.");
      if (["inspect", "speech", "clip"].includes(chosen) && !found.length) return say("This operation needs an interval, for example 61.5-72.");
      if (["clip", "retrieve", "finalize"].includes(chosen) && !text) return say("This operation needs words.");
      const made = { inspect: () => ({ intervals: found, focus: text }), speech: () => ({ intervals: found, focus: text }), clip: () => ({ interval: found[0], question: text }), retrieve: () => ({ query: text, interval: found[0] || null }), finalize: () => ({ answer: text, evidence: [], confidence: 1, why: "decided by hand" }) }[chosen]();
      trigger(event, { step: proposed.step, operation: chosen, arguments: made, thought: "chosen by hand" });
      V.say(event === "fork" ? "Forked: the new run takes over from here." : "Taken in place of the proposed action.");
      close?.();
    }
    return [
      event === "fork"
        ? h("p", {}, h("b", {}, `Fork at step ${proposed.step}: `), h("span.dim", {}, "a new run keeps everything before it and does this instead; this run stays as it is."), h("button.mini", { type: "button", onclick: close }, "cancel"))
        : h("p", {}, h("b", {}, "Proposed: "), `${proposed.operation} `, spans.slice(0, 3).map(([s, e]) => [V.time(s, e, { step: proposed.step }), " "]), h("span.dim", {}, "— let it through with Step or Continue, or choose another:")),
      h("div.hand", {}, operation, times, words, h("button", { type: "button", onclick: use }, event === "fork" ? "Fork" : "Use this")), trouble];
  }
})();
