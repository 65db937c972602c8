/* What the feed says while it has no step: how to begin, what the colours mean, or why there is none. */
(() => {
  const V = window.VESTA, { h } = V;
  const NO_STEP = { indexing: "The video is indexed first; then every step the agent takes appears here.", stopped: "Stopped before the first step.", failed: "Failed before the first step; the line at the top says why.", lost: "Interrupted before the first step.", done: "Answered without a step." };
  const POLICIES = [["focused", "the best matches"], ["recall", "spread over the whole video"], ["contrastive", "some for every possible answer"]];
  const STATES = [["unverified", "proposed, nobody looked yet"], ["verified", "seen or heard there"], ["rejected", "not there"], ["inconclusive", "looked, still open"]];

  /* → { empty: the node to show, hint: says anew why there is no step } */
  V.firstSteps = () => {
    const why = h("p", { hidden: true });
    const recorded = h("button.second", { type: "button", hidden: !V.recorded, onclick: () => V.watchRecorded() }, "▶ Watch a recorded run at once");
    const begin = h("div.begin", {},
      h("ol", {}, h("li", {}, "Pick a question above, or write your own about any video."),
        h("li", {}, "Press Run: every step the agent takes appears here as it happens."),
        h("li", {}, "Click any time or any bar to see the moment it talks about.")),
      recorded,
      h("div.legend", {}, h("h3", {}, "Scenes are retrieved"), h("dl", {}, POLICIES.map(([name, text]) => h("div", {}, h("dt", {}, h("span.pi", { class: name }, name)), h("dd", {}, text)))),
        h("h3", {}, "and every one of them is"), h("dl", {}, STATES.map(([name, text]) => h("div", {}, h("dt", {}, V.state_mark(name)), h("dd", {}, text))))));
    const hint = () => {
      const phase = document.body.dataset.phase || "idle", asking = ["idle", "error"].includes(phase);
      begin.hidden = !asking;
      why.hidden = asking;
      why.textContent = V.state.pinned !== null ? "No step had been taken yet." : NO_STEP[phase] || "The first step appears here in a moment.";
    };
    V.on("recorded", (there) => { recorded.hidden = !there; });
    V.on("phase", hint);
    return { empty: h("div.empty.first", {}, why, begin), hint };
  };
})();
