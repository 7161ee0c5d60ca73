"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);

  for (const chart of data.charts) {
    const place = document.querySelector(`[data-chart="${CSS.escape(chart.key)}"]`);
    if (place) {
      const options = {ast: true, renderer: "svg", actions: false, defaultStyle: false,
        mode: "vega-lite", tooltip: {theme: "custom", disableDefaultStyle: true}};
      vegaEmbed(place, chart.spec, options).catch(console.error);
    }
  }

  const copy = document.getElementById("copy");
  if (copy) copy.addEventListener("click", async () => {
    const command = document.getElementById("command");
    try {
      await navigator.clipboard.writeText(command.textContent);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(command);
      copy.textContent = "Selected";
    }
    setTimeout(() => { copy.textContent = "Copy"; }, 2000);
  });

  if (!data.table) return;
  const size = 25, most = 64, columns = data.table.columns, total = columns[0].values.length;
  const byId = (id) => document.getElementById(id);
  const names = columns.filter((column) => column.kind === "name");
  const collator = new Intl.Collator("en", {numeric: true});
  const digits = new Intl.NumberFormat("en", {maximumSignificantDigits: 3});
  const whole = new Intl.NumberFormat("en");
  let rows = Array.from({length: total}, (_, row) => row);
  let page = 0, sorted = null, down = false;

  const shown = (column, row) => {
    const value = column.values[row];
    if (value === null) return "-";
    if (column.kind === "percent") return digits.format(value * 100) + " %";
    if (column.kind !== "number") return value;
    return Number.isInteger(value) ? whole.format(value) : digits.format(value);
  };

  const order = (column) => (one, other) => {
    const a = column.values[one], b = column.values[other];
    if (a === null || b === null) return (a === null) - (b === null);
    const first = typeof a === "number" ? a - b : collator.compare(a, b);
    return down ? -first : first;
  };

  const heads = columns.map((column) => {
    const head = document.createElement("th"), button = document.createElement("button");
    head.scope = "col";
    head.className = column.kind;
    button.type = "button";
    button.textContent = column.title;
    button.addEventListener("click", () => {
      down = sorted === column && !down;
      sorted = column;
      update();
    });
    head.append(button);
    return head;
  });
  const body = document.createElement("tbody"), top = document.createElement("thead");
  top.append(document.createElement("tr"));
  top.firstChild.append(...heads);
  byId("table").append(top, body);

  const draw = () => {
    const first = page * size, part = rows.slice(first, first + size);
    body.replaceChildren(...part.map((row) => {
      const line = document.createElement("tr");
      for (const column of columns) {
        const cell = document.createElement("td");
        cell.className = column.kind;
        cell.dataset.title = column.title;
        const text = String(shown(column, row)), long = column.kind === "name" && text.length > most;
        cell.textContent = long ? `${text.slice(0, most / 2)}…${text.slice(-most / 2)}` : text;
        if (long) cell.title = text;
        line.append(cell);
      }
      return line;
    }));
    const range = `${whole.format(first + 1)} to ${whole.format(first + part.length)}`;
    byId("place").textContent = part.length ? `${range} of ${whole.format(rows.length)}` : "";
    byId("back").disabled = page === 0;
    byId("on").disabled = first + size >= rows.length;
  };

  const update = () => {
    const wanted = byId("search").value.toLowerCase();
    rows = Array.from({length: total}, (_, row) => row).filter((row) =>
      names.some((column) => column.values[row].toLowerCase().includes(wanted)));
    if (sorted) rows.sort(order(sorted));
    heads.forEach((head, at) => {
      const here = columns[at] === sorted;
      head.setAttribute("aria-sort", here ? (down ? "descending" : "ascending") : "none");
    });
    byId("found").textContent = wanted ? `${whole.format(rows.length)} found` : "";
    page = 0;
    draw();
  };

  byId("search").addEventListener("input", update);
  byId("back").addEventListener("click", () => { page -= 1; draw(); });
  byId("on").addEventListener("click", () => { page += 1; draw(); });
  update();
})();
