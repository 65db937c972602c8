/* The route card: π, μ, prior against model, why; the policy's own retrieval as thumbnails. */
(() => {
  const V = window.VESTA, { h } = V;
  const WORDS = { localized: "one place", repeated: "repeated events", ordering: "order", comparison: "comparison", cross_modal: "speech with picture", hypotheses: "competing answers" };
  const FLAGS = { counting: "counting", ordering: "order", state_change: "state change", numeric: "numbers", speech: "speech", cross_modal: "speech with picture" };
  V.POLICY = { focused: "Focused: the best matches for the question", recall: "Recall: matches spread over the whole video", contrastive: "Contrastive: matches for every possible answer" };

  V.panels.route = (root) => {
    root.classList.add("card");
    let shown = null;
    V.on("scenes", () => shown && draw(shown)); /* the pictures of the scenes have come */
    return { update: draw };
    function draw(route) {
      shown = route;
      root.dataset.policy = route?.policy || "";
      const off = route?.mechanisms;
      if (route && !route.policy) return V.fill(root,
        h("div.route-top", {}, h("span.chip.warn", {}, off.name)), h("p.why", {}, off.text), route.retrieved.length ? strip(route) : null);
      if (!route) return V.fill(root, h("p.empty", {}, "Route — which evidence the question needs: one place, many places, or a comparison of answers."));
      const chips = [h("span.chip", {}, route.emphasis), route.flags.map((f) => h("span.chip", {}, FLAGS[f] || f))];
      const words = (demands) => demands.map((d) => WORDS[d] || d).join(", ");
      const views = (flags) => flags?.length ? `; views: ${flags.map((f) => FLAGS[f] || f).join(", ")}` : "";
      const model = route.model
        ? `Model: ${words(route.model.demands)}${views(route.model.flags)}, confidence ${route.model.confidence.toFixed(2)}. ${route.model.why}`
        : route.model_note ? `Model: ${route.model_note}.` : "";
      const cues = "Prior: " + (route.cues.map((c) => `“${c.words}” → ${WORDS[c.demand] || c.demand}`).join(", ") || "no cue in the words") + views(route.prior_flags) + ".";
      V.fill(root,
        h("div.route-top", {}, h(`span.pi.${route.policy}`, { title: V.POLICY[route.policy] }, route.policy), chips,
          off ? h("span.chip.warn", { title: off.text }, off.name) : null,
          route.overridden.length ? h("span.chip.warn", {}, "by hand: " + route.overridden.join(", ")) : null),
        h("p.why", {}, route.why, off ? " " + off.text : ""),
        h("p.why.dim", {}, cues, " ", model, " ", h("b", {}, `Merged: ${words(route.demands)}.`)),
        route.retrieved.length ? strip(route) : null,
        route.sets?.pool ? sets(route) : null);
    }
  };

  /* Algorithm 2 in the open: how large the pool was, what dispersion left out, what was filled back in. */
  function sets(route) {
    const { pool, dropped, backfilled } = route.sets;
    const said = `${pool} scenes in the pool · ${backfilled} filled back in · ${dropped} left out`;
    if (!dropped) return h("p.why.dim", {}, said);
    return h("details.why.dim", {}, h("summary", {}, said), route.dropped.map((one, n) => [n ? " " : "", V.time(one.s, one.e)]));
  }

  function strip(route) {
    const scenes = V.scenes || [];
    return h("div.strip", { role: "group", "aria-label": "Retrieved scenes" }, route.retrieved.map((ref) => {
      const scene = scenes.find((one) => one.id === ref.scene);
      const name = scene?.frames?.[Math.floor((scene.frames.length - 1) / 2)];
      return h("button.thumb", { type: "button", class: "st-" + ref.status, data: { t: ref.s, e: ref.e, ref: ref.id }, title: `${ref.id}: ${V.span(ref.s, ref.e)}, score ${ref.score.toFixed(2)}, ${ref.status}${ref.h.length ? ", asked for by " + ref.h.join(" ") : ""}${ref.note ? ", " + ref.note : ""}`,
        onclick: (event) => { V.select({ s: ref.s, e: ref.e, ref: ref.id }); event.shiftKey ? V.loop(ref.s, ref.e) : V.seek(ref.s); } },
        ref.sha || name ? h("img", { src: ref.sha ? V.frameUrl(ref.sha) : V.sceneUrl(name), alt: "", loading: "lazy" }) : h("span.noimg"),
        h("span.mono", {}, V.clock(ref.s, false)), ref.h.length ? h("b", {}, ref.h.join("")) : null);
    }));
  }
})();
