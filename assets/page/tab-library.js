/* Library: the videos of this data folder; their indexes to look into: scenes, what was heard and read, scores of a query,
   failed scenes to redo, bundles to take along. */
(() => {
  const V = window.VESTA, { h } = V;
  const MOST = 400;
  V.panels.library = (root, api) => {
    V.addTab("library", "Library");
    const asker = V.asker(api), list = h("div.videos"), trouble = h("p.bad", { role: "alert", hidden: true }), bringing = h("div", { hidden: true });
    const opened = new Map(); /* index id → its open inspector, kept while the list is drawn again */
    V.append(root, [h("div.page-top", {}, h("h2", {}, "Videos"), h("span.dim", {}, "Known by content: the same video under another name is indexed once.")), trouble, bringing, list]);
    async function draw() {
      const runs = V.get("runs").catch(() => []); /* thousands take seconds when they are read for the first time */
      const videos = await V.get("library").catch((error) => { say(error.message); return []; });
      V.fill(list, videos.length ? videos.map((v) => item(v, runs)) : h("p.empty", {}, "No video yet: open one on the Live tab."));
    }
    const say = (text) => { trouble.hidden = !text; trouble.textContent = text; };
    /* A piece of work that goes on: its phase, how far it is, and a way to end it. */
    const jobs = new Map();
    function work(job) {
      const text = h("span", { role: "status" }, "starting …"), bar = h("progress", { max: 1, "aria-label": "Progress" });
      jobs.set(job, (now) => { bar.value = now.total ? now.done / now.total : 0; text.textContent = `${now.phase} ${Math.round(now.done)} of ${Math.round(now.total)} ${now.unit}${now.eta ? `, ${Math.ceil(now.eta)} s left` : ""}`; });
      return h("span.row.job", {}, bar, text, h("button.mini", { type: "button", onclick: () => api.trigger("cancel", { job }) }, "cancel"));
    }
    const still = (video, name) => h("img", { src: V.url(`video/${video.key}/scene/${encodeURIComponent(name)}`), alt: "", loading: "lazy" });

    function item(video, runs) {
      const known = [video.duration && V.clock(video.duration, false), video.width && `${video.width} × ${video.height}`, video.codec, video.here ? "" : "the file is not here"].filter(Boolean);
      const count = h("span"); runs.then((all) => { count.textContent = `${known.length ? " · " : ""}${V.plural(all.filter((r) => r.sha256 === video.key).length, "run")}`; });
      return h("article.card.video", { data: { video: video.key } }, h("div.still", {}, video.still ? still(video, video.still) : null),
        h("div.run-main", {}, h("b", {}, video.name), h("p.dim", {}, known.join(" · "), count), h("p.dim.mono", { title: "Content hash" }, video.key.slice(0, 16)),
          video.indexes.length ? null : h("p.dim", {}, "Not indexed yet: it is when a question is asked about it.")),
        h("div.row", {}, h("button.mini", { type: "button", disabled: !video.here, onclick: () => { V.chooseVideo(video.key); V.goTab("live"); } }, "ask about it")),
        video.indexes.map((index) => indexRow(video, index)));
    }
    function indexRow(video, index) {
      const place = opened.get(index.id) || h("div.inspector", { hidden: true });
      const open = h("button.mini", { type: "button", "aria-expanded": String(!place.hidden), onclick: () => { place.hidden = !place.hidden; open.setAttribute("aria-expanded", String(!place.hidden)); if (!place.hidden) { opened.set(index.id, place); inspect(video, index, place); } else opened.delete(index.id); } }, "scenes");
      return h("div.index-row", { data: { index: index.id } }, h("div.row", {}, h("span.chip", {}, h("i", {}, "indexed")), h("span", {}, V.plural(index.scenes, "scene")), index.failed ? h("span.chip.bad", {}, `${index.failed} failed`) : null, h("span.dim", {}, `encoder ${index.encoder}, speech ${index.speech || "off"}`), h("span.sp"), open,
        h("a.mini", { href: V.url(`index/${index.id}/export`), download: "", title: "The index as one file: scenes, frames, speech and vectors" }, "export")), place);
    }

    /* A button in the place of the scenes from `from` on; it becomes the next of them. */
    function further(rows, from, scene) {
      const upto = Math.min(rows.length, from + MOST);
      return h("button.mini", { type: "button", onclick: (e) => e.currentTarget.replaceWith(...rows.slice(from, upto).map(scene), ...(upto < rows.length ? [further(rows, upto, scene)] : [])) }, `scenes ${from + 1}–${upto} of ${rows.length}`);
    }
    async function inspect(video, index, place, query = "") {
      const field = h("input", { type: "search", placeholder: "try a query: every scene gets its score", "aria-label": "Query for the scenes of this index", value: query, onkeydown: (e) => e.key === "Enter" && inspect(video, index, place, field.value) });
      const found = await V.get(`index/${index.id}/scenes?query=${encodeURIComponent(query)}`).catch((error) => ({ error: error.message }));
      if (found.error) return V.fill(place, h("p.bad", {}, found.error));
      const failed = found.rows.filter((s) => s.failed), best = Math.max(0.001, ...found.rows.map((s) => s.score ?? 0));
      const rows = query ? [...found.rows].sort((a, b) => b.score - a.score) : found.rows;
      const redo = async (ids, button) => {
        button.replaceWith(work(index.id));
        try { const made = await asker.ask("redo", { index: index.id, scenes: ids }); V.say(made.failed ? `${V.plural(made.failed, "scene")} still failed.` : "Redone: every scene is whole."); } catch (error) { V.say(error.message); }
        await inspect(video, index, place, query);
      };
      const scene = (s) => h("figure.scene", { class: s.failed ? "failed" : "", data: { scene: s.id } },
        h("div.frames-of", {}, s.frames.length ? s.frames.slice(0, 4).map((name) => still(video, name)) : h("span.noimg")),
        h("figcaption", {}, h("span.row", {}, h("b.mono", {}, V.span(s.s, s.e)), s.score !== null ? h("span.score.mono", { title: "Cosine with the query" }, s.score.toFixed(3)) : null),
          s.score !== null ? h("span.gauge", {}, h("i", { style: { width: Math.max(0, (100 * s.score) / best) + "%" } })) : null,
          s.failed ? h("span.bad", {}, s.failed, " ", h("button.link", { type: "button", onclick: (e) => redo([s.id], e.currentTarget) }, "redo")) : null,
          s.text ? h("q", { title: s.text }, V.cut(s.text, 12)) : null, s.speech ? h("span", { title: s.speech }, h("span.mod.speech", {}, "heard"), V.cut(s.speech, 14)) : null, s.facts ? h("span.dim", { title: s.facts }, V.cut(s.facts, 12)) : null));
      V.fill(place, h("div.what-if", {}, field, h("button.mini", { type: "button", onclick: () => inspect(video, index, place, field.value) }, "score"), query ? h("button.mini", { type: "button", onclick: () => inspect(video, index, place) }, "in order of time") : null,
        failed.length ? h("button.mini.bad", { type: "button", onclick: (e) => redo(failed.map((s) => s.id), e.currentTarget) }, `redo ${V.plural(failed.length, "failed scene")}`) : null),
        h("p.dim", {}, `speech: ${found.heard}`),
        found.notices.length ? h("ul.warnings", {}, found.notices.map((n) => h("li", {}, n))) : null,
        h("div.strip", { tabindex: "0", role: "group", "aria-label": `Scenes of ${video.name}` }, rows.slice(0, MOST).map(scene), rows.length > MOST ? further(rows, MOST, scene) : null));
    }
    V.on("tab", (name) => name === "library" && draw());
    return { update: (value) => {
      if (value?.job) {
        if (value.job === "import" && bringing.hidden) { bringing.hidden = false; say(""); V.fill(bringing, work("import")); }
        jobs.get(value.job)?.(value);
        return;
      }
      asker.take(value);
      if (value?.trouble || value?.imported) bringing.hidden = true;
      if (value?.trouble) say(value.trouble);
      if (value?.imported) { say(""); V.say(`Imported: ${value.name}, ${V.plural(value.scenes, "scene")}.`); opened.delete(value.imported); draw(); }
    } };
  };
})();
