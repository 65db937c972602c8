/* Doctor: what is odd about a video and what is done about it; which roles are ready; what a model provider can do. */
(() => {
  const V = window.VESTA, { h } = V;
  const SIGN = { good: "✓", weak: "!", bad: "✕" };
  V.panels.doctor = (root, api) => {
    V.addTab("doctor", "Doctor");
    const path = h("input", { type: "text", placeholder: "path of a video; empty: the one on the Live tab", "aria-label": "Path of the video to examine", spellcheck: "false" });
    const spec = h("input", { type: "text", placeholder: "a model, for example openai:gpt-4o or compatible:MODEL@URL", "aria-label": "Model to examine", spellcheck: "false" });
    const result = h("div.card.report", { hidden: true, role: "status" }), models = h("div.card.report", { hidden: true, role: "status" }), roles = h("div.card.report");
    const bar = h("progress", { max: 1, "aria-label": "Progress of the examination" }), far = h("span");
    const leave = h("button.mini", { type: "button", hidden: true, onclick: () => api.trigger("stop", { ticket: looking }) }, "Cancel");
    const halt = h("button.mini", { type: "button", hidden: true, onclick: () => api.trigger("stop", { ticket }) }, "Stop");
    let ticket = "", looking = "";
    const fresh = () => Math.random().toString(36).slice(2);
    const examine = () => {
      if (!leave.hidden) api.trigger("stop", { ticket: looking });
      looking = fresh();
      result.hidden = leave.hidden = false;
      bar.removeAttribute("value");
      far.textContent = "Opening the file …";
      V.fill(result, h("div.row.job", {}, bar, far));
      api.trigger("examine", { where: path.value, key: V.state.video || "", ticket: looking });
    };
    const probe = () => {
      if (!halt.hidden) api.trigger("stop", { ticket });
      ticket = fresh();
      models.hidden = halt.hidden = false;
      V.fill(models, h("p.dim", {}, "Asking …"));
      api.trigger("probe", { spec: spec.value, ticket });
    };
    V.probeModel = (one) => { spec.value = one; V.goTab("doctor"); probe(); };
    path.addEventListener("keydown", (e) => e.key === "Enter" && examine());
    spec.addEventListener("keydown", (e) => e.key === "Enter" && probe());
    V.append(root, [h("div.page-top", {}, h("h2", {}, "Video"), path, h("button.mini.main", { type: "button", onclick: examine }, "Examine"), leave), result,
      h("div.page-top", {}, h("h2", {}, "Models"), spec, h("button.mini.main", { type: "button", title: "Makes a few small requests, which a provider may charge for", onclick: probe }, "Ask it"), halt), models, roles]);
    const plain = (x) => (typeof x === "boolean" ? (x ? "yes" : "no") : typeof x === "number" ? +x.toFixed(3) : Array.isArray(x) ? x.join("; ") : x === null ? "–" : String(x));
    const UNITS = [["_s", " s"], ["_degrees", "°"], ["_bytes", " bytes"]];
    const fact = ([name, x]) => {
      const [end, unit] = UNITS.find(([end]) => name.endsWith(end)) || ["", ""], label = name.slice(0, name.length - end.length).replaceAll("_", " ");
      return h("div", {}, h("dt", {}, label), name === "sha256" ? h("dd.mono", { title: x }, x.slice(0, 16)) : h("dd", {}, (end === "_bytes" ? x.toLocaleString("en") : plain(x)) + unit));
    };
    const report = (r) => [h("h3", {}, r.name), h("dl.facts", {}, Object.entries(r.facts).map(fact)),
      r.oddities.length ? h("ul.warnings", {}, r.oddities.map((o) => h("li", {}, h("b", {}, o.what), " ", o.meaning, " ", h("span.dim", {}, o.action)))) : h("p.ok", {}, "✓ Nothing odd was found.")];
    const check = (c) => h("div.role", {}, h("b", {}, c.name), h("span.mono", { class: c.verdict === "good" ? "ok" : "bad" }, `${SIGN[c.verdict]} ${c.verdict}`), h("span", {}, c.text, c.fix ? h("span.dim", {}, " — " + c.fix) : null));
    V.on("tab", async (name) => {
      if (name !== "doctor") return;
      const data = await V.get("ready").catch(() => null);
      if (data) V.fill(roles, h("h3", {}, "Roles"), data.roles.map((r) => h("div.role", {}, h("b", {}, r.role), h("span.mono", {}, r.spec), h("span", { class: r.ready ? "ok" : "bad" }, (r.ready ? "✓ " : "✕ ") + r.why))));
    });
    return { update: (got) => {
      if (got?.examined && got.examined === looking) {
        leave.hidden = !("share" in got);
        if (got.share != null) { bar.value = got.share; far.textContent = `Looking through it: ${Math.round(got.share * 100)} %${got.eta ? `, ${Math.ceil(got.eta)} s left` : ""}`; }
        if (got.error) V.fill(result, h("p.bad", {}, got.error));
        if (got.stopped) V.fill(result, h("p.dim", {}, "Cancelled."));
        if (got.report) V.fill(result, report(got.report));
      }
      if (!got?.checks || got.ticket !== ticket) return;
      halt.hidden = !!got.done;
      V.fill(models, got.checks.map(check), got.stopped ? h("p.dim", {}, "Stopped.") : got.done ? null : h("p.dim", {}, "Asking …"));
    } };
  };
})();
