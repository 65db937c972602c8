/* The steps feed: one card a decision, one line each; the newest is followed unless the reader scrolled away. */
(() => {
  const V = window.VESTA, { h } = V;
  const SIGN = { retrieve: "⌕", inspect: "◉", speech: "♪", clip: "✂", finalize: "✓" };
  const FILTERS = ["all", "retrieve", "inspect", "speech", "clip", "failures"];
  const MOST = 300;

  V.panels.steps = (root, api) => {
    root.classList.add("card");
    const cards = new Map(), open = new Set();
    let filter = "all", letter = "", sifted = false, words = "", run = "", total = 0, unread = 0, opener = true;
    const count = h("span.dim");
    const filters = h("div.filters", { role: "group", "aria-label": "Filter steps" }, FILTERS.map((name) => h("button", { type: "button", "aria-pressed": String(name === "all"), data: { filter: name }, onclick: () => { filter = name; sift(); } }, name)));
    const letters = h("select.letters", { "aria-label": "Only steps that bear on this answer", title: "Only steps that bear on this answer", hidden: true, onchange: () => { letter = letters.value; sift(); } });
    const search = h("input.search", { type: "search", placeholder: "search  /", "aria-label": "Search the steps", id: "v-search", oninput: () => { words = search.value.toLowerCase(); sift(); },
      onkeydown: (e) => { if (e.key === "Enter") { e.preventDefault(); jump(e.shiftKey ? -1 : 1); } if (e.key === "Escape") { search.value = words = ""; sift(); search.blur(); } } });
    const list = h("div.feed", { role: "log", "aria-live": "polite", "aria-label": "Steps of the agent", tabindex: "0" });
    const proposed = h("div.proposed", { hidden: true });
    const pill = h("button.pill", { type: "button", hidden: true, onclick: () => { V.state.follow = true; follow(); } });
    const earlier = h("button.link", { type: "button", hidden: true, onclick: older });
    const { empty, hint } = V.firstSteps();
    V.append(root, [h("div.panel-top", {}, h("h2", {}, "Steps"), count, filters, h("span.sp"), letters, search), earlier, h("div.feed-wrap", {}, list, pill), proposed]);
    V.proposal(proposed, api.trigger);

    list.addEventListener("scroll", () => {
      const end = list.scrollHeight - list.scrollTop - list.clientHeight < 24;
      if (end) { V.state.follow = true; unread = 0; pill.hidden = true; } else if (list.matches(":hover, :focus-within")) V.state.follow = false;
    });
    const follow = () => { if (V.state.follow) { unread = 0; requestAnimationFrame(() => { if (V.state.follow) list.scrollTop = 1e9; }); } pill.hidden = V.state.follow || !unread; pill.textContent = `${unread} new step${unread === 1 ? "" : "s"} ↓`; };

    function sift() {
      filters.querySelectorAll("button").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.filter === filter)));
      let shown = 0;
      if (filter === "all" && !words && !letter) { if (sifted) for (const { node } of cards.values()) { node.hidden = false; node.classList.remove("hit"); } sifted = false; shown = total; }
      else for (const { node, data } of cards.values()) {
        const kind = filter === "all" || (filter === "failures" ? data.failures.length || data.state === "error" : data.op === filter);
        const hit = !words || [data.op, data.thought, data.result, data.ask, ...data.observations.map((o) => o.content + " " + o.text)].join(" ").toLowerCase().includes(words);
        node.hidden = !(kind && hit && (!letter || data.h.includes(letter)));
        node.classList.toggle("hit", !!words && hit);
        shown += !node.hidden;
        sifted = true;
      }
      count.textContent = total ? (shown < total ? `${shown} of ${total}` : total) : "";
      if (!list.contains(empty) && !cards.size) V.fill(list, empty);
    }
    /* only the newest cards come by themselves */
    const first = () => Math.min(...cards.keys());
    function offer() { earlier.hidden = !cards.size || first() === 1; earlier.textContent = `show ${V.plural(first() - 1, "earlier step")}`; }
    async function older() {
      const mine = run, found = await V.get(`run/${run}/cards`).catch((error) => V.say(error.message));
      if (!found || run !== mine || !cards.size) return;
      V.state.follow = false;
      const known = [...cards], added = found.filter((data) => data.n < first()).map((data) => [data.n, { node: place(data.n), data, text: JSON.stringify(data) }]);
      cards.clear();
      for (const [n, card] of [...added, ...known]) cards.set(n, card);
      list.prepend(...added.map(([, card]) => { draw(card); return card.node; }));
      sift();
      offer();
    }
    async function arrive(n) {
      if (n < first()) await older();
      V.state.follow = n === total;
      V.select({ step: n });
      expand(n, true);
      requestAnimationFrame(() => cards.get(n)?.node.scrollIntoView({ block: "nearest" }));
    }
    const place = (n) => h("article.step", { data: { step: n }, tabindex: "-1", onclick: (e) => { if (!e.target.closest("button, a, input, textarea, select, summary, pre") && !String(getSelection())) V.goStep(n, true); } });
    function jump(way) {
      const hits = [...cards.values()].filter((c) => !c.node.hidden).map((c) => c.data.n), at = V.state.selection?.step ?? 0;
      const next = way > 0 ? hits.find((n) => n > at) ?? hits[0] : hits.filter((n) => n < at).pop() ?? hits.at(-1);
      if (next) V.goStep(next);
    }
    V.stepNumbers = () => [...cards.values()].filter((c) => !c.node.hidden).map((c) => c.data.n);
    V.goStep = async (n, toggle = false) => {
      if (cards.size && n < first()) await older();
      const card = cards.get(n);
      if (!card) return;
      const span = card.data.at[0];
      V.select({ step: n, s: span?.[0], e: span?.[1] });
      if (span) V.seek(span[0]);
      card.node.hidden = false;
      V.state.follow = n === total;
      card.node.scrollIntoView({ block: "nearest" });
      if (toggle) expand(n, !open.has(n));
    };
    V.expandStep = (n) => expand(n, !open.has(n));

    function expand(n, on) {
      on ? open.add(n) : open.delete(n);
      const card = cards.get(n);
      if (card) { draw(card); if (on) card.node.scrollIntoView({ block: "nearest" }); }
    }

    function head(data) {
      const cost = [data.frames ? V.plural(data.frames, "frame") : null, data.calls ? [V.tokens(data.usage.tokens), V.money(data.usage.usd)].join(" · ") : null, ["done", "error"].includes(data.state) ? V.seconds(data.seconds) : null].filter(Boolean).join(" · ");
      return h("div.step-head", {},
        h("button.fold", { type: "button", "aria-expanded": String(open.has(data.n)), "aria-label": `Step ${data.n}, ${data.op || "deciding"}`, onclick: (e) => { e.stopPropagation(); expand(data.n, !open.has(data.n)); } }, h("b", {}, data.n)),
        h("span.op", { class: "op-" + data.op }, h("i", { "aria-hidden": "true" }, SIGN[data.op] || "…"), data.op || "deciding"),
        data.at.slice(0, 2).map(([s, e]) => V.time(s, e, { step: data.n })), data.at.length > 2 ? h("span.dim", { title: data.at.slice(2).map(([s, e]) => V.span(s, e)).join(", ") }, `+${data.at.length - 2}`) : null,
        data.source === "user" ? h("span.chip", {}, "by hand") : null,
        data.state === "proposed" ? h("span.chip", {}, "proposed") : data.state === "cut" ? h("span.chip.warn", {}, "not carried out") : null,
        data.failures.map((f) => h("span.chip.bad", {}, f.replaceAll("_", " "))),
        (V.marks?.[data.n] || []).map((m) => h("span.chip.warn", { title: m.text, data: { mark: m.label } }, "✎ ", m.label || V.cut(m.text, 4))),
        data.state === "working" || data.state === "deciding" ? h("span.busy", { "aria-label": "working" }) : null,
        h("span.cost", {}, cost));
    }
    function draw(card) {
      const { node, data } = card, wide = open.has(data.n);
      node.className = `step st-${data.state}${wide ? " open" : ""}${V.belongs({ step: data.n }) ? " sel" : ""}`;
      V.fill(node, head(data),
        !wide ? h("p.line", {}, data.state === "deciding" ? h("span.dim", {}, "deciding what to look at next …") : data.result || (data.ask ? "“" + data.ask + "”" : "")) : null,
        !wide && data.thumbs.length && data.n === total ? frames(data) : null,
        wide ? V.stepBody(data) : null);
    }
    const frames = (data) => h("div.frames", {}, data.thumbs.map((f) => V.frame(f, { step: data.n })));

    V.on("marks", () => cards.forEach(draw));
    V.on("select", () => { for (const { node, data } of cards.values()) node.classList.toggle("sel", V.belongs({ step: data.n })); });
    V.on("run", () => { cards.clear(); offer(); open.clear(); list.replaceChildren(empty); run = ""; total = 0; unread = 0; pill.hidden = true; count.textContent = ""; V.state.follow = true; opener = true; });
    V.on("pin", hint);
    V.on("status", (value) => { /* the choices are known before any step bears on one */
      const names = value.choices.map((_, i) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i]).filter(Boolean);
      if (letters.options.length === names.length + 1) return;
      letter = "";
      letters.hidden = !names.length;
      V.fill(letters, h("option", { value: "" }, `A–${names.at(-1)}`), names.map((name) => h("option", { value: name }, name)));
      sift();
    });

    return {
      update: (value) => {
        if (!value || !value.cards) { cards.clear(); run = ""; total = 0; V.fill(list, empty); count.textContent = ""; return offer(); }
        if (value.run !== run || value.total < total) { cards.clear(); list.replaceChildren(); run = value.run; total = 0; }
        if (!cards.size) list.replaceChildren();
        const before = total;
        total = Math.max(total, value.total);
        for (const data of value.cards) {
          const known = cards.get(data.n), text = JSON.stringify(data);
          if (known && known.text === text && !(data.n === before && value.total > before)) continue;
          const card = known || { node: place(data.n) };
          card.data = data; card.text = text;
          if (!known) { cards.set(data.n, card); list.append(card.node); if (before && !V.quiet()) card.node.classList.add("enter"); }
          draw(card);
        }
        total = value.total;
        while (list.children.length > MOST) { const gone = list.firstElementChild; cards.delete(+gone.dataset.step); gone.remove(); }
        unread += Math.max(0, total - before) * (before > 0);
        if (!cards.size) V.fill(list, empty);
        sift();
        offer();
        follow();
        const linked = opener && V.asked.get("run") === run ? +V.asked.get("step") : 0;
        if (linked && cards.size && linked <= total) {
          opener = false;
          if (V.asked.get("at")) return void V.pin(linked);
          arrive(linked);
        }
      },
    };
  };
})();
