/* Which preset the question field holds, and the shape of the film: both only mark what is there. */
(() => {
  const V = window.VESTA;
  const mark = () => {
    const text = document.querySelector("#question textarea")?.value.trim() || "";
    document.querySelectorAll("#presets .preset").forEach((preset) => preset.setAttribute("aria-pressed", String(preset.title === text)));
  };
  document.addEventListener("input", (event) => event.target.closest?.("#question") && mark());
  for (const name of ["video", "run", "status"]) V.on(name, () => setTimeout(mark));
  V.on("video", (facts) => {
    const shape = facts.width / facts.height;
    document.body.style.setProperty("--v-aspect", Number.isFinite(shape) ? Math.min(2.4, Math.max(1, shape)).toFixed(4) : "1.7778");
  });
})();
