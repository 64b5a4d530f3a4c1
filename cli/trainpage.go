package cli

// trainReportPage is the report of kerf train: one page without scripts, fonts or
// pictures from elsewhere.
const trainReportPage = `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; --ink: #1c2126; --soft: #59636e; --line: #dde2e7; --paper: #fff; --panel: #f7f9fa; --a: #0072b2; --b: #d55e00; --c: #00805d; }
@media (prefers-color-scheme: dark) {
:root { --ink: #e6eaee; --soft: #a2acb6; --line: #363d45; --paper: #14171a; --panel: #1c2024; --a: #56b4e9; --b: #f08a3c; --c: #35c79a; }
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
p { margin: .4rem 0; }
.soft, .interval { color: var(--soft); }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem 1rem; margin: 1rem 0 .4rem; }
.head strong { font-size: 2.3rem; line-height: 1.2; }
.note { border-left: 3px solid var(--b); padding: .2rem .8rem; margin: .8rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr)); gap: 1rem; margin-top: 1.2rem; }
figure { margin: 0; padding: .8rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; max-width: 34rem; }
figure h3 { font-size: 1rem; margin: 0 0 .3rem; }
figcaption { font-size: .86rem; color: var(--soft); }
.key { display: inline-block; width: .75em; height: .75em; border-radius: 50%; margin-right: .35em; background: currentColor; }
.keys > span { margin-right: 1.1em; white-space: nowrap; }
.a { color: var(--a); } .b { color: var(--b); } .c { color: var(--c); }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--soft); }
svg .label { fill: var(--ink); }
svg .mark { fill: var(--ink); stroke: var(--panel); stroke-width: 3px; paint-order: stroke; }
svg path { fill: none; stroke: var(--soft); }
svg .grid { stroke: var(--line); }
svg .line { stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
svg .dots { stroke: currentColor; stroke-linecap: round; }
svg .faint { stroke-opacity: .45; }
svg .whisker { stroke: currentColor; stroke-opacity: .55; stroke-width: 2; }
svg .guide { stroke-dasharray: 5 4; }
svg .rule { stroke-dasharray: 3 3; stroke-width: 1.5; }
svg .rule.c { stroke: currentColor; }
svg .bar { fill: currentColor; fill-opacity: .7; }
table { border-collapse: collapse; }
th, td { padding: .28rem .75rem .28rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
.facts td { overflow-wrap: anywhere; }
th { font-weight: 600; }
.facts th { white-space: nowrap; width: 1%; padding-right: 1.5rem; color: var(--soft); font-weight: 400; }
.facts td:nth-child(2) { font-variant-numeric: tabular-nums; }
.rows td, .rows th { padding-right: 1.4rem; font-variant-numeric: tabular-nums; }
.rows .interval { font-size: .86em; white-space: nowrap; }
.rows th { vertical-align: bottom; }
.wide { overflow-x: auto; }
.heat td, .heat th { padding: .2rem .3rem; font-size: .78rem; text-align: right; border: 1px solid var(--line); font-variant-numeric: tabular-nums; min-width: 1.75rem; overflow-wrap: normal; font-weight: 400; }
.heat tbody th { max-width: 14rem; overflow-wrap: anywhere; }
.heat thead th { text-align: center; vertical-align: bottom; }
.heat.long thead bdi { writing-mode: vertical-rl; max-height: 12rem; overflow: hidden; text-align: left; }
@media print { body { padding: 0; } figure, tr { break-inside: avoid; } }
</style>
<h1>{{.Learner}} on <bdi>{{.Data}}</bdi></h1>
<div class="head"><span>{{.Head}}</span><strong>{{.Value}}</strong>{{if .Interval}}<span class="interval">{{.Interval}} with {{.Confidence}} confidence</span>{{end}}</div>
<p class="soft">Measured on {{.Rows}} {{if .Test}}test{{else}}training{{end}} rows of <bdi>{{.On}}</bdi>. Trained on {{.Trained}} rows in <span id="seconds">{{.Seconds}}</span>; status: {{.Status}}.</p>
{{if not .Test}}<p class="note">The model has seen the rows that it is measured on, so that neither figures nor intervals speak of new rows. Set some aside with <code>--holdout</code>.</p>
{{end}}<h2>What was trained</h2>
<table class="facts">
{{range .Facts}}<tr><th>{{.Name}}</th><td><bdi>{{.Value}}</bdi></td></tr>
{{end}}</table>
{{if .Certificate}}<h2>Certificate</h2>
<p>How many landmarks theory asks for whatever the data, and what was certified for these on fresh rows of them.</p>
<table class="facts">
{{range .Certificate}}<tr><th>{{.Name}}</th><td>{{.Value}}</td></tr>
{{end}}</table>
{{end}}{{if .Chosen}}<h2>What kerf chose, on held-out training rows</h2>
<div class="charts">
{{range .Chosen}}{{template "figure" .}}{{end}}</div>
{{end}}<h2>How good it is, on {{if .Test}}test{{else}}training{{end}} rows</h2>
{{if .Measures}}<table class="rows">
<tr><th>measure</th><th>value</th><th>{{.Confidence}} confidence</th></tr>
{{range .Measures}}<tr><td>{{.Name}}</td><td>{{.Value}}</td><td class="interval">{{.Interval}}</td></tr>
{{end}}</table>
{{end}}<div class="charts">
{{range .Figures}}{{template "figure" .}}{{end}}</div>
{{with .Matrix}}<h2>Confusion matrix</h2>
<p class="soft">A row for each true label, a column for each predicted one. Right ones are blue, confusions orange.</p>
<div class="wide"><table class="heat{{if .Long}} long{{end}}">
<thead><tr><th></th>{{range .Names}}<th><bdi>{{.}}</bdi></th>{{end}}</tr></thead>
<tbody>
{{range .Rows}}<tr><th><bdi>{{.Name}}</bdi></th>{{range .Cells}}{{if .Count}}<td style="background: rgba({{if .Right}}0, 114, 178{{else}}230, 110, 0{{end}}, {{.Heat}})" title="{{.Tip}}">{{.Count}}</td>{{else}}<td></td>{{end}}{{end}}</tr>
{{end}}</tbody>
</table></div>
{{end}}{{if .Confused}}<h2>Most frequent confusions</h2>
<table class="rows">
<tr><th>label</th><th>predicted</th><th>rows</th></tr>
{{range .Confused}}<tr><td><bdi>{{.Label}}</bdi></td><td><bdi>{{.Predicted}}</bdi></td><td>{{.Count}}</td></tr>
{{end}}</table>
{{end}}{{if .Classes}}<h2>Class by class</h2>
{{with .ClassesNote}}<p class="soft">{{.}}</p>
{{end}}<div class="wide"><table class="rows">
<tr><th>label</th><th>rows</th><th>precision</th><th>recall</th><th>F1</th></tr>
{{range .Classes}}<tr><td><bdi>{{.Name}}</bdi></td><td>{{.Rows}}</td>{{template "part" .Precision}}{{template "part" .Recall}}{{template "part" .F1}}</tr>
{{end}}</table></div>
{{end}}{{with .Worst}}<h2>{{.Title}}</h2>
{{if .Rows}}<p class="soft">{{.Note}} Rows are counted from 1 in <bdi>{{$.On}}</bdi>.</p>
<div class="wide"><table class="rows">
<tr>{{range .Columns}}<th>{{.}}</th>{{end}}</tr>
{{range .Rows}}<tr>{{range .}}<td><bdi>{{.}}</bdi></td>{{end}}</tr>
{{end}}</table></div>
{{else}}<p>None: all are right.</p>
{{end}}{{end}}</html>
{{define "figure"}}<figure><h3>{{.Title}}</h3>{{.SVG}}<figcaption>{{if .Keys}}<div class="keys">{{range .Keys}}<span><span class="key {{.Class}}"></span>{{.Name}}</span>{{end}}</div>{{end}}{{.Note}}</figcaption></figure>
{{end}}{{define "part"}}<td>{{.Value}} <span class="interval">{{.Interval}}</span></td>{{end}}`
