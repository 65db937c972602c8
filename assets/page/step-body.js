/* An opened step card: Summary, Frames, Prompt, Raw, Failure. Prompts and raw replies are fetched when first looked at. */
(() => {
  const V = window.VESTA, { h } = V;
  const tabOf = new Map();

  V.frame = (frame, about = {}) => h("button.frame", { type: "button", data: { t: +frame.t.toFixed(3) }, title: `Frame at ${V.clock(frame.t)}`, onclick: (e) => { e.stopPropagation(); V.select({ ...about, s: frame.t, e: frame.t + 0.04 }); V.seek(frame.t); } },
    h("img", { src: V.frameUrl(frame.sha), alt: `Frame at ${V.clock(frame.t)}`, loading: "lazy" }), h("span.mono", {}, V.clock(frame.t)));
  V.verdict = (o) => (o.verdict === true ? h("span.mark.ok", {}, "✓ found") : o.verdict === false ? h("span.mark.no", {}, "✕ not here") : h("span.mark.open", {}, "? cannot tell"));
  V.stances = (list) => list.map((s) => h("span.stance", { class: s.supports ? "for" : "against", title: `${s.supports ? "supports" : "speaks against"} ${s.label}, weight ${s.weight}` }, (s.supports ? "+" : "−") + s.label));

  V.stepBody = (data) => {
    const names = ["Summary", ...(data.frames ? ["Frames"] : []), "Prompt", "Raw", ...(data.failures.length || data.error ? ["Failure"] : [])];
    const key = `${V.state.run}/${data.n}`, body = h("div.tab-body");
    const tabs = h("div.tabs", {}, h("div.tabs", { role: "tablist", "aria-label": `Step ${data.n}` }, names.map((name) => h("button", { type: "button", role: "tab", "aria-selected": "false", onclick: (e) => { e.stopPropagation(); show(name); } }, name))),
      h("span.sp"), h("button.link", { type: "button", onclick: (e) => { e.stopPropagation(); V.copyLink(data.n); } }, "copy link"),
      h("button.link", { type: "button", title: "Show the whole page as it was after this step", onclick: (e) => { e.stopPropagation(); V.pin(data.n); } }, "as at this step"),
      h("button.link", { type: "button", title: "A new run from here with another action (f)", onclick: (e) => { e.stopPropagation(); V.fork(data.n); } }, "fork here"));
    function show(name) {
      tabOf.set(key, name);
      tabs.querySelectorAll("[role=tab]").forEach((tab) => tab.setAttribute("aria-selected", String(tab.textContent === name)));
      if (name === "Summary") return V.fill(body, summary(data));
      if (name === "Failure") return V.fill(body, failure(data));
      V.fill(body, h("p.dim", {}, "Loading …"));
      V.get(`run/${V.state.run}/step/${data.n}`).then((full) => V.fill(body, { Frames: allFrames, Prompt: prompt, Raw: raw }[name](full)), (error) => V.fill(body, h("p.bad", {}, error.message)));
    }
    show(names.includes(tabOf.get(key)) ? tabOf.get(key) : "Summary");
    return h("div.step-body", {}, tabs, body);
  };
  V.stepTab = (name) => { /* used by the keyboard: open that tab of the selected step */
    const n = V.state.selection?.step;
    if (!n) return;
    tabOf.set(`${V.state.run}/${n}`, name);
    document.querySelectorAll(`#steps [data-step="${n}"] [role=tab]`).forEach((tab) => tab.textContent === name && tab.click());
  };

  const summary = (data) => [
    data.thought ? h("p.thought", {}, data.thought) : null,
    data.ask ? h("p", {}, h("span.label", {}, "asked"), data.ask) : null,
    data.replaced ? h("p.dim", {}, `Chosen by hand instead of “${data.replaced}”.`) : null,
    data.error ? h("p.bad", {}, data.error) : null,
    data.observations.length ? h("ul.obs", {}, data.observations.map((o) => h("li", {}, V.time(o.s, o.e, { step: data.n }), h("span.mod", { class: o.modality }, o.modality === "speech" ? "heard" : "seen"), h("span", {}, o.content), o.text && !o.content.includes(o.text) ? h("q", {}, o.text) : null, V.verdict(o), V.stances(o.stances), o.confidence !== null ? h("span.dim", {}, o.confidence.toFixed(2)) : null))) : data.result && !data.error ? h("p", {}, data.result) : null,
    data.thumbs.length ? h("div.frames", {}, data.thumbs.map((f) => V.frame(f, { step: data.n }))) : null,
    data.gaps.length ? h("p.dim", {}, h("span.label", {}, "open before this step"), data.gaps.join(" · ")) : null,
    data.entries.length ? h("p.dim", {}, h("span.label", {}, "entries"), data.entries.map((id) => h("button.tag", { type: "button", onclick: () => V.select({ entry: id, step: data.n }) }, id))) : null,
    data.warnings.length ? h("ul.warnings", {}, data.warnings.map((w) => h("li", {}, w))) : null,
  ];
  const allFrames = (full) => {
    const spans = full.at.map(([s, e]) => `${V.span(s, e)}: ${V.plural(full.all_frames.filter((f) => f.t >= s && f.t < e).length, "frame")}, ${rate(full.all_frames.filter((f) => f.t >= s && f.t < e).length, e - s)}`);
    return [h("p.dim", {}, `The very ${V.plural(full.all_frames.length, "frame")} that were looked at. ${spans.join(" · ")}`), h("div.frames.all", {}, full.all_frames.map((f) => V.frame(f, { step: full.n })))];
  };
  const rate = (n, span) => (n > 1 && span > 0 ? (n / span >= 1 ? `${(n / span).toFixed(1)} a second` : `one in ${(span / n).toFixed(1)} s`) : "one moment");
  const prompt = (full) => {
    const calls = full.call_list.filter((c) => c.messages.length);
    return [
      full.ledger_text ? h("details", { open: !calls.length }, h("summary", {}, "The ledger the Reasoner saw"), h("pre", {}, full.ledger_text)) : null,
      calls.length ? calls.map((c) => h("details", { open: true }, h("summary", {}, `${c.role} — ${c.model}`), c.messages.map((m) => [h("div.label", {}, m.role + (m.frames.length ? `, ${V.plural(m.frames.length, "frame")}` : "")), h("pre", {}, m.text), m.frames.length ? h("div.frames", {}, m.frames.slice(0, 60).map((f) => V.frame(f))) : null]))) : h("p.dim", {}, "No model was called for this step: the embedded engine decides by rules from the ledger above."),
    ];
  };
  const said = (c) => c.messages.filter((m) => m.role === "assistant").map((m) => m.text); /* only a repair shows a model its own reply */
  const raw = (full) => [
    h("details", { open: true }, h("summary", {}, "Decision"), h("pre", {}, JSON.stringify(full.action_raw, null, 1))),
    full.output ? h("details", { open: true }, h("summary", {}, "Output, as kept in tool memory"), h("pre", {}, full.output)) : null,
    full.call_list.map((c) => h("details", {}, h("summary", {}, `Reply of ${c.model} (${c.role}) — ${V.seconds(c.seconds)}, ${V.tokens(c.usage.tokens)}, ${V.money(c.usage.usd)}${c.finish ? ", ended: " + c.finish : ""}${c.request ? ", request " + c.request : ""}`), c.failure_text ? h("p.bad", {}, c.failure_text) : null, said(c).map((text) => [h("div.label", {}, "first reply, which could not be used"), h("pre", {}, text)]), said(c).length ? h("div.label", {}, c.failure ? "reply to the repair, no better" : "repaired reply") : null, h("pre", {}, c.reply || "(empty)"), c.parsed ? [h("div.label", {}, "read as"), h("pre", {}, JSON.stringify(c.parsed, null, 1))] : null, c.attempts.length ? [h("div.label", {}, "earlier tries"), h("pre", {}, c.attempts.join("\n"))] : null, c.notices.length ? [h("div.label", {}, "what was done to the request"), h("pre", {}, c.notices.join("\n"))] : null)),
  ];
  const failure = (data) => [
    data.failures.map((f) => h("p.bad", {}, h("b", {}, f.replaceAll("_", " ")))), data.error ? h("p", {}, data.error) : null,
    h("p.dim", {}, "The Reasoner was told and went on; the next step shows what it did."),
  ];
})();
