/* Settings: who plays which role, what the run may cost, keys for this process, and which roles are ready and why not. */
(() => {
  const V = window.VESTA, { h } = V;
  const NUMBERS = [["max_steps", "Steps at most", "15"], ["route_confidence", "Router's confidence at least", "0.6"], ["references", "Scenes retrieved (K)", "6"], ["snapshot_chars", "Ledger view, characters", "8000"], ["max_usd", "Most dollars a run", "no cap"], ["max_tokens", "Most tokens a run", "no cap"], ["model_timeout_s", "Longest wait for a model, s", "180"]];
  const FINE = ["route_confidence", "max_usd"];
  const LISTS = [["policy", "Policy π", [["", "routed"], ["focused", "focused"], ["recall", "recall"], ["contrastive", "contrastive"]]],
    ["emphasis", "Ledger view μ", [["", "routed"], ["local", "compact local evidence"], ["coverage", "coverage and events"], ["hypotheses", "support and conflicts"]]],
    ["ablation", "Mechanisms", [["", "full"], ["no-retrieval", "no retrieval"], ["retrieval-only", "retrieval only"], ["no-ledger", "no ledger"], ["plain", "plain agent"]]]];
  const ASKABLE = /^(openai|gemini|compatible|scripted):/;
  let chosen = {}, agent = "";
  try { chosen = JSON.parse(localStorage.getItem("vesta-settings") || "{}"); } catch { /* nothing remembered */ }

  V.panels.settings = (root, api) => {
    const sheet = h("dialog", { id: "v-drawer", "aria-labelledby": "v-drawer-title" }), readiness = h("div.ready");
    root.append(sheet);
    const keep = () => {
      Object.keys(chosen).forEach((name) => (chosen[name] === "" || chosen[name] === null) && delete chosen[name]);
      api.props.value = { ...chosen };
      try { localStorage.setItem("vesta-settings", JSON.stringify(chosen)); } catch { /* not remembered */ }
      V.tell("settings", chosen);
      check();
    };
    const check = async () => {
      const data = await V.get("ready?" + new URLSearchParams({ ...chosen, agent })).catch(() => null);
      if (data) V.tell("forecast", data.forecast);
      if (data) V.fill(readiness, data.forecast.text ? h("p.dim", {}, data.forecast.text) : null, data.roles.map((r) => h("div.role", {}, h("b", {}, r.role), h("span.mono", {}, r.spec), h("span", { class: r.ready ? "ok" : "bad" }, (r.ready ? "✓ " : "✕ ") + r.why), r.role !== "speech" && ASKABLE.test(r.spec) && r.ready ? h("button.mini", { type: "button", title: "What works with this model, check by check; a few small requests, which a provider may charge for", onclick: () => { sheet.close(); V.probeModel(r.spec); } }, "ask it") : null)));
      return data;
    };
    V.openSettings = async () => {
      const data = await check();
      if (!data) return V.say("The server does not answer.");
      const field = (label, input) => h("label.field", {}, h("span", {}, label), input);
      V.fill(sheet,
        h("div.panel-top", {}, h("h2", { id: "v-drawer-title" }, "Settings"), h("span.dim", {}, "for the next run from this browser"), h("span.sp"), h("button.mini", { type: "button", onclick: () => sheet.close() }, "close")),
        h("div.drawer", {},
          h("section", {}, h("h3", {}, "Roles"), field("preset", h("select", { onchange: (e) => { Object.assign(chosen, data.presets[e.target.value]); keep(); sheet.close(); V.openSettings(); } }, h("option", { value: "" }, "choose a set …"), Object.keys(data.presets).map((name) => h("option", { value: name }, name)))), data.roles.map((r) => field(r.role, [h("input", { type: "text", list: "hint-" + r.role, value: chosen[r.role] || "", placeholder: r.spec, spellcheck: "false", onchange: (e) => { chosen[r.role] = e.target.value.trim(); keep(); } }), h("datalist", { id: "hint-" + r.role }, data.hints[r.role].map((x) => h("option", { value: x })))])), readiness),
          h("section", {}, h("h3", {}, "Method and limits"),
            LISTS.map(([name, label, options]) => field(label, h("select", { onchange: (e) => { chosen[name] = e.target.value; keep(); } }, options.map(([value, text]) => h("option", { value, selected: (chosen[name] || "") === value }, text))))),
            [["speech_later", "Speech", "Answer before the transcript is whole"], ["fast_scenes", "Scenes", "Find scenes in fast mode: fewer stills, another index"]].map(([name, label, text]) => field(label, h("span.flag", {}, h("input", { type: "checkbox", "aria-label": text, checked: !!chosen[name], onchange: (e) => { chosen[name] = e.target.checked || ""; keep(); } }), text.toLowerCase()))),
            field("Language spoken", h("input", { type: "text", value: chosen.language || "", placeholder: "detected; a code such as de", spellcheck: "false", onchange: (e) => { chosen.language = e.target.value.trim(); keep(); } })),
            NUMBERS.map(([name, label, normal]) => field(label, h("input", { type: "number", min: FINE.includes(name) ? 0 : 1, max: name === "route_confidence" ? 1 : null, step: FINE.includes(name) ? 0.01 : 1, value: chosen[name] ?? "", placeholder: normal, onchange: (e) => { chosen[name] = e.target.value === "" ? "" : +e.target.value; keep(); } })))),
          h("section", {}, h("h3", {}, "Keys"), h("p.dim", {}, "Kept in this process only: never in a file, an event or a log."),
            data.providers.map((p) => field(p.name, h("input", { type: "password", autocomplete: "off", placeholder: p.has_key ? "a key is set" : p.variables[0], onchange: (e) => { api.trigger("save_key", { provider: p.name, key: e.target.value }); e.target.value = ""; e.target.placeholder = "taken"; setTimeout(check, 400); } }))))));
      sheet.showModal();
    };
    V.agentChosen = (name) => { agent = name; check(); };
    Object.keys(chosen).length ? keep() : check();
    return {};
  };
})();
