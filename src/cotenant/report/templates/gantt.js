"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const fields = byId("fields"), told = byId("told"), found = byId("found");
  const number = new Intl.NumberFormat("en", {maximumFractionDigits: 1});
  const words = ["hardly waited", "waited", "waited long", "waited very long"];
  let run = null, from = 0, to = 1, end = 1, pieces = [], marked = -1, waiting = false;

  const span = (seconds) => {
    const parts = [[86400, "d"], [3600, "h"], [60, "min"]];
    for (const [size, word] of parts) {
      if (Math.abs(seconds) >= size) return `${number.format(seconds / size)} ${word}`;
    }
    return `${number.format(seconds)} s`;
  };

  const clock = (seconds) => {
    const days = Math.floor(seconds / 86400), rest = seconds - days * 86400;
    const two = (value) => String(Math.floor(value)).padStart(2, "0");
    return `day ${days}, ${two(rest / 3600)}:${two(rest / 60 % 60)}:${two(rest % 60)}`;
  };

  const load = (at) => {
    run = data.runs[at];
    end = run.finish.reduce((most, time) => Math.max(most, time), 1);
    from = 0;
    to = end;
    marked = -1;
    pieces = run.clusters.map(() => []);
    run.job.forEach((job, piece) => pieces[run.cluster[job]].push(piece));
    fields.replaceChildren(...run.clusters.map((cluster, c) => {
      const figure = document.createElement("figure");
      const title = document.createElement("h3"), canvas = document.createElement("canvas");
      title.textContent = `${cluster.name}: ${cluster.size} processors, speed ${number.format(cluster.speed)}`;
      canvas.className = "field";
      canvas.dataset.cluster = c;
      canvas.setAttribute("role", "img");
      const jobs = run.cluster.filter((other) => other === c).length;
      canvas.setAttribute("aria-label", `${jobs} jobs of ${cluster.name} over time`);
      figure.append(title, canvas);
      return figure;
    }));
    later();
  };

  const later = () => {
    if (!waiting) requestAnimationFrame(() => { waiting = false; draw(); });
    waiting = true;
  };

  const ticks = (width) => {
    const steps = [1, 10, 60, 300, 900, 3600, 10800, 21600, 43200, 86400, 172800, 604800, 2592000, 31536000];
    const least = (to - from) * 90 / width;
    return steps.find((step) => step >= least) ?? steps.at(-1);
  };

  const draw = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const fills = ["--slow0", "--slow1", "--slow2", "--slow3"].map(colour);
    const ink = colour("--ink"), line = colour("--line"), quiet = colour("--quiet");
    for (const canvas of fields.querySelectorAll("canvas")) {
      const c = Number(canvas.dataset.cluster), size = run.clusters[c].size;
      const width = canvas.clientWidth, height = canvas.clientHeight, dense = devicePixelRatio || 1;
      canvas.width = width * dense;
      canvas.height = height * dense;
      const pen = canvas.getContext("2d"), foot = 18, tall = (height - foot) / size;
      pen.scale(dense, dense);
      const x = (time) => (time - from) / (to - from) * width;
      const mine = pieces[c], shown = mine.filter((p) => run.finish[run.job[p]] > from && run.start[run.job[p]] < to);
      // Gaps between blocks only where there is room for them.
      const gap = shown.length * 4 < width ? 1 : 0;
      for (const slow of [0, 1, 2, 3]) {
        pen.fillStyle = fills[slow];
        for (const p of shown) {
          const job = run.job[p];
          if (run.slow[job] !== slow) continue;
          const left = Math.max(x(run.start[job]), -1), right = Math.min(x(run.finish[job]), width + 1);
          const top = height - foot - run.high[p] * tall;
          pen.fillRect(left, top, Math.max(right - left - gap, 0.4), Math.max((run.high[p] - run.low[p]) * tall - (tall > 2 ? gap : 0), 0.4));
        }
      }
      pen.strokeStyle = ink;
      pen.lineWidth = 2;
      for (const p of mine) {
        const job = run.job[p];
        if (job !== marked) continue;
        const top = height - foot - run.high[p] * tall;
        pen.strokeRect(x(run.start[job]), top, Math.max(x(run.finish[job]) - x(run.start[job]), 2), (run.high[p] - run.low[p]) * tall);
      }
      pen.lineWidth = 1;
      pen.strokeStyle = line;
      pen.fillStyle = quiet;
      pen.font = "12px system-ui, sans-serif";
      const step = ticks(width);
      for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
        pen.beginPath();
        pen.moveTo(x(time), height - foot);
        pen.lineTo(x(time), height - foot + 4);
        pen.stroke();
        const text = step >= 86400 ? `day ${Math.round(time / 86400)}` : clock(time).replace(/:00$/, "");
        if (x(time) + 70 < width) pen.fillText(text, x(time) + 2, height - 3);
      }
      pen.strokeRect(0.5, 0.5, width - 1, height - foot);
    }
  };

  const move = (share) => {
    const wide = to - from;
    from = Math.min(Math.max(from + share * wide, 0), end - wide);
    to = from + wide;
    later();
  };

  const zoom = (factor, about = 0.5) => {
    const middle = from + about * (to - from);
    const wide = Math.min(Math.max((to - from) * factor, 10), end);
    from = Math.min(Math.max(middle - about * wide, 0), end - wide);
    to = from + wide;
    later();
  };

  const say = (job) => {
    const wait = run.start[job] - run.submit[job];
    return `Job ${run.id[job]}: ${run.processors[job]} processors of ${run.clusters[run.cluster[job]].name}, ` +
      `submitted ${clock(run.submit[job])}, started ${clock(run.start[job])} after ${span(wait)}, ` +
      `ran ${span(run.finish[job] - run.start[job])}; ${words[run.slow[job]]}.`;
  };

  const under = (event) => {
    const canvas = event.target;
    if (canvas.tagName !== "CANVAS") return -1;
    const c = Number(canvas.dataset.cluster), box = canvas.getBoundingClientRect();
    const time = from + (event.clientX - box.left) / box.width * (to - from);
    const processor = (box.bottom - 18 - event.clientY) / (box.height - 18) * run.clusters[c].size;
    const piece = pieces[c].find((p) => run.start[run.job[p]] <= time && time < run.finish[run.job[p]] &&
      run.low[p] <= processor && processor < run.high[p]);
    return piece === undefined ? -1 : run.job[piece];
  };

  let held = null;
  fields.addEventListener("pointerdown", (event) => { held = event.clientX; });
  addEventListener("pointerup", () => { held = null; });
  fields.addEventListener("pointermove", (event) => {
    if (held !== null) {
      move((held - event.clientX) / Math.max(event.target.clientWidth, 1));
      held = event.clientX;
      return;
    }
    const job = under(event);
    if (job === marked) return;
    marked = job;
    if (job >= 0) told.textContent = say(job);
    later();
  });
  fields.addEventListener("wheel", (event) => {
    const box = event.target.getBoundingClientRect();
    if (event.ctrlKey) zoom(Math.exp(event.deltaY / 300), (event.clientX - box.left) / box.width);
    else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX / box.width);
    else return;
    event.preventDefault();
  }, {passive: false});

  const show = () => {
    const wanted = byId("search").value.trim(), job = run.id.findIndex((id) => String(id) === wanted);
    found.textContent = job < 0 ? "no such job" : "";
    if (job < 0) return;
    const wide = Math.min(Math.max((run.finish[job] - run.start[job]) * 4, 60), end);
    from = Math.min(Math.max((run.start[job] + run.finish[job] - wide) / 2, 0), end - wide);
    to = from + wide;
    marked = job;
    told.textContent = say(job);
    later();
  };

  byId("find").addEventListener("click", show);
  byId("search").addEventListener("keydown", (event) => { if (event.key === "Enter") show(); });
  byId("run").addEventListener("change", (event) => load(Number(event.target.value)));
  byId("in").addEventListener("click", () => zoom(0.5));
  byId("out").addEventListener("click", () => zoom(2));
  byId("earlier").addEventListener("click", () => move(-0.5));
  byId("later").addEventListener("click", () => move(0.5));
  byId("whole").addEventListener("click", () => zoom(1e9));
  addEventListener("resize", later);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later);
  load(0);
})();
