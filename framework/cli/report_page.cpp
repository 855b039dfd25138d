#include "cli/report.h"

namespace assay {

const char* const kReportPage = R"page(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>@TITLE@</title>
<style>
:root { color-scheme: light dark; --bg: #fbfaf8; --card: #fff; --ink: #1d2330; --soft: #667085; --line: #e3e2dd; --accent: #2f6fde; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #12151b; --card: #1a1f28; --ink: #e6e9ef; --soft: #97a1b3; --line: #2c3340; --accent: #79a8ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 22px; margin: 0 0 16px; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 0 0 12px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px; margin: 0 0 16px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; text-align: left; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
.r { text-align: right; }
.controls { display: flex; flex-wrap: wrap; gap: 8px 18px; align-items: center; margin-bottom: 8px; font-size: 13px; color: var(--soft); }
.controls label { display: flex; gap: 6px; align-items: center; }
select { font: inherit; color: var(--ink); background: var(--bg); border: 1px solid var(--line); border-radius: 6px; padding: 3px 6px; max-width: 220px; }
input { accent-color: var(--accent); }
#plot { width: 100%; height: 360px; display: block; touch-action: pan-y; }
#legend { display: flex; flex-wrap: wrap; gap: 4px 8px; max-height: 150px; overflow-y: auto; margin-top: 8px; }
#legend button { font: inherit; font-size: 12px; color: var(--ink); background: none; border: 1px solid var(--line); border-radius: 12px; padding: 1px 9px; cursor: pointer; }
#legend button.off { opacity: .35; text-decoration: line-through; }
#chart { position: relative; }
#read { position: absolute; top: 12px; right: 16px; width: max-content; max-width: min(64%, 340px); padding: 6px 10px; font-size: 12px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; pointer-events: none; opacity: .94; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
#read:empty { display: none; }
#read.left { right: auto; left: 64px; }
#read div { display: flex; gap: 8px; justify-content: space-between; }
#read span { white-space: nowrap; }
#read span:first-child { overflow: hidden; text-overflow: ellipsis; }
#read i, #legend i { flex: none; display: inline-block; width: 10px; height: 10px; border-radius: 5px; margin-right: 5px; }
#note { font-size: 12px; color: var(--soft); }
details { border-bottom: 1px solid var(--line); padding: 6px 0; }
details:last-child { border-bottom: 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; margin: 8px 0 0; }
@media (max-width: 600px) { main { padding: 14px 8px 40px; } section { padding: 12px; } #plot { height: 280px; } }
</style>
</head>
<body>
<main>
<h1>@TITLE@</h1>
<section id="curves">
<h2>Curves</h2>
<div class="controls">
<label>metric <select id="metric"></select></label>
<label><input type="checkbox" id="log"> log scale</label>
<label>smoothing <input type="range" id="smooth" min="0" max="99" value="0"></label>
</div>
<div id="chart"><svg id="plot" role="img" aria-label="metric by step"></svg><div id="read"></div></div>
<div id="note"></div>
<div id="legend"><button id="all">all</button><button id="none">none</button></div>
</section>
@CONTENT@</main>
<script type="application/json" id="data">@DATA@</script>
<script>
"use strict";
const runs = JSON.parse(document.getElementById("data").textContent);
const get = id => document.getElementById(id);
const svg = get("plot"), hidden = new Set();
const groups = 1 + Math.max(-1, ...runs.map(r => r.group));
const colour = g => `hsl(${(215 + g * 137.5) % 360} 65% 52%)`;
const metrics = [...new Set(runs.flatMap(r => Object.keys(r.curves)))].sort();
for (const m of metrics) get("metric").add(new Option(m, m));
if (metrics.includes("val/loss")) get("metric").value = "val/loss";
if (!metrics.length) get("curves").hidden = true;

// Exponential mean without the pull of its start: s = w s + (1 - w) v, shown s / (1 - w^n).
function smooth(values, w) {
  let s = 0, share = 1;
  return values.map(v => {
    if (v === null || w === 0) return v;
    s = w * s + (1 - w) * v;
    share *= w;
    return s / (1 - share);
  });
}
function ticks(low, high, count) {
  if (!(high > low)) return [low];
  for (let power = Math.pow(10, Math.floor(Math.log10((high - low) / count)));; power *= 10)
    for (const nice of [1, 2, 5]) {
      const step = nice * power, first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
      if (last - first + 1 > count) continue;
      return Array.from({length: last - first + 1}, (_, i) => (first + i) * step);
    }
}
const show = x => Math.abs(x) >= 1e5 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(1) : String(+x.toPrecision(5));
function element(name, attributes, text) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== undefined) e.textContent = text;
  svg.append(e);
  return e;
}
let view = null;
function draw() {
  const metric = get("metric").value, log = get("log").checked, weight = +get("smooth").value / 100;
  const width = svg.clientWidth, height = svg.clientHeight;
  const left = 56, right = 12, top = 10, bottom = 28;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren();
  const lines = runs.filter(r => r.curves[metric] && !hidden.has(r)).map(r => {
    const c = r.curves[metric], drawn = v => v === null || (log && v <= 0) ? null : v;
    return {run: r, s: c.s, raw: c.v.map(drawn), v: smooth(c.v, weight).map(drawn)};
  });
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  for (const l of lines) (weight > 0 ? [l.raw, l.v] : [l.v]).forEach(values => values.forEach((v, i) => {
    if (v === null) return;
    x0 = Math.min(x0, l.s[i]); x1 = Math.max(x1, l.s[i]); y0 = Math.min(y0, v); y1 = Math.max(y1, v);
  }));
  get("read").replaceChildren();
  get("note").textContent = lines.length === 0 ? "nothing to draw" : weight === 0 ? "" :
    `weight ${weight}: s = ${weight} s + ${+(1 - weight).toFixed(2)} v, shown s / (1 - ${weight}^n)`;
  view = null;
  if (!(x1 >= x0)) return;
  if (x0 === x1) x1 = x0 + 1;
  if (y0 === y1) { const m = Math.abs(y0) * 0.05 || 0.5; y0 -= log ? y0 / 2 : m; y1 += m; }
  const f = log ? Math.log10 : y => y;
  const X = s => left + (s - x0) / (x1 - x0) * (width - left - right);
  const Y = v => top + (f(y1) - f(v)) / (f(y1) - f(y0)) * (height - top - bottom);
  const style = getComputedStyle(document.body), soft = style.getPropertyValue("--soft"), line = style.getPropertyValue("--line");
  const marks = log ? ticks(f(y0), f(y1), 6).map(t => Math.pow(10, t)) : ticks(y0, y1, 6);
  for (const t of marks) {
    element("line", {x1: left, x2: width - right, y1: Y(t), y2: Y(t), stroke: line});
    element("text", {x: left - 8, y: Y(t) + 4, fill: soft, "font-size": 11, "text-anchor": "end"}, show(t));
  }
  for (const t of ticks(x0, x1, Math.max(2, Math.floor(width / 110))))
    element("text", {x: X(t), y: height - 8, fill: soft, "font-size": 11, "text-anchor": "middle"}, show(t));
  const path = (l, values, more) => {
    let d = "", pen = false;
    values.forEach((v, i) => {
      if (v === null) { pen = false; return; }
      d += `${pen ? "L" : "M"}${X(l.s[i]).toFixed(1)} ${Y(v).toFixed(1)}`;
      pen = true;
    });
    element("path", {d, fill: "none", stroke: colour(l.run.group), "stroke-linejoin": "round", ...more});
  };
  for (const l of lines) {
    if (weight > 0) path(l, l.raw, {class: "raw", "stroke-width": 1, opacity: 0.2});
    path(l, l.v, {class: "curve", "stroke-width": lines.length > 40 ? 1 : 1.6, opacity: lines.length > 12 ? 0.7 : 1});
    if (l.s.length <= 30) l.v.forEach((v, i) => { if (v !== null) element("circle", {cx: X(l.s[i]), cy: Y(v), r: 2.2, fill: colour(l.run.group)}); });
  }
  view = {lines, X, Y, x0, x1, left, right, width, top, bottom: height - bottom, soft, metric};
}
function read(event) {
  if (!view) return;
  svg.querySelectorAll(".hover").forEach(e => e.remove());
  const at = event.clientX - svg.getBoundingClientRect().left, aty = event.clientY - svg.getBoundingClientRect().top;
  const step = view.x0 + (at - view.left) / (view.width - view.left - view.right) * (view.x1 - view.x0);
  const found = [];
  for (const l of view.lines) {
    let i = l.s.findIndex(s => s >= step);
    if (i < 0) i = l.s.length - 1;
    if (i > 0 && step - l.s[i - 1] < l.s[i] - step) i--;
    if (l.v[i] === null) continue;
    found.push({l, i, dx: Math.abs(view.X(l.s[i]) - at), dy: Math.abs(view.Y(l.v[i]) - aty)});
  }
  if (!found.length) return;
  const best = found.reduce((a, b) => Math.hypot(b.dx, b.dy) < Math.hypot(a.dx, a.dy) ? b : a);
  const x = view.X(best.l.s[best.i]), y = view.Y(best.l.v[best.i]);
  element("line", {class: "hover", x1: x, x2: x, y1: view.top, y2: view.bottom, stroke: view.soft, "stroke-dasharray": "3 3"});
  element("circle", {class: "hover", cx: x, cy: y, r: 4, fill: colour(best.l.run.group)});
  const rows = found.sort((a, b) => a.dy - b.dy).slice(0, view.width < 500 ? 5 : 8).sort((a, b) => b.l.v[b.i] - a.l.v[a.i]).map(f => {
    const row = document.createElement("div"), name = document.createElement("span"), value = document.createElement("span");
    const dot = document.createElement("i");
    dot.style.background = colour(f.l.run.group);
    const other = f.l.s[f.i] === best.l.s[best.i] ? "" : ` (${f.l.s[f.i]})`;
    name.append(dot, title(f.l.run) + other);
    value.textContent = +f.l.v[f.i].toPrecision(6);
    row.append(name, value);
    if (f === best) row.style.fontWeight = 600;
    return row;
  });
  const head = document.createElement("div");
  head.textContent = `step ${best.l.s[best.i]}`;
  get("read").replaceChildren(head, ...rows);
  get("read").classList.toggle("left", at > view.width / 2);
}
function leave() {
  svg.querySelectorAll(".hover").forEach(e => e.remove());
  get("read").replaceChildren();
}
const title = run => groups < runs.length ? `${run.label} ${run.name}` : run.name;
for (const run of runs) {
  const button = document.createElement("button"), dot = document.createElement("i");
  dot.style.background = colour(run.group);
  button.append(dot, title(run));
  button.onclick = () => {
    hidden.has(run) ? hidden.delete(run) : hidden.add(run);
    button.classList.toggle("off", hidden.has(run));
    draw();
  };
  get("legend").append(button);
}
function hide(some) {
  hidden.clear();
  for (const run of some) hidden.add(run);
  document.querySelectorAll("#legend button").forEach(b => { if (!b.id) b.classList.toggle("off", some.length > 0); });
  draw();
}
get("all").onclick = () => hide([]);
get("none").onclick = () => hide(runs);
for (const id of ["metric", "log", "smooth"]) get(id).addEventListener("input", draw);
svg.addEventListener("pointermove", read);
svg.addEventListener("pointerdown", read);
svg.addEventListener("pointerleave", leave);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("resize", draw);
draw();
</script>
</body>
</html>
)page";

}  // namespace assay
