/* The page's small foundation: DOM without markup, times, the registry of panels. Text from outside only ever becomes
   a text node. */
(() => {
  if (window.VESTA) return;
  const V = (window.VESTA = { panels: {}, live: {} });

  /* h("div.card", {title, onclick, data: {t: 3}}, child, [children], "text") */
  V.h = (tag, attrs, ...children) => {
    const [name, ...classes] = tag.split(".");
    const node = document.createElement(name || "div");
    if (classes.length) node.className = classes.join(" ");
    for (const [key, value] of Object.entries(attrs || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "data") Object.entries(value).forEach(([k, v]) => v !== null && v !== undefined && (node.dataset[k] = v));
      else if (key === "style") Object.entries(value).forEach(([k, v]) => node.style.setProperty(k, v));
      else if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (key === "class") node.className += " " + value;
      else if (value === true) node.setAttribute(key, "");
      else node.setAttribute(key, value);
    }
    V.append(node, children);
    return node;
  };
  V.append = (node, children) => {
    for (const child of [children].flat(9)) {
      if (child === null || child === undefined || child === false || child === "") continue;
      node.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
    return node;
  };
  V.fill = (node, ...children) => V.append((node.replaceChildren(), node), children);

  /* ---- words and numbers */
  V.clock = (s, tenths = true) => {
    if (!Number.isFinite(s)) return "–";
    const whole = tenths ? Math.round(s * 10) / 10 : Math.floor(s);
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60, rest = whole % 60;
    const seconds = tenths ? rest.toFixed(1).padStart(4, "0") : String(Math.floor(rest)).padStart(2, "0");
    return (hours ? hours + ":" : "") + String(minutes).padStart(2, "0") + ":" + seconds;
  };
  V.readTime = (text) => { /* "1:02:03.5", "83.5", "1m 23s" → seconds, or null */
    const parts = text.trim().replace(/\s*[hm]\s*(?=\d)/gi, ":").replace(/s$/i, "").split(":");
    return parts.length <= 3 && parts.every((p) => /^\d+([.]\d+)?$/.test(p)) ? parts.reduce((sum, p) => 60 * sum + Number(p), 0) : null;
  };
  V.span = (s, e) => {
    const fine = e - s < 10;
    return V.clock(s, fine) + (e - s > 0.05 ? "–" + V.clock(e, fine) : "");
  };
  V.plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  V.money = (usd) => (usd === null || usd === undefined ? "price unknown" : usd >= 0.995 ? "$" + usd.toFixed(2) : "$" + usd.toFixed(usd < 0.01 ? 4 : 3));
  V.tokens = (n) => (n === null || n === undefined ? "? tokens" : n >= 1000 ? (n / 1000).toFixed(1) + " k tokens" : n + " tokens");
  V.seconds = (s) => (s < 0.095 ? s.toFixed(2) : s.toFixed(1)) + " s";
  V.percent = (share) => (share > 0 && share < 0.01 ? "<1" : Math.round(100 * share)) + " %";
  V.cut = (text, words = 12) => {
    const parts = String(text).split(/\s+/);
    return parts.length > words ? parts.slice(0, words).join(" ") + " …" : text;
  };
  V.costs = (usage) => {
    const parts = [];
    if (usage.frames) parts.push(V.plural(usage.frames, "frame"));
    if (usage.tokens) parts.push(V.tokens(usage.tokens));
    if (usage.requests) parts.push(V.money(usage.usd));
    return parts;
  };

  /* ---- a time stamp is always a button: click seeks, Shift-click loops, and it selects what it belongs to */
  V.time = (s, e, about = {}, text) =>
    V.h("button.t", {
      type: "button",
      data: { t: +(+s).toFixed(3), e: e > s ? +(+e).toFixed(3) : null },
      title: `Go to ${V.clock(s)} — Shift-click loops`,
      onclick: (event) => {
        event.stopPropagation();
        V.select({ s, e, ...about });
        if (event.shiftKey && e > s) V.loop(s, e);
        else V.seek(s);
      },
    }, text || V.span(s, e ?? s));

  V.url = (path) => new URL("vesta/" + path, document.baseURI).href;
  V.get = async (path) => {
    const reply = await fetch(V.url(path));
    const data = await reply.json();
    if (!reply.ok) throw new Error(data.error || "this could not be loaded");
    return data;
  };
  V.frameUrl = (sha) => V.url(`run/${V.state.run}/frame/${sha}`);
  V.sceneUrl = (name) => V.url(`video/${V.state.sha}/scene/${encodeURIComponent(name)}`);
  V.quiet = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
  V.copy = async (text, said) => {
    try { await navigator.clipboard.writeText(text); } catch { /* no clipboard in this context: the link stays in the address bar */ }
    V.say(said);
  };

  /* ---- panels: mount(name) is called by each gr.HTML once; values come as JSON */
  V.mount = (name, element, api) => {
    const root = element.querySelector(".panel") || element;
    const make = V.panels[name];
    if (!make) return;
    const panel = make(root, api) || {};
    V.live[name] = { root, api, ...panel };
    const take = () => V.receive(name, api.props.value || null); /* unset ones are "" */
    api.watch("value", take);
    name in V.values ? later(name) : take(); /* the stream of a run may be sooner than the panel */
  };
  V.receive = (name, value) => {
    V.values[name] = value;
    if (!V.live[name]) return; /* drawn when it is there */
    if (V.state.pinned !== null && V.PINNED.includes(name)) return; /* the reader looks at an earlier step */
    later(name);
  };
  /* however fast values come, a panel is drawn at most once a frame, with the newest; a hidden page is drawn by timer */
  const waiting = new Set();
  const drawAll = () => { const names = [...waiting]; waiting.clear(); names.forEach((name) => (V.state.pinned === null || !V.PINNED.includes(name)) && V.show(name, V.values[name])); };
  function later(name) {
    if (!waiting.size) document.hidden ? setTimeout(drawAll, 100) : requestAnimationFrame(drawAll);
    waiting.add(name);
  }
  V.show = (name, value) => {
    try { V.live[name]?.update?.(value); } catch (error) { console.error(`panel ${name}:`, error); }
  };
})();
