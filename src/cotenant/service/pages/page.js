"use strict";
// Names and sentences come from strangers: they reach the page as text nodes only, and
// the policy of the page (trusted types) refuses everything else.

const EVERY_MS = 2000, SLOWEST_MS = 30000, ENTRIES = 200, KEPT = 2000, TASKS = 50;
const ROWS = innerWidth < 640 ? 8 : 20;
const $ = (id) => document.getElementById(id);
const fleet = { machines: [], byName: new Map(), summary: null, days: null, staleAfter: 300, tag: null };
const ledger = { entries: [], last: null };
const view = { state: null, wanted: "", sort: "rank", up: false, page: 0, all: false, chosen: null };

// ---- words -------------------------------------------------------------------------

function h(tag, set, ...inside) {
  const element = Object.assign(document.createElement(tag), set);
  element.append(...inside.flat().filter((part) => part !== null && part !== undefined));
  return element;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

// Spaces nobody would see get a sign; combining marks are limited to a sane number.
function visible(name) {
  return name.replace(/^ +| +$| {2,}/g, (s) => "␣".repeat(s.length)).replace(/(\p{M}{3})\p{M}+/gu, "$1…");
}

function cut(name, most = 40) {
  const text = visible(name);
  if (text.length <= most) return text;
  const parts = Array.from(graphemes.segment(text), (part) => part.segment);
  if (parts.length <= most) return text;
  return `${parts.slice(0, Math.ceil(most / 2) - 1).join("")}…${parts.slice(-Math.floor(most / 2)).join("")}`;
}

const named = (name, most) => h("bdi", { className: "name", title: name }, cut(name, most));
const address = (kind, name) => `#/${kind}/${encodeURIComponent(name)}`;
const link = (kind, name, most) => h("a", { href: address(kind, name) }, named(name, most));
const whole = (number) => number.toLocaleString("en");
const counted = (number, one, many = `${one}s`) => `${whole(number)} ${number === 1 ? one : many}`;

// Made once: a formatter costs more than all it will ever format.
const FORMATS = [2, 3].map((digits) => new Intl.NumberFormat("en", { maximumSignificantDigits: digits }));

function figure(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (value !== 0 && Math.abs(value) < 1e-6) return "under 0.000001";
  return FORMATS[digits - 2].format(value);
}

function percent(share) {
  if (share === null || share === undefined) return "–";
  if (share > 0 && share < 1e-6) return "under 0.0001\u00a0%";
  return `${figure(100 * share)}\u00a0%`;
}

function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let step = 0;
  while (value >= 1024 && step < units.length - 1) { value /= 1024; step += 1; }
  return `${figure(value)}\u00a0${units[step]}`;
}

const amount = (resource, value) => (resource === "memory" ? bytes(value) : figure(value));

function lasted(seconds) {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))}\u00a0s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)}\u00a0min`;
  if (seconds < 172800) return `${Math.round(seconds / 3600)}\u00a0h`;
  return `${Math.round(seconds / 86400)}\u00a0days`;
}

let ahead = 0; // the service's clock against ours, in seconds
const now = () => Date.now() / 1000 + ahead;
const ago = (at) => `${lasted(now() - at)} ago`;
const pad = (number) => String(number).padStart(2, "0");
const day = (at) => { const d = new Date(at * 1000); return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`; };
const clock = (at) => { const d = new Date(at * 1000); return `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`; };
const moment = (at) => h("time", { dateTime: new Date(at * 1000).toISOString(), title: new Date(at * 1000).toISOString() }, clock(at));

// ---- the service -------------------------------------------------------------------

class Refused extends Error {
  constructor(status, body) {
    super(body.reason || `the service answered ${status}`);
    this.status = status;
    this.error = body.error;
  }
}

async function ask(path, options = {}) {
  const headers = { ...options.headers };
  const token = sessionStorage.getItem("cotenant-token");
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit", redirect: "error" });
  const date = Date.parse(response.headers.get("date"));
  if (date) ahead = Math.abs(date - Date.now()) > 1500 ? (date - Date.now()) / 1000 : 0;
  if (response.ok || response.status === 304) return response;
  const body = await response.json().catch(() => ({}));
  if (response.status === 401 || (response.status === 429 && body.error === "rate-limited")) openDoor(response.status, Boolean(token));
  throw new Refused(response.status, body);
}

// "." and ".." cannot be written in the path of an address; the list knows them.
async function one(kind, name) {
  if (name !== "." && name !== "..") return (await ask(`v1/${kind}/${encodeURIComponent(name)}`)).json();
  const found = (await (await ask(`v1/${kind}`)).json()).find((entry) => entry.name === name);
  if (!found) throw new Refused(404, { reason: "there is none of this name" });
  return found;
}

function openDoor(status, tried) {
  $("door-why").textContent = status === 429 ? "Too many wrong tokens came from here; wait a minute."
    : tried ? "The service does not know this token." : "";
  sessionStorage.removeItem("cotenant-token");
  $("forget").hidden = true;
  if (!$("door").open) $("door").showModal();
}

$("door").addEventListener("cancel", (event) => event.preventDefault());
$("door").querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = $("token").value.trim();
  if (!/^[\x21-\x7e]+$/.test(token)) {
    $("door-why").textContent = "A token has no spaces and no letters beyond ASCII.";
    return;
  }
  sessionStorage.setItem("cotenant-token", token);
  $("token").value = "";
  $("door").close();
  refresh();
});
$("forget").addEventListener("click", () => {
  sessionStorage.removeItem("cotenant-token");
  location.reload(); // what was shown with the token leaves the page with it
});

// ---- live update -------------------------------------------------------------------

let timer = 0, wait = EVERY_MS, paused = false, busy = false;

async function refresh() {
  clearTimeout(timer);
  if (busy) return;
  busy = true;
  try {
    const news = [await readFleet(), await readLedger()].includes(true);
    wait = EVERY_MS;
    $("live").textContent = `${paused ? "paused" : "live"} · ${clock(now())}`;
    $("live").className = paused ? "" : "on";
    $("forget").hidden = !sessionStorage.getItem("cotenant-token");
    if (news) draw();
    else if (!$("fleet").hidden) drawWhy(); // it says how old things are
  } catch (error) {
    wait = Math.min(2 * wait, SLOWEST_MS);
    const why = error instanceof Refused ? error.message : "no answer from the service";
    $("live").textContent = `${why}; what you see may be old`;
    $("live").className = "off";
    if (!(error instanceof Refused) && !(error instanceof TypeError)) console.error(error);
  } finally {
    busy = false;
    if (!paused && !document.hidden && !$("door").open) timer = setTimeout(refresh, wait);
  }
}

// Both say whether there was anything new.
async function readFleet() {
  const response = await ask("dashboard/fleet", { headers: fleet.tag ? { "If-None-Match": fleet.tag } : {} });
  if (response.status === 304) return false;
  const told = await response.json();
  fleet.tag = response.headers.get("etag");
  fleet.summary = told.summary;
  fleet.staleAfter = told.stale_after;
  fleet.days = told.days;
  fleet.machines = told.machines.map((row) => judged(Object.fromEntries(told.columns.map((key, i) => [key, row[i]]))));
  fleet.machines.sort((a, b) => b.rank - a.rank || b.risk - a.risk || b.load - a.load || (a.name < b.name ? -1 : 1));
  fleet.byName = new Map(fleet.machines.map((machine) => [machine.name, machine]));
  return true;
}

async function readLedger() {
  const latest = fleet.summary.events;
  if (ledger.last !== null && latest < ledger.last) Object.assign(ledger, { entries: [], last: null });
  const before = ledger.last;
  while (ledger.last === null || ledger.last < latest) {
    const after = Math.max(ledger.last ?? 0, latest - ENTRIES, 0);
    const fresh = await (await ask(`v1/events?after=${after}&limit=${ENTRIES}`)).json();
    // After a leap the older ones are no longer next to the newer ones.
    ledger.entries = after > (ledger.last ?? 0) ? fresh : [...ledger.entries, ...fresh].slice(-Math.max(KEPT, ledger.entries.length));
    ledger.last = fresh.length ? fresh.at(-1).number : latest;
  }
  return ledger.last !== before;
}

$("pause").addEventListener("click", () => {
  paused = !paused;
  $("pause").textContent = paused ? "Resume" : "Pause";
  $("pause").setAttribute("aria-pressed", String(paused));
  if (paused) clearTimeout(timer);
  refresh();
});
document.addEventListener("visibilitychange", () => { if (!document.hidden && !paused) refresh(); });

// ---- states ------------------------------------------------------------------------

// Colour never speaks alone: every state but "keeps its promise" has a sign.
const STATES = {
  broken: { sign: "!", words: "promise broken" },
  stale: { sign: "?", words: "data stale" },
  draining: { sign: "–", words: "draining" },
  kept: { sign: "", words: "promise kept" },
  empty: { sign: "", words: "empty" },
};
const ORDER = Object.keys(STATES);

function judged(machine) {
  const rho = fleet.summary.rho;
  machine.state = machine.over ? "broken" : machine.stale ? "stale" : machine.draining ? "draining"
    : machine.tasks + machine.reserved ? "kept" : "empty";
  machine.rank = ORDER.length - ORDER.indexOf(machine.state);
  machine.risk = Math.max(machine.overload === null ? 0 : machine.overload / rho, machine.memory > 1 ? machine.memory : 0);
  // Without a probability, the load says how full a machine is.
  machine.heat = Math.min(5, Math.ceil(5 * (machine.overload === null ? machine.load : machine.risk)));
  return machine;
}

function why(machine) {
  const rho = fleet.summary.rho, parts = [];
  const tasks = counted(machine.tasks, "task");
  if (machine.overload > rho) {
    const times = figure(machine.overload / rho, 2);
    parts.push(`breaks its promise: its tasks want more CPU than it has ${percent(machine.overload)} of the time, ${times} times the ${percent(rho)} allowed`);
  } else if (machine.over && !(machine.memory > 1)) {
    parts.push("breaks its promise: more is on it than its test admits");
  }
  if (machine.memory > 1) parts.push(`${parts.length ? "" : "breaks its promise: "}its tasks may need ${percent(machine.memory)} of its memory`);
  if (machine.stale) {
    const age = machine.oldest === null ? "" : `, the oldest measured ${ago(machine.oldest)}`;
    const which = machine.tasks === 1 ? "its only task" : `${machine.stale === machine.tasks ? "all" : whole(machine.stale)} of its ${tasks}`;
    parts.push(`rests on old data: ${which} could not be measured lately${age}, and the last values stand`);
    if (!machine.over && machine.overload !== null) parts.push(`is over its CPU ${percent(machine.overload)} of the time as far as they tell, of ${percent(rho)} allowed`);
  }
  if (machine.draining) parts.push(`is draining: it takes no more tasks and leaves when its ${machine.tasks === 1 ? "last task has" : `${tasks} have`} gone`);
  if (!machine.over && !machine.stale && !machine.draining) {
    if (machine.state === "empty") parts.push("is empty");
    else if (machine.overload === null) parts.push(`keeps its promise to ${machine.tasks === 1 ? "its only task" : `each of its ${tasks}`}; it is ${percent(machine.load)} utilised`);
    else parts.push(`keeps its promise: it is over its CPU ${percent(machine.overload)} of the time, of ${percent(rho)} allowed, with ${tasks} at ${percent(machine.load)} mean load`);
  }
  if (machine.reserved) parts.push(`holds room for ${counted(machine.reserved, "pod")}`);
  return `${parts.join("; it ").replace(/it its/g, "its")}.`;
}

const label = (machine) => `${machine.name}: ${STATES[machine.state].words}, ${machine.overload === null ? `load ${percent(machine.load)}` : `risk ${percent(machine.overload)} of ${percent(fleet.summary.rho)}`}`;

// ---- fleet -------------------------------------------------------------------------

function drawFleet() {
  const { summary } = fleet, broken = summary.over_promise;
  put($("verdict"), summary.machines === 0 ? "The fleet has no machines yet"
    : broken ? `${whole(broken)} of ${counted(summary.machines, "machine")} ${broken === 1 ? "breaks its" : "break their"} promise`
      : summary.machines === 1 ? "The only machine keeps its promise" : `All ${whole(summary.machines)} machines keep their promise`);
  $("verdict").className = broken ? "broken" : "";
  const lead = [`${counted(summary.tasks, "task")} on ${counted(summary.machines_in_use, "machine")} in use, at ${percent(summary.mean_load)} mean load of the fleet. `,
    `Promised: over its CPU at most ${percent(summary.rho)} of the time`,
    summary.worst_overload === null ? "." : `; the worst machine is at ${percent(summary.worst_overload)}, the mean at ${percent(summary.mean_overload)}.`];
  if (summary.machines === 0) lead.splice(0, 3, "Declare some with POST /v1/machines; they appear here at once.");
  if (summary.stale_tasks) lead.push(` ${counted(summary.stale_tasks, "task")} could not be measured in the last ${lasted(fleet.staleAfter)}.`);
  const refused = Object.entries(summary.refusals);
  if (refused.length) lead.push(` Refused since the service started: ${refused.map(([what, count]) => `${whole(count)} for ${what}`).join(", ")}.`);
  put($("lead"), [lead.join(""), keptSoFar()]);
  drawStates();
  drawGrid();
  drawPlot();
  drawRows();
  drawLog($("recent"), decisions().slice(-10), false);
}

function drawStates() {
  const counts = Object.fromEntries(ORDER.map((state) => [state, 0]));
  for (const machine of fleet.machines) counts[machine.state] += 1;
  const box = $("states");
  if (!box.children.length) {
    for (const state of ORDER) {
      const button = h("button", { type: "button" }, h("span", { className: `cell ${state}${state === "kept" ? " heat4" : ""}`, ariaHidden: "true" }, STATES[state].sign), h("span"));
      button.addEventListener("click", () => { view.state = view.state === state ? null : state; view.page = 0; drawFleet(); });
      box.append(button);
    }
  }
  ORDER.forEach((state, i) => {
    const button = box.children[i];
    button.hidden = !counts[state] && view.state !== state;
    button.setAttribute("aria-pressed", String(view.state === state));
    put(button.lastChild, `${whole(counts[state])} ${STATES[state].words}`);
  });
}

function shown() {
  const wanted = view.wanted.toLowerCase();
  return fleet.machines.filter((m) => (!view.state || m.state === view.state) && (!wanted || m.name.toLowerCase().includes(wanted)));
}

const columns = () => getComputedStyle($("grid")).gridTemplateColumns.split(" ").length;

function drawGrid() {
  const grid = $("grid"), machines = shown();
  const size = machines.length <= 24 ? "tiles" : machines.length <= 600 ? "large" : "small";
  grid.className = `grid ${size}`;
  const most = view.all ? Infinity : columns() * (innerWidth < 640 ? 30 : 100);
  const count = Math.min(machines.length, most);
  while (grid.children.length > count) grid.lastChild.remove();
  while (grid.children.length < count) grid.append(h("button", { type: "button", tabIndex: -1 }));
  const cells = [...grid.children];
  for (let i = 0; i < count; i += 1) {
    const cell = cells[i], machine = machines[i];
    const key = `${size}|${machine.state}|${machine.overload}|${machine.load}|${machine.name}`;
    const current = view.chosen === machine.name ? "true" : null;
    if (cell.ariaCurrent !== current) cell.ariaCurrent = current;
    if (cell.key === key) continue;
    const text = label(machine);
    Object.assign(cell, { key, machine: machine.name, ariaLabel: text, title: text });
    cell.className = `cell ${machine.state}${machine.state === "kept" ? ` heat${machine.heat}` : ""}`;
    const sign = STATES[machine.state].sign;
    if (size === "tiles") cell.replaceChildren(h("span", {}, sign ? `${sign} ` : "", named(machine.name, 18)), h("span", { className: "small" }, machine.overload === null ? `load ${percent(machine.load)}` : percent(machine.overload)));
    else cell.textContent = sign;
  }
  const rest = machines.length - count;
  $("all").hidden = !rest;
  $("all").textContent = `Show ${whole(rest)} more, all at less risk`;
  if (!grid.querySelector('[tabindex="0"]') && count) grid.firstChild.tabIndex = 0;
  drawWhy();
}

function drawWhy() {
  const machine = fleet.byName.get(view.chosen);
  const empty = fleet.machines.length ? (shown().length ? "Choose a machine to read why it looks as it does." : "No machine looks like that.") : "";
  put($("why"), machine ? [link("machine", machine.name, 60), ` ${why(machine)}`] : view.chosen ? "The machine you chose has left the fleet." : empty);
}

function choose(cell) {
  view.chosen = cell.machine;
  for (const other of $("grid").querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
  for (const other of $("grid").querySelectorAll("[aria-current]")) other.ariaCurrent = null;
  cell.tabIndex = 0;
  cell.ariaCurrent = "true";
  drawWhy();
}

$("grid").addEventListener("focusin", (event) => { if (event.target.machine !== undefined) choose(event.target); });
$("grid").addEventListener("click", (event) => {
  const cell = event.target.closest(".cell");
  if (cell) { cell.focus(); choose(cell); }
});
$("grid").addEventListener("keydown", (event) => {
  const cells = [...$("grid").children], at = cells.indexOf(document.activeElement);
  if (at < 0) return;
  if (event.key === "Enter") { event.preventDefault(); location.hash = address("machine", cells[at].machine); return; }
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns(), ArrowUp: -columns(), Home: -at, End: cells.length - 1 - at }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  cells[Math.min(cells.length - 1, Math.max(0, at + step))].focus();
});
$("all").addEventListener("click", () => { view.all = true; drawGrid(); });

// Load from left to right, risk upwards on a logarithmic scale, the promise as a line.
const plot = { spots: [], low: 1e-3 };

function drawPlot() {
  const canvas = $("plot"), width = canvas.clientWidth, height = canvas.clientHeight, scale = devicePixelRatio || 1;
  const machines = fleet.machines.filter((m) => m.overload !== null && m.tasks + m.reserved);
  canvas.hidden = canvas.previousElementSibling.hidden = !machines.length;
  const others = fleet.machines.filter((m) => m.overload === null).length;
  put($("plot-note"), [machines.length ? `Each mark is a machine in use; above the line a promise is broken. Everything under ${percent(plot.low * fleet.summary.rho)} lies on the bottom.` : null,
    others ? ` ${counted(others, "machine")} for periodic SLAs ${others === 1 ? "is" : "are"} not in the picture: every task there meets its promise or is refused.` : null]);
  if (!machines.length || !width) return;
  Object.assign(canvas, { width: width * scale, height: height * scale });
  const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const ink = (name) => style.getPropertyValue(`--${name}`).trim();
  pen.scale(scale, scale);
  pen.font = "12px system-ui, sans-serif";
  const left = 64, right = width - 12, top = 12, bottom = height - 36;
  const high = Math.max(3, 1.3 * Math.max(...machines.map((m) => m.overload / fleet.summary.rho)));
  const most = Math.max(1, ...machines.map((m) => m.load));
  const x = (load) => left + (right - left) * load / most;
  const y = (risk) => bottom - (bottom - top) * Math.log(Math.max(risk, plot.low) / plot.low) / Math.log(high / plot.low);
  pen.fillStyle = ink("quiet");
  pen.strokeStyle = ink("line");
  pen.textAlign = "right";
  for (const risk of [0.001, 0.01, 0.1, 10, 100, 1000].filter((r) => r <= high && Math.abs(y(r) - y(1)) > 14)) {
    pen.fillText(percent(risk * fleet.summary.rho), left - 8, y(risk) + 4);
    pen.beginPath(); pen.moveTo(left, y(risk)); pen.lineTo(right, y(risk)); pen.stroke();
  }
  pen.textAlign = "center";
  for (let load = 0; load <= most + 1e-9; load += 0.25) pen.fillText(percent(load), Math.min(x(load), right - 14), bottom + 16);
  pen.fillText("mean load", (left + right) / 2, bottom + 32);
  pen.strokeStyle = ink("ink");
  pen.setLineDash([5, 4]);
  pen.beginPath(); pen.moveTo(left, y(1)); pen.lineTo(right, y(1)); pen.stroke();
  pen.setLineDash([]);
  pen.fillStyle = ink("ink");
  pen.textAlign = "left";
  pen.fillText("promised", left + 6, y(1) - 6);
  pen.textAlign = "right";
  pen.fillText(percent(fleet.summary.rho), left - 8, y(1) + 4);
  plot.spots = machines.map((m) => ({ x: x(m.load), y: y(m.overload / fleet.summary.rho), machine: m.name }));
  // The riskiest come first in the list, so they are drawn last, on top.
  for (let i = machines.length - 1; i >= 0; i -= 1) mark(pen, plot.spots[i], machines[i].state, ink);
  canvas.ariaLabel = `Machines by mean load and time over capacity; ${whole(machines.filter((m) => m.over).length)} of ${whole(machines.length)} are above what was promised. The table below has the numbers.`;
}

function mark(pen, { x, y }, state, ink) {
  pen.fillStyle = ink({ broken: "bad", stale: "stale", draining: "idle" }[state] || "heat4");
  pen.beginPath();
  if (state === "broken") { pen.moveTo(x, y - 6); pen.lineTo(x + 5.5, y + 4); pen.lineTo(x - 5.5, y + 4); }
  else if (state === "stale") { pen.moveTo(x, y - 5); pen.lineTo(x + 5, y); pen.lineTo(x, y + 5); pen.lineTo(x - 5, y); }
  else if (state === "draining") pen.rect(x - 4, y - 4, 8, 8);
  else pen.arc(x, y, 3, 0, 7);
  pen.globalAlpha = state === "kept" ? 0.6 : 1;
  pen.fill();
  pen.globalAlpha = 1;
}

$("plot").addEventListener("click", (event) => {
  const far = (spot) => Math.hypot(spot.x - event.offsetX, spot.y - event.offsetY);
  const nearest = plot.spots.reduce((best, spot) => (best && far(best) <= far(spot) ? best : spot), null);
  if (nearest && far(nearest) < 20) location.hash = address("machine", nearest.machine);
});

function drawRows() {
  const key = view.sort, sign = view.up ? 1 : -1;
  const machines = shown();
  if (key !== "rank" || view.up) machines.sort((a, b) => sign * (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0));
  const pages = Math.max(1, Math.ceil(machines.length / ROWS));
  view.page = Math.min(view.page, pages - 1);
  const part = machines.slice(view.page * ROWS, (view.page + 1) * ROWS);
  redraw($("rows"), part.map((m) => `${label(m)}|${m.load}|${m.tasks}|${m.memory}`), () => part.map((m) => h("tr", {},
    h("th", { scope: "row" }, link("machine", m.name)),
    titled("State", h("span", { className: `cell ${m.state}${m.state === "kept" ? ` heat${m.heat}` : ""}`, ariaHidden: "true" }, STATES[m.state].sign), ` ${STATES[m.state].words}`),
    titled("Mean load", bar(m.load, false), beside(percent(m.load))),
    titled("Time over capacity", m.overload === null ? "never" : [bar(m.overload / fleet.summary.rho, m.overload > fleet.summary.rho), beside(percent(m.overload))]),
    titled("Memory at most", percent(m.memory)),
    titled("Tasks", whole(m.tasks)))));
  put($("where"), machines.length ? `${whole(view.page * ROWS + 1)} to ${whole(view.page * ROWS + part.length)} of ${whole(machines.length)}` : "none");
  $("back").disabled = view.page === 0;
  $("on").disabled = view.page >= pages - 1;
}

const titled = (title, ...inside) => { const cell = h("td", { className: title === "State" || title === "Measured" ? "" : "number" }, ...inside); cell.dataset.title = title; return cell; };

const beside = (words) => h("span", { className: "beside" }, words);

function bar(share, bad) {
  const fill = h("span", { className: bad ? "fill bad" : "fill" });
  fill.style.width = `${Math.min(100, 100 * share)}%`;
  return h("span", { className: "bar", ariaHidden: "true" }, fill);
}

document.querySelector(".machines thead").addEventListener("click", (event) => {
  const key = event.target.dataset.sort;
  if (!key) return;
  view.up = view.sort === key ? !view.up : key === "name";
  Object.assign(view, { sort: key, page: 0 });
  for (const head of document.querySelectorAll(".machines thead th")) head.removeAttribute("aria-sort");
  event.target.parentNode.setAttribute("aria-sort", view.up ? "ascending" : "descending");
  drawRows();
});
$("back").addEventListener("click", () => { view.page -= 1; drawRows(); });
$("on").addEventListener("click", () => { view.page += 1; drawRows(); });

// ---- days --------------------------------------------------------------------------

// What the fleet page says of it, in one sentence; nothing where days are not kept.
function keptSoFar() {
  const told = fleet.days;
  if (!told) return null;
  const worry = told.alarms.length ? ` ${counted(told.alarms.length, "alarm")}: ` : " ";
  return [` Days so far: ${delivered(told)}.`, worry, h("a", { href: "#/days" }, "See day by day"), "."];
}

function delivered(told) {
  if (told.delivered === null) return "none was measured yet";
  const times = told.delivered > fleet.summary.rho ? `, ${figure(told.delivered / fleet.summary.rho, 2)} times as much` : "";
  return `over capacity ${percent(told.delivered)} of the time, promised ${percent(fleet.summary.rho)}${times}`;
}

function drawDays() {
  const told = fleet.days, rho = fleet.summary.rho;
  if (!told) {
    put($("days-verdict"), "Days are not kept");
    put($("days-lead"), "The service takes usage as it was measured. Started with --promise tomorrow, it fits a margin every night and tells here what every day delivered.");
    for (const id of ["days-alarms", "days-picture", "days-note", "days-rows"]) put($(id), []);
    document.querySelector(".days").hidden = true;
    return;
  }
  const measured = told.days.filter((one) => one.overload !== null && one.excluded === null), broken = told.delivered > rho;
  document.querySelector(".days").hidden = !told.days.length;
  put($("days-verdict"), told.delivered === null ? `Promised ${percent(rho)}; no day was measured yet`
    : `Promised ${percent(rho)}, delivered ${percent(told.delivered)}`);
  $("days-verdict").className = broken ? "broken" : "";
  const ready = told.calibrated ? "" : " It is not yet calibrated: fewer than seven days.";
  put($("days-lead"), [
    measured.length ? `Of all machine time of ${counted(measured.length, "day")}, ${percent(told.delivered)} was over capacity; ${whole(told.machine_days_above_rho)} of ${counted(told.machine_days, "machine-day")} were above the promise. ` : "",
    `Margin now ${figure(told.margin)}: ${told.fitted === null ? "to begin with" : `fitted ${figure(told.fitted)} on past days, correction ${figure(told.correction)}`}, with the last ${counted(told.replayed_days, "day")} replayed.${ready}`,
    told.moved_today ? ` ${counted(told.moved_today, "task")} moved today.` : "",
  ].join(""));
  put($("days-alarms"), told.alarms.map((alarm) => h("li", {}, `! ${alarm}`)));
  drawPicture(told.days, rho);
  const excluded = Object.entries(told.excluded);
  put($("days-note"), [
    told.days.length ? "Each bar is a day; the line is the promise. " : "A day is told once the first sample of the next one has arrived. ",
    excluded.length ? `Excluded, so that they do not count: ${excluded.map(([date, why]) => `${date} (${visible(why)})`).join(", ")}.` : "",
  ].join(""));
  redraw($("days-rows"), told.days.map((one) => JSON.stringify(one)), () => told.days.toReversed().map((one) => dayRow(one, rho)));
}

function dayRow(one, rho) {
  const above = one.overload > rho && one.excluded === null;
  const state = one.excluded !== null ? " excluded" : one.overload === null ? " not measured" : above ? " above the promise" : "";
  return h("tr", {},
    h("th", { scope: "row", title: one.excluded ?? "" }, one.date, state ? h("span", { className: above ? "over" : "quiet" }, state) : null),
    titled("Delivered", one.overload === null ? "–" : [bar(one.overload / rho, above), beside(percent(one.overload))]),
    titled("Machine-days above", one.machine_days ? `${whole(one.above_rho)} of ${whole(one.machine_days)}` : "–"),
    titled("Worst machine", percent(one.worst_machine)),
    titled("Margin that day", figure(one.margin)),
    titled("Correction after", figure(one.correction)),
    titled("Tasks moved", whole(one.moves)));
}

function drawPicture(days, rho) {
  const high = Math.max(2, ...days.map((one) => (one.overload ?? 0) / rho)) * 1.05;
  const parts = days.map((one) => {
    const excluded = one.excluded !== null, over = one.overload > rho;
    const fill = h("span", { className: `column${excluded ? " left-out" : one.overload === null ? " unknown" : over ? " over" : ""}` }, excluded ? "×" : one.overload === null ? "·" : over ? "!" : "");
    fill.style.height = `${100 * (one.overload ?? 0) / rho / high}%`;
    return h("span", { className: "slot", title: `${one.date}: ${one.overload === null ? "not measured" : percent(one.overload)}${excluded ? `, excluded: ${one.excluded}` : ""}` }, fill);
  });
  const line = h("span", { className: "promise" }, h("span", {}, `promised ${percent(rho)}`));
  line.style.bottom = `${100 / high}%`;
  $("days-picture").hidden = !days.length;
  redraw($("days-picture"), days.map((one) => JSON.stringify(one)), () => [line, ...parts]);
  $("days-picture").ariaLabel = `Overload of ${counted(days.length, "day")} against the promise; the table below has the numbers.`;
}

// ---- ledger ------------------------------------------------------------------------

const QUIET = new Set(["measured", "read", "answered", "reserved", "unreserved"]);
const decisions = () => ledger.entries.filter((entry) => !QUIET.has(entry.kind));
const about = (data) => ({
  tasks: [data.name, data.task?.name].filter((name) => typeof name === "string"),
  machines: [data.machine?.name ?? data.machine, data.moved_from, data.source, data.target].filter((name) => typeof name === "string"),
});

const offerOlder = (section) => { section.querySelector(".older").hidden = !ledger.entries.length || ledger.entries[0].number <= 1; };

// The sentence as it was written, with the names in it as links.
function linked(words, { tasks, machines }) {
  const names = [...tasks.map((name) => ["task", name]), ...machines.map((name) => ["machine", name])].sort((a, b) => b[1].length - a[1].length);
  const parts = [];
  let rest = words;
  while (rest) {
    const found = names.map(([kind, name]) => ({ kind, name, at: rest.indexOf(name) })).filter(({ name, at }) => name && at >= 0 && bounded(rest, at, name.length));
    if (!found.length) break;
    const first = found.reduce((best, one) => (one.at < best.at ? one : best));
    parts.push(rest.slice(0, first.at), link(first.kind, first.name, 48));
    rest = rest.slice(first.at + first.name.length);
  }
  return [...parts, rest];
}

// A task called "on" is not every "on": a name stands between spaces or marks.
const bounded = (text, at, length) => (at === 0 || /[\s:]/.test(text[at - 1])) && (at + length >= text.length || /[\s,:;.]/.test(text[at + length]));

function drawLog(list, entries, days = true) {
  const keys = entries.map((entry) => entry.number);
  redraw(list, keys, () => {
    const lines = [];
    let last = day(now());
    for (const entry of entries.toReversed()) {
      if (days && day(entry.at) !== last) lines.push(h("li", { className: "day" }, last = day(entry.at)));
      lines.push(h("li", { className: entry.kind }, moment(entry.at), " ", linked(entry.words, about(entry.data))));
    }
    return lines;
  });
}

function drawLedger() {
  const wanted = $("about").value.toLowerCase(), source = $("everything").checked ? ledger.entries : decisions();
  const found = source.filter((entry) => !wanted || entry.words.toLowerCase().includes(wanted));
  drawLog($("entries"), found.slice(-1000));
  const hidden = ledger.entries.length - found.length;
  $("no-entries").hidden = found.length > 0;
  put($("no-entries"), hidden ? `None of the ${whole(hidden)} entries read so far. Older ones may have some.` : "The ledger is empty.");
  offerOlder($("ledger"));
}

$("about").addEventListener("input", drawLedger);
$("everything").addEventListener("change", drawLedger);
async function readOlder() {
  const first = ledger.entries[0].number, after = Math.max(0, first - 1 - 5 * ENTRIES);
  const older = await (await ask(`v1/events?after=${after}&limit=${first - 1 - after}`)).json();
  // The live update may have begun anew meanwhile; then these do not join on.
  if (ledger.entries[0]?.number === first) ledger.entries = [...older, ...ledger.entries];
  draw();
}

for (const button of document.querySelectorAll(".older")) {
  button.addEventListener("click", async () => {
    button.disabled = true;
    await readOlder().catch((error) => { $("live").textContent = error.message; });
    button.disabled = false;
  });
}

function drawHistory(section, kind, name) {
  const found = ledger.entries.filter((entry) => about(entry.data)[kind].includes(name));
  drawLog(section.querySelector(".log"), found.slice(-200));
  put(section.querySelector(".reach"), [`${found.length ? "From" : "Nothing in"} the last ${counted(ledger.entries.length, "entry", "entries")} of the `, h("a", { href: "#/ledger" }, "ledger"), "."]);
  offerOlder(section);
}

// ---- machine and task --------------------------------------------------------------

const open = { name: null, key: null, page: 0 };

function facts(list, pairs) {
  list.replaceChildren(...pairs.filter(([, value]) => value !== null).map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));
}

async function drawMachine(name) {
  const section = $("machine"), row = fleet.byName.get(name);
  put(section.querySelector("h1"), h("bdi", {}, visible(name)));
  drawHistory(section, "machines", name);
  const key = JSON.stringify([name, row, open.page]);
  if (open.key === key) return;
  open.key = key;
  try {
    const machine = row ? await one("machines", name) : null;
    put(section.querySelector(".lead"), row ? ["It ", why(row)] : "No machine of this name is in the fleet.");
    facts(section.querySelector(".facts"), machine ? [
      ["Takes", machine.kind === "sla" ? "tasks with an SLA" : "tasks with random usage"],
      ...Object.entries(machine.capacity).map(([resource, value]) => [`Capacity, ${resource}`, amount(resource, value)]),
      ["Mean load", percent(machine.load)],
      ["Time over capacity", machine.overload === null ? null : `${percent(machine.overload)} of ${percent(fleet.summary.rho)}`],
      ["Memory at most", machine.memory === null ? null : percent(machine.memory)],
      ["Tasks", whole(machine.tasks.length)],
    ] : []);
    await drawTasks(section, name, machine ? machine.tasks : []);
  } catch (error) {
    open.key = null;
    put(section.querySelector(".lead"), error.message);
  }
}

async function drawTasks(section, name, names) {
  const part = names.slice(open.page * TASKS, (open.page + 1) * TASKS);
  const found = await Promise.all(part.map((task) => one("tasks", task).catch(() => null)));
  if (open.name !== name) return; // somebody has gone elsewhere meanwhile
  section.querySelector("tbody").replaceChildren(...part.map((task, i) => {
    const cpu = found[i]?.usage.cpu;
    return h("tr", {}, h("th", { scope: "row" }, link("task", task)),
      titled("Mean CPU", found[i]?.sla ?? figure(cpu?.mean)),
      titled("Deviation", cpu ? figure(Math.sqrt(cpu.variance)) : "–"),
      titled("Largest", figure(cpu?.maximum)),
      titled("Measured", ...measured(found[i])));
  }));
  const [back, on] = section.querySelectorAll(".pager button");
  back.disabled = open.page === 0;
  on.disabled = (open.page + 1) * TASKS >= names.length;
  put(section.querySelector(".pager span"), names.length ? `${whole(open.page * TASKS + 1)} to ${whole(open.page * TASKS + part.length)} of ${whole(names.length)}` : "none");
}

function measured(task) {
  if (!task) return ["has left"];
  if (task.sla) return ["not needed"];
  if (task.feed_error !== null) return [staleSign(), ` failed: ${cut(task.feed_error, 80)}`];
  if (task.measured_at === null) return ["not yet: as declared"];
  return now() - task.measured_at > fleet.staleAfter ? [staleSign(), ` ${ago(task.measured_at)}`] : [ago(task.measured_at)];
}

const staleSign = () => h("span", { className: "cell stale", title: "data stale" }, "?");

$("machine").querySelector(".pager").addEventListener("click", (event) => {
  if (!event.target.dataset.page) return;
  open.page += Number(event.target.dataset.page);
  drawMachine(open.name);
});

async function drawTask(name) {
  const section = $("task");
  put(section.querySelector("h1"), h("bdi", {}, visible(name)));
  drawHistory(section, "tasks", name);
  const key = JSON.stringify([name, fleet.tag]);
  if (open.key === key) return;
  open.key = key;
  try {
    const task = await one("tasks", name), row = fleet.byName.get(task.machine);
    if (open.name !== name) return;
    put(section.querySelector(".lead"), ["It is on ", link("machine", task.machine, 60), row ? [", which ", why(row)] : "."].flat());
    facts(section.querySelector(".facts"), [
      ["Placed", h("time", { dateTime: new Date(task.placed_at * 1000).toISOString() }, `${day(task.placed_at)} ${clock(task.placed_at)}`)],
      ["SLA asked for", task.sla], ["SLA given", task.granted],
      ["Kept apart from", task.label === null ? null : ["other tasks of ", named(task.label)]],
      ...Object.entries(task.usage).flatMap(([resource, u]) => [
        [`Mean ${resource}`, amount(resource, u.mean)], [`Deviation of ${resource}`, amount(resource, Math.sqrt(u.variance))],
        [`Largest ${resource}`, amount(resource, u.maximum)], [`Samples of ${resource}`, whole(u.observations)]]),
      ["Measured", measured(task)],
    ]);
  } catch (error) {
    open.key = null;
    facts(section.querySelector(".facts"), []);
    put(section.querySelector(".lead"), error.status === 404 ? "No task of this name is placed now." : error.message);
  }
}

// ---- repack ------------------------------------------------------------------------

const FACTS = [["machines_in_use", "Machines in use", whole], ["over_promise", "Machines that break their promise", whole], ["worst_overload", "Worst time over capacity", percent]];
let plan = null, moves = 200;

async function work(button, words, what) {
  button.disabled = true;
  put($("plan-told"), words);
  try {
    await what();
  } catch (error) {
    const reasons = {
      409: `Nothing was moved: ${error.message}.`,
      404: `Nothing was moved: ${error.message}. Work out a new plan.`,
      403: `${error.message}. A token that may write is needed.`,
    };
    put($("plan-told"), reasons[error.status] || `${error.message}.`);
    if (error.status === 409 || error.status === 404) showPlan(null);
  } finally {
    button.disabled = false;
  }
}

function showPlan(found) {
  plan = found;
  moves = 200;
  $("plan-shown").hidden = !plan;
  $("sure").hidden = true;
  $("apply").hidden = false;
  if (plan) drawPlan();
}

function drawPlan() {
  const known = FACTS.filter(([key]) => key in plan.before || key in plan.after);
  document.querySelector(".change tbody").replaceChildren(...known.map(([key, words, say]) => h("tr", {},
    h("th", { scope: "row" }, words), titled("Before", say(plan.before[key] ?? 0)), titled("After", say(plan.after[key] ?? 0)))));
  put($("moves-title"), `${counted(plan.moves.length, "move")}, of ${figure(plan.cost)} mean CPU in all`);
  $("moves").replaceChildren(...plan.moves.slice(0, moves).map((move) => h("li", {},
    h("p", {}, link("task", move.task), " from ", link("machine", move.from), " to ", link("machine", move.to)),
    h("p", {}, linked(move.reason, { tasks: [move.task], machines: [move.from, move.to] })),
    h("p", { className: "quiet" }, `Gain: ${move.unit === "overload" ? `${percent(move.gain)} less time over capacity` : `${percent(move.gain)} of a machine emptied`}. Cost: ${figure(move.cost)} of mean CPU moves.`))));
  $("more-moves").hidden = plan.moves.length <= moves;
  $("more-moves").textContent = `Show the other ${whole(plan.moves.length - moves)} moves`;
  put($("apply"), `Apply exactly ${plan.moves.length === 1 ? "this move" : `these ${whole(plan.moves.length)} moves`}`);
}

$("plan").addEventListener("click", () => work($("plan"), "Working out a plan …", async () => {
  showPlan(null);
  const found = await (await ask("v1/repack", { method: "POST" })).json();
  put($("plan-told"), found.moves.length ? `Worked out at ${clock(now())}; nothing has moved yet.` : "There is nothing worth moving.");
  showPlan(found.moves.length ? found : null);
}));
$("more-moves").addEventListener("click", () => { moves = Infinity; drawPlan(); });
$("apply").addEventListener("click", () => { $("sure").hidden = false; $("apply").hidden = true; $("yes").focus(); });
$("no").addEventListener("click", () => { $("sure").hidden = true; $("apply").hidden = false; $("apply").focus(); });
$("yes").addEventListener("click", () => work($("yes"), "Moving …", async () => {
  const done = await (await ask(`v1/repack/${encodeURIComponent(plan.id)}/apply`, { method: "POST" })).json();
  showPlan(null);
  put($("plan-told"), [`Done: ${counted(done.moves.length, "move")} made, as previewed. `, h("a", { href: "#/ledger" }, "Read them in the ledger"), "."]);
  refresh();
}));

// ---- the page ----------------------------------------------------------------------

// Text that did not change stays untouched, for those who select or listen to it.
function put(element, inside) {
  const parts = [inside].flat(3).filter((part) => part !== null);
  const key = parts.map((part) => part.outerHTML ?? part).join("");
  if (element.key !== key) { element.replaceChildren(...parts); element.key = key; }
}

function redraw(list, keys, make) {
  const key = keys.join("\n");
  if (list.key !== key) { list.replaceChildren(...make()); list.key = key; }
}

function route() {
  const [, kind = "", name = ""] = location.hash.split("/");
  try { return [kind, decodeURIComponent(name)]; } catch { return ["", ""]; }
}

function draw() {
  if (!fleet.summary) return;
  document.body.classList.remove("loading");
  const [kind, name] = route();
  $("alarm").hidden = fleet.summary.durable;
  put($("alarm"), fleet.summary.durable ? "" : "The ledger cannot be written: nothing is placed until it can. What you see is the last durable state.");
  $("to-days").hidden = !fleet.days;
  if (kind === "machine") drawMachine(name);
  else if (kind === "days") drawDays();
  else if (kind === "task") drawTask(name);
  else if (kind === "ledger") drawLedger();
  else if (kind !== "repack") drawFleet();
}

function go() {
  const [kind, name] = route(), id = ["machine", "task", "days", "ledger", "repack"].includes(kind) ? kind : "fleet";
  Object.assign(open, { name, key: null, page: 0 });
  for (const section of document.querySelectorAll(".view")) section.hidden = section.id !== id;
  for (const entry of document.querySelectorAll("nav a")) entry.ariaCurrent = entry.hash === `#/${id === "fleet" ? "" : id}` ? "page" : null;
  document.title = `${name ? `${cut(name, 30)} · ` : id === "fleet" ? "" : `${id} · `}cotenant`;
  scrollTo(0, 0);
  draw();
}

addEventListener("hashchange", () => { go(); document.querySelector(".view:not([hidden]) h1").focus({ preventScroll: true }); });
addEventListener("resize", () => { if (fleet.summary && !$("fleet").hidden) { drawGrid(); drawPlot(); } });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
document.querySelector("[data-skip]").addEventListener("click", (event) => { event.preventDefault(); $("main").focus(); });
$("wanted").addEventListener("input", () => {
  Object.assign(view, { wanted: $("wanted").value.trim(), page: 0 });
  if (!$("fleet").hidden) draw();
});
$("find").addEventListener("submit", (event) => {
  event.preventDefault();
  const wanted = $("wanted").value.trim();
  if (!wanted) return;
  const found = fleet.byName.has(wanted) ? [wanted] : shown().slice(0, 2).map((machine) => machine.name);
  if (found.length > 1) { location.hash = "#/"; return; }
  Object.assign(view, { wanted: "" });
  $("wanted").value = "";
  location.hash = found.length ? address("machine", found[0]) : address("task", wanted);
});
$("zone").textContent = `times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}`;
go();
refresh();
