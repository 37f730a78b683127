// Draws the charts of the page from its data, and heeds the controls.
const Page = (() => {
  "use strict";
  let studies = [];

  const chosen = (section, name, fallback) => {
    const input = section && section.querySelector(`[data-choice="${name}"] input:checked`);
    return input ? input.value : fallback;
  };
  const checked = (section, name) => {
    const input = section && section.querySelector(`input[data-choice="${name}"]`);
    return !input || input.checked;
  };

  const kinds = {
    convergence(host, study, section) {
      const clock = chosen(section, "clock", "playouts"), runs = checked(section, "runs");
      const series = study.instances[+host.dataset.at].series.map((one, k) => ({ k, name: study.methods[k], of: one[clock] }))
        .filter(one => one.of && (one.of.runs.length || one.of.median.length))
        .map(one => ({ k: one.k, name: one.name, points: one.of.median, thin: runs ? one.of.runs : [] }));
      Charts.steps(host, { series, clock, log: chosen(section, "axis", "log") === "log" });
    },
    profile(host, study, section) {
      const clock = chosen(section, "clock", "playouts"), level = study.levels[+chosen(section, "level", "2")];
      const series = level.methods.map((one, k) => {
        const times = one[clock] || [];
        const points = times.map((time, at) => [time, (at + 1) / one.runs]);
        points.push([Math.max(one.length[clock], points.length ? points[points.length - 1][0] : 0), times.length / one.runs]);
        return { k, name: study.methods[k], points: one.runs ? points : [] };
      });
      Charts.steps(host, { series, clock, log: chosen(section, "axis", "log") === "log", share: true });
    },
    finals(host, study) {
      Charts.intervals(host, { rows: study.finals.map((one, k) => ({ k, label: study.methods[k], ...one, values: study.instances.length > 1 ? one.values : [] })) });
    },
    pairs(host, study) {
      const rows = study.pairs.map(pair => ({ k: pair.a, label: `${study.methods[pair.a]} \u2212 ${study.methods[pair.b]}`, ...pair }));
      Charts.intervals(host, { rows, zero: true, sides: study.sense === "maximize" ? ["B better", "A better"] : ["A better", "B better"] });
    },
  };

  const draw = host => {
    const article = host.closest("[data-study]");
    const study = article && studies[+article.dataset.study];
    if (study && kinds[host.dataset.chart]) kinds[host.dataset.chart](host, study, host.closest("section"));
  };

  const widths = new WeakMap();
  const watcher = new ResizeObserver(entries => {
    for (const { target } of entries) {
      if (widths.get(target) === target.clientWidth) continue;
      widths.set(target, target.clientWidth);
      (target.redraw || draw)(target);
    }
  });
  const watch = host => watcher.observe(host);

  // Shows the data in the charts of `root`.
  const show = (root, data) => {
    studies = data;
    root.querySelectorAll("[data-study] .chart").forEach(host => { widths.delete(host); watch(host); draw(host); });
  };

  document.documentElement.classList.add("scripted");
  document.addEventListener("change", event => {
    const section = event.target.closest(".controls") && event.target.closest("section");
    if (section) section.querySelectorAll(".chart").forEach(host => (host.redraw || draw)(host));
  });
  document.addEventListener("submit", event => event.preventDefault());

  // A drawing in full size.
  document.addEventListener("click", event => {
    const button = event.target.closest(".enlarge");
    const image = button && button.querySelector("img");
    if (!image || !image.src) return;
    const dialog = document.createElement("dialog"), close = document.createElement("button"), large = new Image();
    close.textContent = "Close";
    close.onclick = () => dialog.close();
    large.src = image.src;
    large.alt = image.alt;
    dialog.append(close, large);
    dialog.onclick = inner => { if (inner.target === dialog) dialog.close(); };
    dialog.onclose = () => dialog.remove();
    document.body.append(dialog);
    dialog.showModal();
  });

  // Light or dark: as the system says, or as chosen here.
  const button = document.getElementById("theme"), root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const label = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  const stored = value => {
    // A page from disk may not be allowed to remember.
    try { return value === undefined ? localStorage.getItem("soloist-theme") : localStorage.setItem("soloist-theme", value); } catch { return null; }
  };
  const before = stored();
  if (before === "dark" || before === "light") root.dataset.theme = before;
  button.hidden = false;
  button.onclick = () => { root.dataset.theme = isDark() ? "light" : "dark"; stored(root.dataset.theme); label(); };
  dark.addEventListener("change", label);
  label();

  const data = document.getElementById("data");
  if (data) show(document, JSON.parse(data.textContent));
  return { show, watch };
})();
