// Charts as SVG, drawn at the width of their box. Colours come from the style sheet, so that a change of theme needs no drawing.
const Charts = (() => {
  "use strict";
  const SPACE = "http://www.w3.org/2000/svg";

  const element = (name, attributes, text) => {
    const node = document.createElementNS(SPACE, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    return node;
  };

  // Numbers for people.
  const tidy = text => text.replace("-", "\u2212");
  const decimals = (value, digits) => tidy(value.toFixed(digits));
  const number = value => {
    if (Number.isInteger(value)) return tidy(String(value));
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e15)) return tidy(value.toExponential(2));
    return decimals(value, Math.max(0, Math.min(6, 5 - Math.floor(Math.log10(size || 1)))));
  };
  const count = value => {
    const units = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];
    for (const [size, unit] of units) if (value >= size) return `${+(value / size).toPrecision(3)}${unit}`;
    return String(+value.toPrecision(3));
  };
  const seconds = value => {
    if (value === 0) return "0 s";
    if (value < 1e-3) return `${+(value * 1e6).toPrecision(3)} \u00b5s`;
    if (value < 1) return `${+(value * 1e3).toPrecision(3)} ms`;
    if (value < 120) return `${+value.toPrecision(3)} s`;
    if (value < 7200) return `${+(value / 60).toPrecision(3)} min`;
    return `${+(value / 3600).toPrecision(3)} h`;
  };
  const clockText = { playouts: count, seconds };

  // Round values between two ends, about as many as asked for.
  const ticks = (low, high, wanted) => {
    const rough = (high - low) / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(unit => unit * power).find(unit => unit >= rough * 0.999) || rough;
    const all = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) all.push(at * step);
    return { all, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  };
  const powers = (low, high, wanted) => {
    const from = Math.floor(Math.log10(low)), to = Math.ceil(Math.log10(high));
    const every = Math.max(1, Math.ceil((to - from) / Math.max(2, wanted)));
    const units = to - from <= 2 ? [1, 2, 5] : [1];
    const all = [];
    for (let power = from; power <= to; power += every) for (const unit of units) {
      const value = unit * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) all.push(value);
    }
    return all;
  };

  const scale = (low, high, from, to, log) => {
    const map = log ? Math.log10 : value => value;
    const a = map(low), b = map(high);
    const place = value => from + (to - from) * ((map(Math.max(value, log ? low : -Infinity)) - a) / (b - a || 1));
    place.invert = place => { const value = a + (b - a) * ((place - from) / (to - from || 1)); return log ? 10 ** value : value; };
    return place;
  };

  // The mark of a method: its shape as well as its colour distinguishes it from the others.
  const SHAPES = [
    null,
    [[-.85, -.85], [.85, -.85], [.85, .85], [-.85, .85]],
    [[0, -1.1], [1.1, .9], [-1.1, .9]],
    [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
    [[-1.1, -.9], [1.1, -.9], [0, 1.1]],
    [[-.4, -1.1], [.4, -1.1], [.4, -.4], [1.1, -.4], [1.1, .4], [.4, .4], [.4, 1.1], [-.4, 1.1], [-.4, .4], [-1.1, .4], [-1.1, -.4], [-.4, -.4]],
    [[-.6, -1], [.6, -1], [1.2, 0], [.6, 1], [-.6, 1], [-1.2, 0]],
    [[0, -1.15], [1.1, -.25], [.7, 1.1], [-.7, 1.1], [-1.1, -.25]],
  ];
  const mark = (k, x, y, size) => {
    const shape = SHAPES[k % 8];
    const colour = `mark k${k % 8}`;
    if (!shape) return element("circle", { class: colour, cx: x, cy: y, r: size });
    return element("polygon", { class: colour, points: shape.map(([dx, dy]) => `${x + dx * size},${y + dy * size}`).join(" ") });
  };

  const canvas = (host, height) => {
    const width = Math.floor(host.clientWidth);
    if (!width) return null;
    host.querySelectorAll("svg, .tip").forEach(node => node.remove());
    const svg = element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    host.append(svg);
    return { svg, width, height };
  };

  const empty = (host, text) => {
    const box = canvas(host, host.clientHeight || 120);
    if (box) box.svg.append(element("text", { x: box.width / 2, y: box.height / 2, "text-anchor": "middle" }, text));
  };

  let names = 0;
  // Curves of steps with a cross line that shows values: `series` of { k, name, points: [[x, y]..], thin: [[[x, y]..]..] }.
  const steps = (host, { series, clock, log, share, ending }) => {
    const lines = series.flatMap(one => [one.points, ...(one.thin || [])]).filter(points => points.length);
    if (!lines.length) return empty(host, "no feasible solution");
    const box = canvas(host, host.clientHeight);
    if (!box) return undefined;
    const xs = lines.flatMap(points => points.map(point => point[0]));
    let right = Math.max(...lines.map(points => points[points.length - 1][0]), ending || 0);
    const positive = xs.reduce((least, x) => (x > 0 && x < least ? x : least), Infinity);
    if (!(right > 0)) right = 1;
    let left = log ? Math.max(Math.min(positive, right / 10), right * 1e-6) : 0;
    let low = Infinity, high = -Infinity;
    for (const points of lines) for (const [, y] of points) { low = Math.min(low, y); high = Math.max(high, y); }
    if (share) { low = 0; high = 1; } else if (low === high) { low -= 1; high += 1; } else { const pad = (high - low) * 0.05; low -= pad; high += pad; }
    const { svg, width, height } = box;
    const levels = share ? { all: [0, .25, .5, .75, 1], digits: 2 } : ticks(low, high, height / 46);
    const text = value => share ? `${Math.round(value * 100)} %` : decimals(value, levels.digits);
    const inset = Math.max(...levels.all.map(value => text(value).length), 2) * 6.7 + 8;
    const x = scale(left, right, inset, width - 9, log), y = scale(low, high, height - 22, 7, false);
    const grid = element("path", { class: "grid", d: levels.all.map(value => `M${inset} ${y(value)}H${width - 9}`).join("") });
    svg.append(grid);
    for (const value of levels.all) svg.append(element("text", { x: inset - 7, y: y(value) + 4, "text-anchor": "end" }, text(value)));
    const places = log ? powers(left, right, width / 70) : ticks(left, right, width / 90).all;
    const marks = places.map(value => `M${x(value)} ${height - 22}v4`).join("");
    svg.append(element("path", { class: "base", d: `M${inset} ${height - 22}H${width - 9}${marks}` }));
    let last = -Infinity;
    for (const value of places) {
      const words = clockText[clock](value), half = words.length * 3.2, at = Math.min(Math.max(x(value), inset + half - 12), width - half - 1);
      if (at - half < last + 6) continue;
      last = at + half;
      svg.append(element("text", { x: at, y: height - 5, "text-anchor": "middle" }, words));
    }
    const clip = `clip${names += 1}`;
    const frame = element("clipPath", { id: clip });
    frame.append(element("rect", { x: inset - 1, y: 0, width: width - inset - 4, height: height - 20 }));
    svg.append(frame);
    const layer = element("g", { "clip-path": `url(#${clip})` });
    svg.append(layer);
    const path = (points, start) => {
      let d = start === undefined ? "" : `M${x(left).toFixed(1)} ${y(start).toFixed(1)}`;
      points.forEach(([px, py], at) => {
        const ax = x(Math.max(px, left)).toFixed(1), ay = y(py).toFixed(1);
        d += at || d ? `H${ax}V${ay}` : `M${ax} ${ay}`;
      });
      return d;
    };
    const ranked = series.map((one, at) => ({ ...one, at })).reverse();
    for (const one of ranked) for (const points of one.thin || []) layer.append(element("path", { class: `run k${one.k % 8}`, d: path(points) }));
    for (const one of ranked) if (one.points.length) layer.append(element("path", { class: `median k${one.k % 8}`, d: path(one.points, share ? 0 : undefined) }));
    for (const one of ranked) if (one.points.length) {
      const [px, py] = one.points[one.points.length - 1];
      svg.append(mark(one.k, x(px), y(py), 4));
    }
    const value = (points, at) => {
      let found = share ? 0 : undefined;
      for (const [px, py] of points) { if (px > at * (1 + 1e-12)) break; found = py; }
      return found;
    };
    const stops = [...new Set(series.flatMap(one => one.points.map(point => Math.max(point[0], left))))].sort((a, b) => a - b);
    cross(host, box, {
      x, stops, from: inset, to: width - 9, bottom: height - 22,
      title: at => `${clockText[clock](at)}${clock === "playouts" ? " playouts" : ""}`,
      rows: at => series.map(one => [one.k, one.name, value(one.points, at)]).map(([k, name, found]) => [k, name, found === undefined ? "\u2013" : share ? text(found) : number(found)]),
    });
    return undefined;
  };

  // A line that follows the pointer or the arrow keys, with the values there.
  const cross = (host, { svg, width }, { x, stops, from, to, bottom, title, rows }) => {
    const line = element("path", { class: "cross", visibility: "hidden" });
    svg.append(line);
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;
    host.append(tip);
    const hide = () => { tip.hidden = true; line.setAttribute("visibility", "hidden"); };
    let now = null;
    const show = at => {
      now = at;
      const place = x(at);
      line.setAttribute("d", `M${place} 4V${bottom}`);
      line.setAttribute("visibility", "visible");
      tip.textContent = "";
      const head = document.createElement("b");
      head.textContent = title(at);
      tip.append(head);
      for (const [k, name, text] of rows(at)) {
        const row = document.createElement("div"), key = document.createElement("span"), label = document.createElement("span"), figure = document.createElement("i");
        key.className = `key k${k % 8}`;
        label.textContent = name;
        figure.textContent = text;
        row.append(key, label, figure);
        tip.append(row);
      }
      tip.hidden = false;
      const room = tip.offsetWidth + 14;
      tip.style.left = `${Math.max(0, place + room < width ? place + 12 : place - room)}px`;
      tip.style.top = "6px";
    };
    host.onpointermove = event => {
      const place = event.clientX - host.getBoundingClientRect().left;
      if (place < from - 4 || place > to + 4) hide(); else show(x.invert(Math.min(Math.max(place, from), to)));
    };
    host.onpointerleave = hide;
    host.onblur = hide;
    host.onkeydown = event => {
      const key = event.key;
      if (key === "Escape") return hide();
      if (!["ArrowLeft", "ArrowRight", "Home", "End"].includes(key) || !stops.length) return undefined;
      event.preventDefault();
      const here = now === null ? 0 : stops.findIndex(stop => stop >= now);
      const at = key === "Home" ? 0 : key === "End" ? stops.length - 1 : (here < 0 ? stops.length - 1 : here) + (key === "ArrowLeft" ? -1 : now === null ? 0 : 1);
      return show(stops[Math.min(Math.max(at, 0), stops.length - 1)]);
    };
  };

  // Rows of means with intervals: `rows` of { k, label, mean, low, high, values }.
  const intervals = (host, { rows, zero, sides }) => {
    const known = rows.filter(row => row.mean !== null);
    if (!known.length) return empty(host, "no scores");
    const height = known.length * 34 + 30 + (sides ? 16 : 0);
    host.classList.add("rows");
    const box = canvas(host, height);
    if (!box) return undefined;
    const { svg, width } = box;
    let low = zero ? 0 : Infinity, high = zero ? 0 : -Infinity;
    for (const row of known) for (const value of [row.mean, row.low, row.high, ...(row.values || [])]) {
      if (value === null || value === undefined) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    const pad = (high - low) * 0.06 || 1;
    const longest = Math.max(...known.map(row => row.label.length)) * 7.2 + 16;
    const narrow = width < 520;
    const inset = narrow ? 6 : Math.min(longest, width * 0.4);
    const x = scale(low - pad, high + pad, inset, width - 10, false);
    const floor = height - 22;
    const { all, digits } = ticks(low - pad, high + pad, (width - inset) / 90);
    svg.append(element("path", { class: "grid", d: all.map(value => `M${x(value)} ${sides ? 16 : 2}V${floor}`).join("") }));
    for (const value of all) svg.append(element("text", { x: Math.min(Math.max(x(value), inset + 10), width - 16), y: height - 5, "text-anchor": "middle" }, decimals(value, digits)));
    if (zero) svg.append(element("path", { class: "base", "stroke-width": 2, d: `M${x(0)} ${sides ? 16 : 2}V${floor}` }));
    if (sides) {
      svg.append(element("text", { x: x(0) - 8, y: 10, "text-anchor": "end" }, `\u2190 ${sides[0]}`));
      svg.append(element("text", { x: x(0) + 8, y: 10 }, `${sides[1]} \u2192`));
    }
    known.forEach((row, at) => {
      const y = (sides ? 16 : 0) + at * 34 + (narrow ? 22 : 17);
      const label = element("text", { class: "strong", x: narrow ? inset : inset - 12, y: narrow ? y - 8 : y + 4, "text-anchor": narrow ? "start" : "end" });
      const room = Math.floor((narrow ? width : inset) / 7.2);
      label.textContent = row.label.length > room ? `${row.label.slice(0, Math.max(3, room - 2))}\u2026` : row.label;
      const group = element("g", { class: `k${row.k % 8}` });
      for (const value of row.values || []) if (value !== null) group.append(element("circle", { class: "dot", cx: x(value), cy: y, r: 2.6 }));
      if (row.low !== null) group.append(element("path", { class: "bar", d: `M${x(row.low)} ${y}H${x(row.high)}M${x(row.low)} ${y - 5}v10M${x(row.high)} ${y - 5}v10` }));
      group.append(mark(row.k, x(row.mean), y, 5.5));
      const words = row.low === null ? number(row.mean) : `${number(row.mean)}, 95 % interval ${number(row.low)} to ${number(row.high)}`;
      group.append(element("title", {}, `${row.label}: ${words}`));
      svg.append(label, group);
    });
    return undefined;
  };

  // Columns: `bins` of [from, to, count].
  const columns = (host, { bins, k, marker }) => {
    if (!bins.length) return empty(host, "nothing yet");
    const box = canvas(host, host.clientHeight);
    if (!box) return undefined;
    const { svg, width, height } = box;
    const low = bins[0][0], high = bins[bins.length - 1][1], most = Math.max(...bins.map(bin => bin[2]));
    const x = scale(low, high === low ? low + 1 : high, 8, width - 8, false), y = scale(0, most, height - 22, 8, false);
    const group = element("g", { class: `k${k % 8}` });
    for (const [from, to, size] of bins) {
      const left = x(from), right = x(to);
      group.append(element("rect", { class: "column", x: left + .5, y: y(size), width: Math.max(1, right - left - 1), height: height - 22 - y(size) }));
    }
    svg.append(group, element("path", { class: "base", d: `M8 ${height - 22}H${width - 8}` }));
    const { all, digits } = ticks(low, high === low ? low + 1 : high, width / 80);
    for (const value of all) svg.append(element("text", { x: Math.min(Math.max(x(value), 16), width - 16), y: height - 5, "text-anchor": "middle" }, decimals(value, digits)));
    if (marker !== null && marker !== undefined && marker >= low && marker <= high) svg.append(element("path", { class: "cross", d: `M${x(marker)} 4V${height - 22}` }));
    return undefined;
  };

  return { steps, intervals, columns, number, count, seconds };
})();
