/* The player: our own copy of the video, subtitles, loop, speed, time. Other panels call VESTA.seek and VESTA.loop. */
(() => {
  const V = window.VESTA, { h } = V;
  const SPEEDS = [0.5, 1, 1.5, 2, 4];
  let video = null, key = "", facts = null, loop = null, timer = 0, wanted = null, back = null, going = false; /* `back`: where a file was when the browser gave it up */

  V.videoKey = () => key;
  V.now = () => wanted ?? back?.t ?? (video && Number.isFinite(video.currentTime) ? video.currentTime : 0);
  V.duration = () => facts?.duration_s || 0;
  V.seek = (t) => {
    if (loop && (t < loop[0] || t >= loop[1])) V.loop(null);
    wanted = t;
    if (video && video.readyState > 0 && !back) { video.currentTime = Math.max(0, Math.min(t, video.duration || t)); wanted = null; }
    V.tell("time", t);
  };
  V.loop = (s, e) => {
    loop = s === null ? null : [s, e];
    V.tell("loop", loop);
    if (loop) { V.seek(s); video?.play().catch(() => {}); }
  };
  V.looping = () => loop;
  V.togglePlay = () => video && (video.paused ? video.play().catch(() => {}) : video.pause());
  V.speed = (way) => {
    if (!video) return;
    const at = SPEEDS.indexOf(video.playbackRate);
    video.playbackRate = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, (at < 0 ? 1 : at) + way))];
  };

  /* a moment, or an interval, put into the question */
  V.askAbout = (s, e) => {
    const field = document.querySelector("#question textarea"), text = field.value.trim().replace(/\s*\((around|between) \d.*?\)$/, "");
    V.type("question", `${text} (${e > s ? `between ${V.clock(s, false)} and ${V.clock(e, false)}` : `around ${V.clock(s, false)}`})`.trim());
    field.focus();
  };

  V.panels.player = (root) => {
    const cover = h("div.cover"), time = h("button.clock.mono", { type: "button", title: "Go to a time (t)", onclick: () => V.askTime() }), loopMark = h("button.mini", { type: "button", hidden: true, title: "Stop looping (l)", onclick: () => V.loop(null) });
    video = h("video", { preload: "metadata", playsinline: true, tabindex: "0", "aria-label": "Video player" });
    const play = h("button.play", { type: "button", "aria-label": "Play", title: "Play or pause (Space)", onclick: V.togglePlay }, "▶");
    const bar = h("input.seek", { type: "range", min: 0, max: 1000, value: 0, step: 1, "aria-label": "Position in the video",
      oninput: () => V.seek((bar.value / 1000) * (video.duration || V.duration())) });
    const rate = h("button.mini", { type: "button", title: "Speed ( < and > )", onclick: () => { const i = SPEEDS.indexOf(video.playbackRate); video.playbackRate = SPEEDS[(i + 1) % SPEEDS.length]; } }, "1×");
    const captions = h("button.mini", { type: "button", title: "Subtitles from the transcript", "aria-pressed": "true", onclick: () => showCaptions(captions.getAttribute("aria-pressed") !== "true") }, "CC");
    const mute = h("button.mini", { type: "button", "aria-label": "Mute", title: "Sound on or off", onclick: () => { video.muted = !video.muted; } }, "♪");
    const here = h("button.mini", { type: "button", title: "Put this moment into the question", onclick: () => V.askAbout(V.now()) }, h("span.long", {}, "ask about here"), h("span.short", { "aria-hidden": "true" }, "ask"));
    const where = h("input.goto.mono", { type: "text", hidden: true, "aria-label": "Go to a time, for example 1:23 or 83.5", spellcheck: "false", onblur: () => leave(),
      onkeydown: (e) => { if (e.key === "Enter") { e.preventDefault(); const t = V.readTime(where.value); if (t === null || t > V.duration()) return V.say(`Write a time like 1:23 or 83.5, at most ${V.clock(V.duration())}.`); leave(); V.select({ s: t, e: t }); V.seek(t); } if (e.key === "Escape") { e.stopPropagation(); leave(); } } });
    V.askTime = () => { where.value = V.clock(V.now()); where.hidden = false; time.hidden = true; where.focus(); where.select(); };
    const leave = () => { const inside = document.activeElement === where; where.hidden = true; time.hidden = false; if (inside) time.focus(); };
    V.append(root, [h("div.screen", {}, video, cover), h("div.bar", {}, play, time, where, bar, loopMark, h("span.sp"), captions, mute, rate, here)]);

    function showCaptions(on) {
      captions.setAttribute("aria-pressed", String(on));
      for (const track of video.textTracks) track.mode = on ? "showing" : "hidden";
    }
    function tick() {
      const now = V.now(), total = video.duration || V.duration();
      if (loop && now >= loop[1]) video.currentTime = loop[0];
      time.textContent = `${V.clock(now)} / ${V.clock(total)}`;
      if (document.activeElement !== bar) bar.value = total ? (1000 * now) / total : 0;
      bar.setAttribute("aria-valuetext", V.clock(now));
      V.tell("time", now);
      if (!video.paused) requestAnimationFrame(tick);
    }
    for (const name of ["play", "seeked", "seeking", "loadedmetadata", "timeupdate"]) video.addEventListener(name, () => (video.paused || name === "play") && tick());
    video.addEventListener("play", () => { going = true; play.textContent = "❚❚"; play.setAttribute("aria-label", "Pause"); });
    video.addEventListener("pause", () => { going &&= Boolean(video.error); /* an error pauses: nobody asked for it */ play.textContent = "▶"; play.setAttribute("aria-label", "Play"); });
    video.addEventListener("volumechange", () => mute.setAttribute("aria-pressed", String(!video.muted)));
    video.addEventListener("ratechange", () => { rate.textContent = video.playbackRate + "×"; });
    video.addEventListener("loadedmetadata", () => {
      const from = back, to = wanted ?? back?.t ?? null;
      back = null;
      if (to !== null) V.seek(to);
      if (from) video.playbackRate = from.rate;
      if (from?.playing) video.play().catch(() => {});
    });
    video.addEventListener("loadeddata", () => hold(""));
    video.addEventListener("loadedmetadata", () => setTimeout(() => video.getAttribute("src") && !video.error && hold(""), 1500)); /* some browsers load no picture before they play */
    video.addEventListener("click", V.togglePlay);
    video.addEventListener("error", () => {
      if (!video.getAttribute("src") || facts?.key !== key) return;
      if (video.error.code === MediaError.MEDIA_ERR_NETWORK) return hold("The video stopped arriving: see whether VESTA UI still runs, then reload the page.");
      if (facts.decoded) return hold("This video cannot be played here; questions still work.");
      back = { t: V.now(), rate: video.playbackRate, playing: going };
      load(facts.played);
    });
    V.on("loop", (now) => { loopMark.hidden = !now; loopMark.textContent = now ? `⟲ ${V.span(now[0], now[1])} ×` : ""; });
    V.on("time", (t) => { if (video.readyState === 0) time.textContent = `${V.clock(t)} / ${V.clock(V.duration())}`; });
    const uncaption = () => video.querySelectorAll("track").forEach((t) => t.remove());
    V.on("run", uncaption);
    V.on("subtitles", (run) => {
      uncaption();
      video.append(h("track", { kind: "subtitles", label: "Transcript", default: true, src: V.url(`run/${run}/subtitles.vtt`) }));
      setTimeout(() => showCaptions(captions.getAttribute("aria-pressed") === "true"), 50);
    });

    function hold(text, share) {
      cover.hidden = !text;
      V.fill(cover, text && h("p", {}, text), Number.isFinite(share) && h("progress", { max: 1, value: share, "aria-label": "Preparing the player" }));
    }
    async function load(refused = "") {
      clearTimeout(timer);
      const mine = key, wished = key;
      if (!key) return hold("No video yet: choose a sample, type a path, or upload a file.");
      const state = await V.get(`video/${encodeURIComponent(key)}/state${refused && `?refused=${encodeURIComponent(refused)}`}`).catch((error) => ({ error: error.message }));
      if (mine !== key) return;
      if (state.key) {
        key = state.key; facts = state; V.state.video = key;
        if (wished === usual) V.state.usual = key;
        if (V.state.runSha && V.state.runSha !== key) V.clearRun();
        V.address();
        V.tell("video", facts);
      }
      if (state.ready) {
        const src = V.url(`video/${key}?as=${encodeURIComponent(state.played)}`);
        if (video.src === src && !video.error) return hold("");
        hold(`Opening “${state.name}” …`);
        video.src = src;
        return video.load();
      }
      if (video.getAttribute("src")) { /* let go of it: a seek waits for what comes */
        video.pause();
        video.removeAttribute("src");
        video.load();
      }
      if (state.error) { if (!state.key) V.tell("gone"); return hold(state.error); }
      hold(`${back ? "The browser cannot play this file as it is. " : ""}Preparing “${state.name}” for the player …`, state.share);
      timer = setTimeout(() => load(), 400);
    }
    hold("");
    V.openVideo = (next) => { if (next && next !== key) { key = next; loop = back = null; V.tell("loop", null); load(); } };
    let first = true, usual = "";
    return { update: (value) => {
      if (first) {
        first = false;
        usual = value?.key || "";
        if (V.asked.get("run")) return; /* a link to a run names its own video: the sample is not even opened */
        if (V.asked.get("video")) return V.openVideo(V.asked.get("video"));
      }
      if (value?.key && value.key !== key) V.openVideo(value.key); else if (!value?.key && !key) load(); } };
  };
})();
