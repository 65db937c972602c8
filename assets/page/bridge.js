/* From the page's script to Python: opening, continuing and forking runs. And links to what is shown. */
(() => {
  const V = window.VESTA;
  V.panels.bridge = (root, api) => {
    V.openRun = (id) => { V.setRun(id); V.goTab("live"); api.trigger("open_run", { id }); };
    V.resumeRun = (id) => { V.goTab("live"); api.trigger("resume", { id }); };
    V.watchRecorded = () => { api.trigger("recorded", {}); V.once("status", () => V.replay()); };
    return {};
  };
  V.copyLink = (step) => {
    const url = new URL(location.href);
    if (step) url.searchParams.set("step", step);
    return V.copy(url.href, "Link copied.");
  };
})();
