// Figures name their colours by the tokens of the stylesheet, so that they follow light and dark.
// A report does what the device prefers; a page of the docs names its scheme on its body.
(() => {
  const resolve = (value, style) => {
    if (typeof value === "string") {
      const token = /^var\((--[\w-]+)\)$/.exec(value);
      return token ? style.getPropertyValue(token[1]).trim() : value;
    }
    if (Array.isArray(value)) return value.map((entry) => resolve(entry, style));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, entry]) => [name, resolve(entry, style)]),
    );
  };
  const draw = () => {
    const style = getComputedStyle(document.body);
    for (const plot of document.querySelectorAll(".plot")) {
      const { data, layout } = resolve(JSON.parse(plot.nextElementSibling.textContent), style);
      Plotly.react(plot, data, layout, { responsive: true, displayModeBar: false });
    }
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new MutationObserver(draw).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
})();
