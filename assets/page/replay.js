/* Replay: a scrubber over steps that shows the whole page exactly as it was then, by hand or timed. Nothing is computed
   again and no model is asked: the page at step k is the fold of the recorded events up to it. */
(() => {
  const V = window.VESTA, { h } = V;
  const SPEEDS = [1, 2, 4];
  let total = 0, live = false, timer = 0, speed = 1;

  V.replayBar = (root) => {
    const slider = h("input", { type: "range", min: 0, max: 0, step: 1, value: 0, "aria-label": "Show the page as after this step", oninput: () => go(+slider.value) });
    const label = h("span.mono");
    const play = h("button.mini", { type: "button", title: "Replay the run step by step ( w )", "aria-label": "Replay", onclick: toggle }, "▶");
    const rate = h("button.mini", { type: "button", title: "Speed of the replay ( s )", onclick: faster }, "1×");
    const newest = h("button.mini", { type: "button", id: "v-newest", hidden: true, onclick: () => { halt(); V.pin(null); } }, "newest");
    V.append(root, [play, slider, label, rate, newest]);

    function faster() {
      speed = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length];
      rate.textContent = speed + "×";
    }
    function go(step) {
      halt();
      step >= total && !live ? V.pin(null) : V.pin(step);
    }
    function toggle() {
      if (timer) return halt();
      const from = V.state.pinned === null || V.state.pinned >= total ? 0 : V.state.pinned;
      V.pin(from).then(next);
      play.textContent = "❚❚";
      timer = -1;
    }
    function next() {
      if (!timer) return;
      const at = V.state.pinned ?? 0, card = V.values.steps?.cards.find((c) => c.n === at + 1);
      timer = setTimeout(async () => {
        if (at + 1 >= total) { halt(); return V.pin(live ? total : null); }
        await V.pin(at + 1);
        next();
      }, Math.max(350, Math.min(4000, 1000 * (card?.seconds || 1))) / speed);
    }
    function halt() { clearTimeout(timer); timer = 0; play.textContent = "▶"; }
    function draw() {
      root.hidden = total < 1;
      slider.max = total;
      const at = V.state.pinned ?? total;
      slider.value = at;
      slider.setAttribute("aria-valuetext", `after step ${at} of ${total}`);
      label.textContent = `${at}/${total}`;
      newest.hidden = V.state.pinned === null;
      newest.textContent = live ? "live" : "newest";
      document.body.classList.toggle("pinned", V.state.pinned !== null);
    }
    V.on("status", (value) => { total = value.step || 0; live = !!value.live; draw(); });
    V.on("pin", draw);
    V.on("run", () => { halt(); total = 0; live = false; draw(); });
    V.replay = () => { halt(); toggle(); };
    V.watch = () => total && toggle();
    V.watchFaster = faster;
    V.scrub = (way) => go(Math.max(0, Math.min(total, (V.state.pinned ?? total) + way)));
  };
})();
