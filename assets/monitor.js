// The page of ridge monitor: asks for the newest sample, draws each figure's history. Text of others is set as text,
// never as markup.
// SPDX-License-Identifier: Apache-2.0
"use strict";

const HISTORY_MAX = 600;
const CHARTS = [ // figure, title, what a full chart is (a figure, or a number), unit, divisor
  ["busy_pct", "busy", 100, "%", 1],
  ["memory_used_bytes", "memory", "memory_total_bytes", "GB", 1e9],
  ["power_w", "power", "power_limit_w", "W", 1],
  ["temperature_c", "heat", "temperature_slowdown_c", "°C", 1],
  ["sm_clock_mhz", "SM clock", "sm_clock_max_mhz", "MHz", 1],
  ["memory_busy_pct", "memory busy", 100, "%", 1],
];
const history = new Map(); // "UUID figure" -> shares
let token = sessionStorage.getItem("token") || "";

function element(name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

async function get(path) {
  const headers = token ? { Authorization: "Bearer " + token } : {};
  const answer = await fetch(path, { headers, cache: "no-store" });
  document.getElementById("ask").hidden = answer.status !== 401;
  if (!answer.ok) throw new Error(answer.status === 401 ? "a token is needed" : "HTTP " + answer.status);
  return answer.json();
}

function chart(shares) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  const line = document.createElementNS(ns, "polyline");
  svg.setAttribute("viewBox", `0 0 ${HISTORY_MAX} 100`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  const from = HISTORY_MAX - shares.length;
  line.setAttribute("points", shares.map((s, i) => s === null ? "" : `${from + i},${100 - 96 * Math.min(1, s)}`).join(" "));
  svg.append(line);
  return svg;
}

function figureOf(gpu, [name, title, full, unit, divisor]) {
  const value = gpu.values[name];
  const most = typeof full === "number" ? full : gpu.values[full];
  const key = gpu.uuid + " " + name;
  const shares = history.get(key) || [];
  shares.push(value === null || !most ? null : value / most);
  history.set(key, shares.slice(-HISTORY_MAX));
  if (value === null) return null;
  const figure = element("figure");
  const caption = element("figcaption");
  const digits = divisor > 1 ? 1 : 0;
  const end = typeof full === "number" || !most ? "" : ` of ${(most / divisor).toFixed(digits)}`;
  caption.append(element("span", "", title), element("span", "", `${(value / divisor).toFixed(digits)}${end} ${unit}`));
  figure.append(caption, chart(history.get(key)));
  return figure;
}

function rest(gpu) {
  const v = gpu.values;
  const words = [];
  if (v.pcie_width_lanes !== null) words.push(`PCIe generation ${v.pcie_generation} of ${v.pcie_generation_max}, ${v.pcie_width_lanes} of ${v.pcie_width_max_lanes} lanes`);
  if (gpu.nvlinks) words.push(`NVLink ${gpu.nvlinks.filter((l) => l.up).length} of ${gpu.nvlinks.length} up`);
  if (v.ecc_corrected_errors !== null) words.push(`ECC ${v.ecc_corrected_errors} corrected, ${v.ecc_uncorrected_errors} uncorrected`);
  for (const reason of gpu.clock_reasons || []) words.push("clocks: " + reason.replaceAll("_", " "));
  return words.join("; ");
}

function processes(gpu) {
  const table = element("table");
  const head = element("tr");
  head.append(...["PID", "memory", "command"].map((t) => element("th", "", t)));
  table.append(head);
  for (const p of gpu.processes) {
    const row = element("tr");
    const memory = p.memory_bytes === null ? "-" : (p.memory_bytes / 1e9).toFixed(2) + " GB";
    row.append(element("td", "", p.pid), element("td", "", memory), element("td", "", p.command || "-"));
    table.append(row);
  }
  return table;
}

function section(gpu) {
  const s = element("section");
  const title = element("h2", "", `GPU ${gpu.index} ${gpu.name} `);
  title.append(element("span", gpu.status, gpu.status));
  const charts = element("div", "charts");
  charts.append(...CHARTS.map((c) => figureOf(gpu, c)).filter(Boolean));
  s.append(title, element("p", "uuid", gpu.uuid), charts, element("p", "rest", rest(gpu)));
  for (const c of gpu.conditions) s.append(element("p", "trouble", `${c.severity}: ${c.meaning}`));
  for (const x of gpu.xids || []) s.append(element("p", x.active ? "trouble" : "rest", `XID ${x.xid}, ${x.count} times, last ${x.last}, ${x.active ? "active" : "over"}: ${x.meaning}`));
  if (gpu.processes && gpu.processes.length) s.append(processes(gpu));
  return s;
}

// What the canaries found, and the newest alerts first.
function notes(now) {
  const s = element("section");
  for (const c of now.canaries) {
    const slow = c.trouble || (c.cause && c.cause !== "none");
    s.append(element("p", slow ? "trouble" : "rest", "canary: " + (c.trouble || c.message || c.experiment + " has not run yet")));
  }
  for (const a of now.alerts.slice(-10).reverse())
    s.append(element("p", a.over ? "rest" : "trouble", `${a.time} ${a.over ? "over" : "alert"}${a.gpu === undefined ? "" : " GPU " + a.gpu} ${a.kind} ${a.name}: ${a.message}`));
  return s.childElementCount ? [s] : [];
}

async function draw() {
  let wait = 1000;
  const state = document.getElementById("state");
  try {
    if (history.size === 0)
      for (const gpu of (await get("/api/history")).gpus)
        for (const s of gpu.series) history.set(gpu.uuid + " " + s.figure, s.shares);
    const now = await get("/api/now");
    document.getElementById("gpus").replaceChildren(...notes(now), ...now.gpus.map(section));
    state.textContent = `${now.time}, every ${now.interval_s} s, ridge ${now.ridge}`;
    wait = Math.max(500, 1000 * now.interval_s);
  } catch (e) {
    state.textContent = `no figures: ${e.message}`;
  }
  setTimeout(draw, wait);
}

document.getElementById("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  token = document.getElementById("token").value;
  sessionStorage.setItem("token", token);
});
draw();
