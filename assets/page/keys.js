/* The keyboard map and its sheet. Single keys are off while typing, in dialogs, with modifiers, and when turned off. */
(() => {
  const V = window.VESTA, { h } = V;
  let on = true;
  try { on = localStorage.getItem("vesta-keys") !== "off"; } catch { /* private window: keys stay on */ }

  const step = (way) => {
    const all = V.stepNumbers?.() || [], at = V.state.selection?.step;
    const next = at === undefined ? (way > 0 ? all[0] : all.at(-1)) : way > 0 ? all.find((n) => n > at) : all.filter((n) => n < at).pop();
    if (next) V.goStep(next);
  };
  const evidence = (way) => {
    const cited = V.values.answer?.evidence?.length ? V.values.answer.evidence : V.values.ledger?.entries || [];
    const list = [...cited].sort((a, b) => a.s - b.s), t = V.now();
    const next = way > 0 ? list.find((e) => e.s > t + 0.05) || list[0] : list.filter((e) => e.s < t - 0.05).pop() || list.at(-1);
    if (next) { V.select({ entry: next.entry || next.id, s: next.s, e: next.e, step: next.step }); V.seek(next.s); }
  };
  const loop = () => (V.looping() ? V.loop(null) : V.state.selection?.e > V.state.selection?.s && V.loop(V.state.selection.s, V.state.selection.e));
  const chosen = () => V.state.selection?.step;
  /* [key, what it does, how, how the key is written] */
  const GROUPS = {
    Steps: [["j", "next step", () => step(1)], ["k", "previous step", () => step(-1)], ["e", "open or close the step", () => chosen() && V.expandStep(chosen())], ["r", "raw reply of the step", () => chosen() && V.stepTab("Raw")], ["/", "search (Enter: next)", () => document.querySelector("#v-search")?.focus()], ["m", "note on the step", () => V.noteStep(V.state.run, chosen())], ["f", "fork from the step", () => V.fork()]],
    Video: [[" ", "play or pause", () => V.togglePlay(), "Space"], ["ArrowLeft", "back 5 s (Shift: 1 s)", (e) => V.seek(Math.max(0, V.now() - (e.shiftKey ? 1 : 5))), "←"], ["ArrowRight", "on 5 s (Shift: 1 s)", (e) => V.seek(V.now() + (e.shiftKey ? 1 : 5)), "→"], ["t", "go to a time", () => V.askTime()], ["[", "previous evidence", () => evidence(-1)], ["]", "next evidence", () => evidence(1)], ["l", "loop the selection", loop], ["<", "slower", () => V.speed(-1)], [">", "faster", () => V.speed(1)]],
    Agent: [["p", "pause or continue", () => V.press("pause")], ["n", "one step", () => V.press("step")], ["i", "act on the selected interval", () => V.timeline.act()], ["x", "stop", () => V.press("stop")]],
    Replay: [["w", "watch the run again, or hold", () => V.watch()], ["s", "speed of the replay", () => V.watchFaster()], [",", "page one step earlier", () => V.scrub(-1)], [".", "page one step later", () => V.scrub(1)]],
    Page: [["0", "whole video on the timeline", () => V.timeline.fit()], [/^[1-9]$/, "show or hide a lane", (e) => V.timeline.toggleNth(+e.key), "1–9"], ["c", "compare", () => V.compare()], ["y", "copy a link to this", () => V.copyLink(chosen())], ["?", "this sheet", () => V.help()], ["Escape", "close, deselect", () => escape(), "Esc"]],
  };
  const KEYS = Object.values(GROUPS).flat();
  const escape = () => (V.looping() ? V.loop(null) : V.state.pinned !== null ? V.pin(null) : V.select(null));

  const sheet = h("dialog", { id: "v-help", "aria-labelledby": "v-help-title" });
  V.help = () => {
    V.fill(sheet, h("div.panel", {}, h("div.panel-top", {}, h("h2", { id: "v-help-title" }, "Keyboard"), h("span.sp"), h("button.mini", { type: "button", onclick: () => sheet.close() }, "close")),
      h("div.groups", {}, Object.entries(GROUPS).map(([title, keys]) => h("section", {}, h("h3", {}, title), h("dl", {}, keys.map(([key, text, , name]) => h("div", {}, h("dt", {}, h("kbd", {}, name || key)), h("dd", {}, text))))))),
      h("p.dim", {}, "Click any time to go there, Shift-click to loop it. Ctrl+Enter in the question runs it."),
      h("label", {}, h("input", { type: "checkbox", checked: on, onchange: (e) => { on = e.target.checked; try { localStorage.setItem("vesta-keys", on ? "on" : "off"); } catch { /* not remembered */ } } }), " single keys are on")));
    if (!sheet.isConnected) document.body.append(sheet);
    sheet.showModal();
  };

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && event.target.closest?.("#ask")) { event.preventDefault(); return V.press("run"); }
    if (!on || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const target = event.target;
    if (target.closest?.("input:not([type=range]):not([type=checkbox]), textarea, select, [contenteditable], [role=combobox], [role=listbox], .menu")) return;
    if ([" ", "Enter", "ArrowLeft", "ArrowRight"].includes(event.key) && target.closest?.("button, a, summary, [role=tab], [role=slider], input")) return;
    const found = KEYS.find(([key]) => (key.test ? key.test(event.key) : key === event.key));
    if (!found || (event.repeat && ["p", "n", "x"].includes(event.key))) return;
    if ((document.body.dataset.tab || "live") !== "live" && event.key !== "?") return;
    event.preventDefault();
    found[2](event);
  });
  /* gradio opens the list of agents at any key, so also at the Tab that leaves it: it would stay open over the page */
  document.addEventListener("keydown", (event) => event.key === "Tab" && event.target.closest?.("#agent") && event.stopPropagation(), true);
  try { if (localStorage.getItem("vesta-stage")) document.body.classList.add("stage"); } catch { /* not remembered */ }
})();
