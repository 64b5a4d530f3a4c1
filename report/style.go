package report

// Style is the style sheet of all pages and charts. The colours of series are the
// custom properties --k1 to --k6: those of Okabe and Ito, which the colour-blind
// can tell apart, made dark enough for white and light enough for black.
const Style = `:root { color-scheme: light dark; --ink: #1c2126; --soft: #59636e; --line: #dde2e7;
--paper: #fff; --panel: #f7f9fa; --k1: #0072b2; --k2: #d55e00; --k3: #00805d; --k4: #a3477f; --k5: #8a6a00;
--k6: #59636e; --right: 0, 114, 178; --wrong: 230, 110, 0; }
@media (prefers-color-scheme: dark) {
:root { --ink: #e6eaee; --soft: #a2acb6; --line: #363d45; --paper: #14171a; --panel: #1c2024;
--k1: #56b4e9; --k2: #f08a3c; --k3: #35c79a; --k4: #e08cc0; --k5: #e0bf4a; --k6: #a2acb6; }
}
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 0 auto; padding: 2rem 1.25rem 4rem;
color: var(--ink); background: var(--paper); }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
p { margin: .5rem 0; max-width: 50rem; overflow-wrap: break-word; }
.soft, .small { color: var(--soft); }
.head { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem 1rem; margin: 1rem 0 .4rem; }
.head strong { font-size: 2.3rem; line-height: 1.2; overflow-wrap: anywhere; }
.note { border-left: 3px solid var(--k2); padding: .2rem .8rem; margin: .8rem 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr)); gap: 1rem;
margin-top: 1.2rem; }
.charts.few { grid-template-columns: repeat(auto-fit, minmax(min(45%, 13rem), 1fr)); gap: .6rem; }
figure { margin: 0; padding: .8rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px;
max-width: 34rem; }
figure h3 { font-size: 1rem; margin: 0 0 .3rem; }
figcaption { margin-top: .35rem; font-size: .86rem; color: var(--soft); }
.keys > span { display: inline-block; margin-right: 1.1em; }
svg.key { display: inline-block; width: 18px; height: 12px; margin-right: .4em; vertical-align: baseline; }
.k1 { color: var(--k1); } .k2 { color: var(--k2); } .k3 { color: var(--k3); }
.k4 { color: var(--k4); } .k5 { color: var(--k5); } .k6 { color: var(--k6); }
svg.chart { display: block; width: 100%; height: auto; font: inherit; font-size: 12px; }
svg text { fill: var(--soft); }
svg .label { fill: var(--ink); }
svg .none { font-size: 16px; }
svg .mark { fill: var(--ink); stroke: var(--panel); stroke-width: 3px; paint-order: stroke; }
svg path { fill: none; stroke: var(--soft); }
svg .grid { stroke: var(--line); }
svg .line { stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
svg .dashed { stroke-dasharray: 5 4; stroke-width: 1.5; }
svg .dots { stroke: currentColor; stroke-linecap: round; }
svg .dot { fill: currentColor; stroke: var(--panel); stroke-width: 1; }
svg .faint { opacity: .45; }
svg .whisker { stroke: currentColor; stroke-opacity: .6; stroke-width: 1.5; }
svg .rule { stroke-dasharray: 3 3; stroke-width: 1.5; }
svg .rule[class*=k] { stroke: currentColor; }
svg .bar { fill: currentColor; fill-opacity: .7; }
table { border-collapse: collapse; }
th, td { padding: .28rem .75rem .28rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
overflow-wrap: break-word; }
th { font-weight: 600; }
.facts td { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.facts th { white-space: nowrap; width: 1%; padding-right: 1.5rem; color: var(--soft); font-weight: 400; }
.rows td, .rows th { padding-right: 1.4rem; font-variant-numeric: tabular-nums; }
.rows .small { font-size: .86em; white-space: nowrap; }
.rows th { vertical-align: bottom; }
.wide { overflow-x: auto; }
.heat td, .heat th { padding: .2rem .3rem; font-size: .78rem; text-align: right; border: 1px solid var(--line);
font-variant-numeric: tabular-nums; min-width: 1.75rem; overflow-wrap: normal; font-weight: 400; }
.heat .right { background: rgba(var(--right), var(--heat)); }
.heat .wrong { background: rgba(var(--wrong), var(--heat)); }
.heat tbody th { max-width: 14rem; overflow-wrap: anywhere; }
.heat thead th { text-align: center; vertical-align: bottom; }
.heat.upright thead bdi { writing-mode: vertical-rl; max-height: 12rem; overflow: hidden; text-align: left; }
@media (max-width: 32rem) {
body { padding: 1.2rem .75rem 3rem; }
figure { padding: .6rem; }
.facts th { white-space: normal; padding-right: .8rem; }
.rows td, .rows th { padding-right: .8rem; }
}
@media print { body { padding: 0; } figure, tr { break-inside: avoid; } }
`
