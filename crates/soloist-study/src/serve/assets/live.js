// The live view: listens to the program, keeps the runs, draws them.
(() => {
  "use strict";
  const runs = new Map();
  const place = document.getElementById("runs"), state = document.getElementById("state"), stop = document.getElementById("stop");
  const about = document.getElementById("about"), body = document.getElementById("body");
  let session = null, over = false, kind = "solve";

  const make = (tag, className, text) => {
    const node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const say = (text, mood) => { state.textContent = text; state.dataset.mood = mood; };

  // One figure with its name, for the head of a run.
  const fact = (list, name) => {
    const box = make("div"), value = make("dd", "", "\u2013");
    box.append(make("dt", "", name), value);
    list.append(box);
    return value;
  };

  // The card of a run.
  const card = (id, start) => {
    const root = make("article", "card");
    const title = make("h3", "", kind === "solve" ? `${start.method}, seed ${start.seed}` : `${start.label || start.method} \u00b7 ${start.instance} \u00b7 seed ${start.seed}`);
    const facts = make("dl", "facts");
    const values = { score: fact(facts, "best score"), playouts: fact(facts, "playouts"), rate: fact(facts, "playouts/s"), seconds: fact(facts, "time"), bound: fact(facts, "bound") };
    values.bound.parentElement.hidden = true;
    const bar = make("progress", "bar");
    bar.max = 1;
    bar.hidden = true;
    bar.setAttribute("aria-label", "Part of the budget that is used up");
    const views = make("div", "views");
    const left = make("div"), chart = make("div", "chart tall");
    chart.tabIndex = 0;
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", "Best score over time");
    left.append(make("h4", "", "Best score over time"), chart);
    const right = make("div"), head = make("h4", "", "Best solution"), frame = make("button", "enlarge"), image = make("img"), slider = make("input"), step = make("output");
    frame.type = "button";
    frame.append(image);
    frame.setAttribute("aria-label", "Enlarge the drawing");
    image.alt = "";
    slider.type = "range";
    slider.min = 0;
    slider.max = 0;
    slider.value = 0;
    slider.setAttribute("aria-label", "Improvement that is drawn");
    const latest = make("button", "", "Latest");
    latest.type = "button";
    const scrub = make("div", "scrub");
    scrub.append(slider, latest, step);
    right.append(head, frame, scrub);
    const spread = make("div"), columns = make("div", "chart short");
    columns.setAttribute("role", "img");
    columns.setAttribute("aria-label", "Distribution of the scores of playouts");
    const spreadNote = make("p", "fine"), gauges = make("div");
    spread.append(make("h4", "", "Scores of playouts"), columns, spreadNote);
    spread.hidden = true;
    left.append(spread);
    right.append(gauges);
    views.append(left, right);
    const details = make("details"), list = make("dl", "params");
    details.append(make("summary", "", "Parameters"), list);
    const parameters = { method: start.method, rollout: start.rollout, threads: start.threads, ...start.parameters };
    for (const name of Object.keys(parameters)) {
      const row = make("div");
      row.append(make("dt", "", name), make("dd", "", String(parameters[name])));
      list.append(row);
    }
    details.open = kind === "solve";
    root.append(title, facts, bar, views, details);
    place.append(root);
    const run = { id, start, root, values, bar, chart, columns, spread, spreadNote, gauges, image, frame, slider, step, latest, points: [], kept: [], drawings: new Map(), follow: true, dirty: true };
    slider.oninput = () => { run.follow = +slider.value === run.kept.length - 1; draw(run); };
    latest.onclick = () => { run.follow = true; run.dirty = true; };
    chart.redraw = () => curve(run);
    Page.watch(chart);
    columns.redraw = () => histogram(run);
    Page.watch(columns);
    return run;
  };

  const curve = run => {
    const section = document.getElementById("live");
    const clock = section.querySelector("[data-choice=clock] input:checked").value, log = section.querySelector("[data-choice=axis] input:checked").value === "log";
    const points = run.points.filter(point => point.score !== null).map(point => [point[clock], point.score]);
    const now = run.end || run.progress;
    if (points.length && now) points.push([Math.max(now[clock], points[points.length - 1][0]), points[points.length - 1][1]]);
    Charts.steps(run.chart, { series: [{ k: 0, name: "best score", points }], clock, log });
  };

  const histogram = run => {
    if (!run.scores) return;
    const best = run.points.length ? run.points[run.points.length - 1].score : null;
    Charts.columns(run.columns, { bins: run.scores.bins, k: 0, marker: best });
    run.spreadNote.textContent = `A sample of ${run.scores.count} recent playouts, mean ${Charts.number(run.scores.mean)}.`;
  };

  // Fetches a drawing once; text that is no drawing explains why the drawing is missing.
  const fetched = (run, number) => {
    if (!run.drawings.has(number)) {
      run.drawings.set(number, fetch(`/drawing/${run.id}/${number}.svg`).then(async answer => {
        const text = await answer.text();
        return answer.ok ? { address: `data:image/svg+xml,${encodeURIComponent(text)}` } : { why: text.trim() };
      }).catch(() => { run.drawings.delete(number); return { why: "the program has ended" }; }));
    }
    return run.drawings.get(number);
  };

  // Shows the improvement that the scrubber is at.
  const draw = async run => {
    if (!run.kept.length) return;
    run.slider.max = run.kept.length - 1;
    if (run.follow) run.slider.value = run.kept.length - 1;
    run.latest.disabled = run.follow;
    const number = run.kept[+run.slider.value], point = run.points[number];
    if (number === undefined || !point) return;
    const score = point.score === null ? "infeasible" : Charts.number(point.score);
    run.step.textContent = `${score} after ${Charts.seconds(point.seconds)}, ${Charts.count(point.playouts)} playouts (improvement ${number + 1} of ${run.points.length})`;
    run.slider.setAttribute("aria-valuetext", run.step.textContent);
    run.wanted = number;
    const drawing = await fetched(run, number);
    if (run.wanted !== number) return;
    run.image.alt = drawing.address ? `Solution with score ${score}` : `No drawing: ${drawing.why}`;
    if (drawing.address) run.image.src = drawing.address; else run.image.removeAttribute("src");
  };

  // The part of the budget that is used up.
  const part = run => {
    const budget = run.start.budget || {}, now = run.end || run.progress;
    if (!now) return null;
    const parts = ["time", "playouts", "nodes"].filter(name => budget[name]).map(name => (name === "time" ? now.seconds : now[name]) / budget[name]);
    return parts.length ? Math.min(1, Math.max(...parts)) : null;
  };

  const show = run => {
    run.dirty = false;
    const now = run.end || run.progress, last = run.points[run.points.length - 1], { values } = run;
    if (last) values.score.textContent = last.score === null ? `infeasible by ${Charts.number(last.violation)}` : Charts.number(last.score);
    const at = now || last;
    if (at) {
      values.playouts.textContent = Charts.count(at.playouts);
      values.seconds.textContent = Charts.seconds(at.seconds);
      const spent = at.seconds - run.start.seconds;
      values.rate.textContent = spent > 0 ? Charts.count((at.playouts - run.start.playouts) / spent) : "\u2013";
    }
    if (now && now.bound !== null && now.bound !== undefined) {
      values.bound.parentElement.hidden = false;
      values.bound.textContent = Charts.number(now.bound) + (run.end && run.end.optimal ? " (optimal)" : "");
    }
    const done = part(run);
    run.bar.hidden = done === null || Boolean(run.end);
    if (done !== null) run.bar.value = done;
    run.root.classList.toggle("ended", Boolean(run.end));
    curve(run);
    histogram(run);
    draw(run);
  };

  // A comparison shows the runs at work. While none is at work, it shows the last two that ended.
  const tidy = () => {
    if (kind !== "bench") return;
    const ended = [...runs.values()].filter(run => run.end), working = runs.size - ended.length;
    ended.slice(0, Math.max(0, ended.length - (working ? 0 : 2))).forEach(run => { run.root.remove(); runs.delete(run.id); });
  };

  const sections = ({ html, charts }) => {
    const checked = [...body.querySelectorAll("input:checked")].map(input => [input.name, input.value, input.dataset.choice]);
    const unchecked = [...body.querySelectorAll("input[type=checkbox]:not(:checked)")].map(input => input.closest("section").id);
    const open = [...body.querySelectorAll("details")].map(node => node.open), focus = document.activeElement && body.contains(document.activeElement);
    // While a control has the focus, the sections are not replaced.
    if (focus && document.activeElement.matches("input")) { later = { html, charts }; return; }
    body.innerHTML = html;
    for (const [name, value] of checked) body.querySelectorAll("input[type=radio]").forEach(input => { if (input.name === name && input.value === value) input.checked = true; });
    for (const id of unchecked) body.querySelectorAll(`#${id} input[type=checkbox]`).forEach(input => { input.checked = false; });
    body.querySelectorAll("details").forEach((node, at) => { if (at < open.length) node.open = open[at]; });
    Page.show(body, charts);
  };
  let later = null;
  document.addEventListener("focusout", () => setTimeout(() => { if (later) { const data = later; later = null; sections(data); } }, 0));

  const source = new EventSource("/events");
  const on = (name, take) => source.addEventListener(name, event => take(JSON.parse(event.data)));
  on("hello", hello => {
    if (session && session !== hello.session) return location.reload();
    ({ session, kind } = hello);
    stop.hidden = !hello.stop;
    document.getElementById("live-title").textContent = kind === "files" ? "Runs with events" : "At work";
    document.getElementById("live").hidden = kind === "files";
    return say("live", "good");
  });
  on("start", start => {
    if (runs.has(start.run)) return;
    document.getElementById("live").hidden = false;
    const run = card(start.run, start);
    runs.set(start.run, run);
    // What came with it is there in a moment.
    setTimeout(() => show(run), 30);
    if (kind === "solve") about.textContent = start.describe || "";
    tidy();
    place.classList.toggle("several", runs.size > 1);
  });
  const with_run = take => data => { const run = runs.get(data.run); if (run) { take(run, data); run.dirty = true; } };
  on("improved", with_run((run, data) => { run.points[data.number] = data; }));
  on("kept", with_run((run, data) => { run.kept = data.numbers; }));
  on("progress", with_run((run, data) => { run.progress = data; }));
  on("scores", with_run((run, data) => { run.scores = data; run.spread.hidden = false; }));
  on("gauges", with_run((run, data) => {
    for (const { name, points } of data.gauges) {
      let gauge = [...run.gauges.children].find(node => node.dataset.name === name);
      if (!gauge) {
        gauge = make("div");
        gauge.dataset.name = name;
        const chart = make("div", "chart short");
        chart.setAttribute("role", "img");
        chart.redraw = host => Charts.steps(host, { series: [{ k: 2, name, points: gauge.points }], clock: "seconds", log: false });
        gauge.append(make("h4"), chart);
        run.gauges.append(gauge);
        Page.watch(chart);
      }
      gauge.points = points;
      const [head, chart] = gauge.children, text = `${name}: ${Charts.number(+points[points.length - 1][1].toPrecision(3))}`;
      head.textContent = text[0].toUpperCase() + text.slice(1);
      chart.setAttribute("aria-label", text);
      chart.redraw(chart);
    }
  }));
  on("end", with_run((run, data) => { run.end = data; tidy(); }));
  on("body", sections);
  // The files were cut or replaced: what is shown of them is no longer so.
  on("reset", () => location.reload());
  on("notes", ({ notes }) => {
    const list = document.getElementById("notes");
    list.replaceChildren(...notes.map(note => make("li", "", note)));
    list.hidden = notes.length === 0;
  });
  on("bye", () => {
    over = true;
    source.close();
    say("ended", "over");
    stop.hidden = true;
    // What the page needs later it fetches while the program is there.
    for (const run of runs.values()) for (const number of run.kept) fetched(run, number);
  });
  source.onerror = () => { if (!over) say("connection lost", "bad"); };
  source.onopen = () => { if (!over) say("live", "good"); };

  stop.onclick = async () => {
    stop.disabled = true;
    say("stopping", "over");
    const answer = await fetch("/stop", { method: "POST" }).catch(() => null);
    if (!answer || !answer.ok) { stop.disabled = false; say("could not stop", "bad"); }
  };

  setInterval(() => { for (const run of runs.values()) if (run.dirty) show(run); }, 250);
})();
