// Draws a Plotly figure and updates it in place. It fetches the library from the page's own server, once a page, and
// nothing else. What the figure shows as text was written by the workbench; Plotly reads no user text as markup here.
const PATIENCE = 2000; // ms that Plotly may still be at work on a plot that is gone
const plots = new WeakMap();

export default function (component) {
  const root = component.parentElement;
  if (!plots.has(root)) plots.set(root, new Plot(root.querySelector(".wb-plot")));
  plots.get(root).receive(component.data);
  return () => {
    plots.get(root)?.end();
    plots.delete(root);
  };
}

class Plot {
  constructor(box) {
    this.box = box;
    this.shown = "";
    this.width = 0;
    this.ended = false;
    this.view = null;
    this.zoomed = {}; // ranges by axis that the user chose
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(box);
  }

  async receive(data) {
    this.data = data;
    this.box.style.minHeight = `${data.height}px`;
    this.box.setAttribute("role", "img");
    this.box.setAttribute("aria-label", data.alt);
    let library;
    try {
      library = await load(data.source);
    } catch {
      this.box.textContent = data.failed;
      return;
    }
    if (this.data === data && !this.ended) this.draw(library);
  }

  draw(library) {
    const { data, box } = this;
    const theme = themeOf(box);
    const state = JSON.stringify([data.figure, data.height, data.view, theme]);
    if (state === this.shown) return;
    if (this.shown === "") box.textContent = "";
    this.shown = state;
    this.library = library;
    const figure = JSON.parse(data.figure, (_, value) => (value in theme ? theme[value] : value));
    figure.layout = { ...figure.layout, height: data.height, uirevision: data.view };
    if (this.view !== data.view) this.zoomed = {};
    this.view = data.view;
    for (const [axis, range] of Object.entries(this.zoomed)) Object.assign(figure.layout[axis], { range, autorange: false });
    const isNew = !box.on;
    library.react(box, figure.data, figure.layout, {
      displaylogo: false,
      displayModeBar: "hover",
      modeBarButtonsToRemove: ["select2d", "lasso2d", "resetScale2d"],
      doubleClick: "autosize",
      responsive: false,
      scrollZoom: false,
    });
    if (isNew) box.on("plotly_relayout", (change) => this.keepZoom(change));
  }

  // Plotly forgets a zoom when a figure gives the axis another range, as each one does whose time goes on.
  keepZoom(change) {
    for (const [name, value] of Object.entries(change)) {
      const [, axis, what] = /^([xy]axis\d*)\.(range\[0\]|range|autorange)$/.exec(name) ?? [];
      if (what === "autorange") delete this.zoomed[axis];
      else if (what === "range") this.zoomed[axis] = value;
      else if (what) this.zoomed[axis] = [value, change[`${axis}.range[1]`]];
    }
  }

  // As wide as its place, which changes with the window and the sidebar.
  fit() {
    const width = Math.round(this.box.getBoundingClientRect().width);
    if (!this.library || !width || width === this.width) return;
    this.width = width;
    this.library.Plots.resize(this.box);
  }

  end() {
    this.ended = true;
    this.observer.disconnect();
    setTimeout(() => this.library?.purge(this.box), PATIENCE);
  }
}

// The library, as a promise that the page's plots share.
function load(source) {
  window.workbenchPlotly ??= new Promise((done, fail) => {
    if (window.Plotly) return done(window.Plotly);
    const script = document.createElement("script");
    script.src = source;
    script.onload = () => done(window.Plotly);
    script.onerror = () => {
      window.workbenchPlotly = undefined;
      fail(new Error("not loaded"));
    };
    document.head.append(script);
  });
  return window.workbenchPlotly;
}

function themeOf(box) {
  const style = getComputedStyle(box);
  const read = (name, otherwise) => style.getPropertyValue(`--st-${name}`).trim() || otherwise;
  return {
    "@text": read("text-color", "#333333"),
    "@faint": mixed(read("text-color", "#333333"), 0.55),
    "@grid": mixed(read("text-color", "#333333"), 0.12),
    "@background": read("background-color", "#ffffff"),
    "@font": read("font", "sans-serif"),
  };
}

// A colour of the theme (#rrggbb), seen through.
function mixed(colour, share) {
  const parts = /^#(..)(..)(..)/.exec(colour);
  if (!parts) return colour;
  return `rgba(${parts.slice(1).map((part) => parseInt(part, 16)).join(",")},${share})`;
}
