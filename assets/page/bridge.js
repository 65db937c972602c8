/* From the page's script to Python: opening a run. And links to what is shown. */
(() => {
  const V = window.VESTA;
  V.panels.bridge = (root, api) => {
    V.openRun = (id) => { V.setRun(id); V.goTab("live"); api.trigger("open_run", { id }); };
    return {};
  };
  V.copyLink = (step) => {
    const url = new URL(location.href);
    if (step) url.searchParams.set("step", step);
    return V.copy(url.href, "Link copied.");
  };
})();
