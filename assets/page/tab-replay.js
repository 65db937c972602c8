/* Replay: find recorded runs by what they say, see their forks, open, replay, step into, compare, keep and export them. */
(() => {
  const V = window.VESTA, { h } = V;
  const OUTCOMES = ["answered", "budget", "stopped", "failed", "interrupted", "running"];

  /* An answer to an event of a panel that belongs to the asker, not to the panel: ask(api, "verify", {run}) → promise */
  V.asker = (api) => {
    let count = 0;
    const waiting = new Map();
    return {
      ask: (event, data) => new Promise((done, fail) => { const nonce = `${Date.now()}-${++count}`; waiting.set(nonce, [done, fail]); api.trigger(event, { ...data, nonce }); }),
      take: (value) => { const pair = value && waiting.get(value.nonce); if (!pair) return; waiting.delete(value.nonce); value.error ? pair[1](new Error(value.error)) : pair[0](value); },
    };
  };
  V.when = (id) => `${id.slice(0, 4)}-${id.slice(4, 6)}-${id.slice(6, 8)} ${id.slice(9, 11)}:${id.slice(11, 13)}`;
  V.exports = (path) => h("details.menu-of", {}, h("summary.mini", {}, "export"), h("div.menu-list", {}, [["html", "One HTML page, works offline"], ["markdown", "Markdown with figures"], ["json", "JSON"], ...(path.startsWith("run") ? [["otlp", "OpenTelemetry spans"], ["html&video=1", "HTML page with the video"], ["zip", "Run folder to import elsewhere (unredacted)"]] : [])].map(([kind, title]) => h("a", { href: V.url(`${path}/export?format=${kind}`), download: "", onclick: (e) => { e.currentTarget.closest("details").open = false; } }, title))));

  V.panels.replay = (root, api) => {
    V.addTab("replay", "Replay");
    const asker = V.asker(api), chosen = new Set();
    V.studyAsk = asker.ask;
    let rows = [], more = false, tree = false, timer = 0, asked = 0;
    const field = (name, placeholder) => h("input", { type: "search", name, placeholder, "aria-label": placeholder, oninput: () => later(250) });
    const select = (name, title, options) => h("select", { name, "aria-label": title, onchange: () => later(0) }, h("option", { value: "" }, title), options.map((o) => h("option", { value: o }, o)));
    const words = field("words", "search question, thoughts, observations, answer"), video = field("video", "video");
    const agent = select("agent", "any agent", []), outcome = select("outcome", "any outcome", OUTCOMES);
    const label = select("label", "any label", []);
    const failure = field("failure", "failure, e.g. refused");
    const usd = (name, title) => h("input.usd", { type: "number", name, min: 0, step: "any", placeholder: title, "aria-label": title, oninput: () => later(250) });
    const least = usd("least_usd", "from $"), most = usd("most_usd", "to $");
    const forks = h("button.mini", { type: "button", "aria-pressed": "false", title: "Every fork under the run it came from", onclick: () => { tree = !tree; forks.setAttribute("aria-pressed", String(tree)); load(); } }, "tree of forks");
    const count = h("span.dim", { role: "status" }), list = h("div.runs"), rest = h("p.dim", { hidden: true }, "Only the newest are listed: search to see older ones."), place = h("section.inside", { hidden: true });
    const bar = h("div.chosen", { hidden: true });
    V.append(root, [h("div.page-top", {}, h("h2", {}, "Runs"), h("span.dim", {}, "Replaying asks no model and needs no network."), h("span.sp"), count), h("div.filters-row", {}, words, video, agent, outcome, label, failure, least, most, forks), bar, place, list, rest]);
    place.id = "inside";

    function later(ms) { clearTimeout(timer); timer = setTimeout(load, ms); }
    async function load() {
      const mine = ++asked, query = new URLSearchParams();
      for (const control of [words, video, agent, outcome, label, failure, least, most]) if (control.value.trim()) query.set(control.name, control.value.trim());
      if (tree) query.set("tree", "1");
      const found = await V.get("find?" + query).catch((error) => ({ rows: [], error: error.message }));
      if (mine !== asked) return;
      rows = found.rows; more = found.more;
      if (found.left) setTimeout(() => mine === asked && load(), 50);
      count.textContent = found.error || `${rows.length}${more ? "+" : ""} run${rows.length === 1 ? "" : "s"}${found.left ? `, ${found.left} still to be read` : ""}`;
      V.fill(list, rows.length ? rows.map(row) : h("p.empty", { role: "listitem" }, found.left ? "Reading the runs for the first time …" : query.size ? "No run matches." : "No run yet: ask a question on the Live tab."));
      rows.length ? list.setAttribute("role", "list") : list.removeAttribute("role");
      rest.hidden = !more;
      choose();
    }
    const row = (r) => h("article.run.card", { role: "listitem", data: { run: r.id }, style: { "margin-left": Math.min(r.depth, 8) * 26 + "px" } },
      h("input", { type: "checkbox", "aria-label": "Choose to compare or keep", checked: chosen.has(r.id), onchange: (e) => { e.target.checked ? chosen.add(r.id) : chosen.delete(r.id); choose(); } }),
      h("div.run-main", {}, h("b", {}, r.depth ? h("span.dim", { "aria-label": "fork" }, "└ ") : null, r.question), h("p.dim", {}, `${r.video} · ${r.agent} · ${V.when(r.id)} · ${V.plural(r.steps, "step")} · ${V.seconds(r.seconds)}${r.cost_usd ? " · " + V.money(r.cost_usd) : ""}`),
        r.parent ? h("p.dim", {}, "fork at step ", r.fork_step, ": ", r.fork_edit) : null, r.answer ? h("p", {}, r.answer) : null, r.failures.map((f) => h("span.chip.bad", {}, f.replaceAll("_", " ")))),
      h("span.chip", { class: { answered: "", running: "" }[r.outcome] ?? "warn" }, r.outcome),
      h("div.row", {}, h("button.mini", { type: "button", onclick: () => V.openRun(r.id) }, "open"),
        r.outcome === "interrupted" ? h("button.mini", { type: "button", onclick: () => V.resumeRun(r.id) }, "continue") : h("button.mini", { type: "button", onclick: () => { V.openRun(r.id, V.replay); } }, "▶ replay"),
        h("button.mini", { type: "button", disabled: !r.steps, title: "State at every step, and what would have been", onclick: () => V.stepInside(r.id, Math.max(1, r.steps)) }, "step inside"), V.exports(`run/${r.id}`),
        h("button.mini", { type: "button", title: "Is the folder whole and unchanged?", onclick: (e) => check(r.id, e.currentTarget) }, "verify"), h("button.mini.drop", { type: "button", onclick: (e) => drop(r.id, e.currentTarget) }, "delete")));
    async function check(id, button) {
      try { const made = await asker.ask("verify", { run: id }); V.say(made.problems.length ? made.problems.join("; ") : "Whole: every event, state and frame is as recorded."); button.textContent = made.problems.length ? "damaged" : "whole ✓"; } catch (error) { V.say(error.message); }
    }
    async function drop(id, button) {
      if (button.textContent !== "really?") { button.textContent = "really?"; setTimeout(() => { button.textContent = "delete"; }, 3000); return; }
      try { await asker.ask("delete", { run: id }); chosen.delete(id); V.say("Deleted."); load(); } catch (error) { V.say(error.message); }
    }
    function choose() {
      const ids = [...chosen];
      bar.hidden = !ids.length;
      V.fill(bar, h("b", {}, `${V.plural(ids.length, "run")} chosen`), h("button.mini", { type: "button", disabled: ids.length < 2 || ids.length > 4, title: ids.length < 2 || ids.length > 4 ? "Choose two to four runs of one video" : "", onclick: () => V.compareRuns?.(ids) }, "compare"),
        h("button.mini", { type: "button", onclick: () => V.keepCase?.(ids) }, "keep as a case"), h("button.mini", { type: "button", onclick: () => { chosen.clear(); load(); } }, "none"));
    }
    V.stepInside = (id, step) => { V.goTab("replay"); place.hidden = false; V.inside(place, id, step); place.scrollIntoView({ block: "start" }); };
    V.on("tab", (name) => name === "replay" && load());
    return {
      update: (value) => {
        asker.take(value);
        for (const [control, names] of [[agent, value?.agents], [label, value?.labels]]) if (names && control.length === 1) V.append(control, names.map((name) => h("option", { value: name }, name)));
      },
    };
  };
})();
