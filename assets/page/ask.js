/* Choosing what to ask: samples, preset questions, pasted multiple-choice questions split into fields. */
(() => {
  const V = window.VESTA, { h } = V;
  const press = (key) => document.querySelectorAll("#samples button").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.key === key)));
  /* the video of a run that is not here is no sample, also for a panel that comes later with the page's own first sample */
  let away = false;
  V.on("video", (facts) => {
    away = false;
    press("sample:" + facts.sample);
    const sample = (V.samples || []).find((s) => s.key === "sample:" + facts.sample);
    V.show("presets", sample ? { sample } : { own: true });
    /* a question that was filled in for another video goes with it; one the reader wrote stays */
    if (!["sample:" + facts.sample, facts.key].includes(filled.of) && untouched()) V.fillQuestion(sample ? opening(sample) : {}, facts.key);
  });
  V.on("gone", () => { away = true; press(""); V.show("presets", { own: true }); });
  let filled = { text: ["", ""], of: "" };
  const opening = (sample) => sample.questions.find((q) => q.preset) || sample.questions[0] || {};
  const texts = (q) => [q.question || "", (q.choices || []).join("\n")];
  const written = () => ["question", "choices"].map((id) => document.querySelector(`#${id} textarea`)?.value || "");
  const untouched = () => { const now = written(); return !now.join("").trim() || now.every((text, i) => text === filled.text[i]); };
  V.fillQuestion = (q, of = V.videoKey()) => {
    const text = texts(q);
    if (written().every((now, i) => now === text[i])) return; /* a run of what the reader wrote: it stays the reader's */
    filled = { text, of };
    V.type("question", filled.text[0]); V.type("choices", filled.text[1]);
  };
  V.panels.samples = (root) => ({
    update: (list) => {
      const samples = list || [];
      V.samples = samples;
      if (samples.length) filled = { text: texts(opening(samples[0])), of: samples[0].key }; /* the page comes with it */
      V.fill(root, samples.map((s, i) => h("button.sample", { type: "button", "aria-pressed": String(i === 0 && !away), title: s.topic, data: { key: s.key }, onclick: () => {
        away = false;
        press(s.key);
        V.type("video-path", "");
        V.chooseVideo(s.key);
        V.show("presets", { sample: s });
        if (untouched()) V.fillQuestion(opening(s), s.key);
      } }, s.title)));
    },
  });
  /* gradio hears of it too: it would pass on nothing if its next value for the player were the one it knows */
  V.chooseVideo = (key) => { const panel = V.live.player; panel.api.props.value = { key }; V.openVideo(key); };

  V.panels.presets = (root) => ({
    update: (value) => {
      const sample = away ? null : value?.sample, all = sample?.questions || [];
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
