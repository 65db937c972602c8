/* Which lanes the timeline shows, what each is about, and the reader's own notes as the last of them. */
(() => {
  const V = window.VESTA, { h } = V, T = V.timeline, KEPT = "vesta-lanes";
  let hidden = new Set(), notes = [];
  try { hidden = new Set(JSON.parse(localStorage.getItem(KEPT) || "[]")); } catch { /* nothing remembered */ }

  T.ABOUT = { scenes: "the film, cut into scenes", relevance: "how well every scene fits the question", retrieved: "scenes proposed as evidence: higher is closer", inspected: "pictures looked at: stronger is denser", speech: "words listened to", clip: "short clips analysed", relations: "events, states, numbers, conflicts", answer: "what the answer rests on", coverage: "seen, heard, and never looked at", notes: "what you noted" };
  T.isShown = (name) => !hidden.has(name) && (name !== "notes" || notes.length > 0);

  T.toggle = (name) => {
    hidden.has(name) ? hidden.delete(name) : hidden.add(name);
    if (T.LANES.every(([one]) => !T.isShown(one))) hidden.delete(name); /* an axis without a lane is no timeline */
    try { localStorage.setItem(KEPT, JSON.stringify([...hidden])); } catch { /* not remembered */ }
    tick();
    T.redraw();
  };
  T.toggleNth = (n) => T.LANES[n - 1] && T.toggle(T.LANES[n - 1][0]);

  const boxes = new Map();
  const tick = () => boxes.forEach((box, name) => { box.checked = !hidden.has(name); });
  T.lanesMenu = () => {
    const menu = h("details.menu-of.lanes-menu", {}, h("summary.mini", { title: "Show or hide lanes (1 to 9)" }, "lanes"), h("div.menu-list", {}, T.LANES.map(([name], n) => {
      const box = h("input", { type: "checkbox", onchange: () => T.toggle(name) });
      boxes.set(name, box);
      return h("label", {}, box, h("span", {}, T.NAMES[name] || name), h("span.dim", {}, T.ABOUT[name]), n < 9 ? h("kbd", {}, n + 1) : null);
    })));
    menu.addEventListener("keydown", (event) => { if (event.key === "Escape") { menu.open = false; menu.firstChild.focus(); event.stopPropagation(); } });
    document.addEventListener("pointerdown", (event) => { if (!menu.contains(event.target)) menu.open = false; });
    tick();
    return menu;
  };

  /* A note on an interval lies there; one on a step, where that step looked. */
  const place = (note) => note.at || T.value.items.filter((i) => i.step === note.step && i.lane !== "answer").map((i) => [i.s, i.e])[0];
  T.items = () => [...(T.value?.items || []), ...notes.flatMap((note, n) => {
    const at = place(note);
    return at && T.isShown("notes") ? [{ lane: "notes", id: `note ${n + 1}`, s: at[0], e: at[1], step: note.step, state: "", h: [], label: "note: " + [note.label, note.text].filter(Boolean).join(", ") }] : [];
  })];
  V.on("marks", (found) => { notes = found; T.redraw?.(); });
})();
