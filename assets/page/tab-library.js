/* Library: the videos of this data folder, the runs on each, and the scenes of its index as a strip. */
(() => {
  const V = window.VESTA, { h } = V;
  V.panels.library = (root) => {
    V.addTab("library", "Library");
    const list = h("div.videos");
    V.append(root, [h("div.page-top", {}, h("h2", {}, "Videos"), h("span.dim", {}, "Known by content: the same video under another name is indexed once.")), list]);
    async function draw() {
      const [videos, runs] = await Promise.all([V.get("videos").catch(() => []), V.get("runs").catch(() => [])]);
      V.fill(list, videos.length ? videos.map((v) => item(v, runs.filter((r) => r.sha256 === v.key))) : h("p.empty", {}, "No video yet: open one on the Live tab."));
    }
    function item(video, runs) {
      const strip = h("div.strip");
      const open = h("button.mini", { type: "button", "aria-expanded": "false", disabled: !runs.length, title: runs.length ? "The scenes of its index" : "Not indexed yet: ask a question about it", onclick: () => scenes(video, runs[0], strip, open) }, "scenes");
      return h("article.card.video", { data: { video: video.key } }, h("div.run-main", {}, h("b", {}, video.name), h("p.dim.mono", {}, video.key.slice(0, 16) + " · " + V.plural(runs.length, "run"))),
        h("div.row", {}, open, h("button.mini", { type: "button", onclick: () => { V.chooseVideo(video.key); V.goTab("live"); } }, "ask about it")), strip);
    }
    async function scenes(video, run, strip, button) {
      const on = button.getAttribute("aria-expanded") !== "true";
      button.setAttribute("aria-expanded", String(on));
      if (!on) return V.fill(strip);
      const found = await V.get(`run/${run.id}/scenes`).catch(() => []);
      V.fill(strip, found.slice(0, 400).map((s) => h("figure.scene", { title: s.speech || s.text }, s.frames[0] ? h("img", { src: V.url(`video/${video.key}/scene/${encodeURIComponent(s.frames[0])}`), alt: "", loading: "lazy" }) : null, h("figcaption", {}, h("span.mono", {}, V.span(s.s, s.e)), s.text ? h("q", {}, V.cut(s.text, 10)) : null, h("span.dim", {}, V.cut(s.speech, 14))))));
    }
    V.on("tab", (name) => name === "library" && draw());
  };
})();
