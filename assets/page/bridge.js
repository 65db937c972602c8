/* From the page's script to Python: opening, continuing and forking runs. And links to what is shown. */
(() => {
  const V = window.VESTA;
  V.panels.bridge = (root, api) => {
    V.openRun = (id, then) => {
      V.setRun(id);
      V.goTab("live");
      api.trigger("open_run", { id });
      if (then) whenOpen(id, then);
    };
    V.resumeRun = (id) => { V.goTab("live"); api.trigger("resume", { id }); };
    V.watchRecorded = () => { api.trigger("recorded", {}); V.once("run", (id) => whenOpen(id, V.replay)); };
    return {};
  };
  /* as soon as that run is there, before its end is drawn; never when another one was opened meanwhile */
  function whenOpen(id, then) {
    if (V.values.status?.run === id && V.values.status.roles) return then();
    V.once("status", (value) => (value.run === id ? then() : V.state.run === id && whenOpen(id, then)));
  }
  V.copyLink = (step) => {
    const url = new URL(location.href);
    if (step) url.searchParams.set("step", step);
    return V.copy(url.href, "Link copied.");
  };
})();
