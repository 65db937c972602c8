/* Choosing what to ask: samples, preset questions, pasted multiple-choice questions split into fields. */
(() => {
  const V = window.VESTA, { h } = V;
  const press = (key) => document.querySelectorAll("#samples button").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.key === key)));
  V.on("video", (facts) => {
    press("sample:" + facts.sample);
    const sample = (V.samples || []).find((s) => s.key === "sample:" + facts.sample);
    V.show("presets", sample ? { sample } : { own: true });
  });
  V.panels.samples = (root) => ({
    update: (list) => {
      const samples = list || [];
      V.samples = samples;
      V.fill(root, samples.map((s, i) => h("button.sample", { type: "button", "aria-pressed": String(i === 0), title: s.topic, data: { key: s.key }, onclick: () => {
        press(s.key);
        V.type("video-path", "");
        V.chooseVideo(s.key);
        V.show("presets", { sample: s });
        const first = s.questions.find((q) => q.preset) || s.questions[0];
        if (first) V.fillQuestion(first);
      } }, s.title)));
    },
  });
  /* the player's value is what Run sends along, so it has to change with the choice */
  V.chooseVideo = (key) => { const panel = V.live.player; panel.api.props.value = { key }; V.openVideo(key); };

  V.fillQuestion = (q) => { V.type("question", q.question); V.type("choices", (q.choices || []).join("\n")); };
  V.panels.presets = (root) => ({
    update: (value) => {
      const sample = value?.sample, all = sample?.questions || [];
      const presets = all.filter((q) => q.preset).length ? all.filter((q) => q.preset) : ["focused", "recall", "contrastive"].map((p) => all.find((q) => q.policy === p)).filter(Boolean);
      root.hidden = !presets.length;
      V.fill(root, presets.map((q) => h("button.preset", { type: "button", title: q.question, onclick: () => V.fillQuestion(q) }, h("span.pi", { class: q.policy }, q.policy), h("span.q", {}, q.question))));
    },
  });

  /* A pasted multiple-choice question becomes a question and its choices; both stay editable. Python does the reading. */
  document.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text") || "";
    if (!event.target.closest?.("#question") || text.trim().split("\n").length < 3) return;
    event.preventDefault();
    V.live.presets.api.trigger("pasted", { text });
  });
})();
