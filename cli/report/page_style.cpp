#include "page_parts.hpp"

namespace tapehead {

// After the style of the page of attention maps, whose colours and maps it shares.
const char* const report_style = R"css(
:root {
  --c0: #1653a3; --c1: #c2410c; --c2: #0f7b4f; --c3: #8b3fb5; --c4: #8a6100; --c5: #b3246b; --c6: #00727f; --c7: #4b5563;
  --wrong: #b42318; --heat: 255 145 60;
}
@media (prefers-color-scheme: dark) {
  :root {
    --c0: #7cb4ff; --c1: #ff9a62; --c2: #56d39b; --c3: #d29bff; --c4: #ffc861; --c5: #ff8ac0; --c6: #5ad4e0; --c7: #b6c0cc;
    --wrong: #ff8f85; --heat: 170 72 10;
  }
}
main { padding-bottom: 48px; }
h1 { margin-bottom: 4px; font-size: 1.5rem; }
section { margin-top: 40px; }
section > h2 { font-size: 1.25rem; margin-bottom: 12px; }
h3 { font-size: 1rem; margin: 0; }
a { color: rgb(var(--ink)); }
nav { display: flex; flex-wrap: wrap; gap: 4px 20px; margin-top: 12px; }
nav a { padding: 4px 0; }
pre { margin: 0; font: .875rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre.box { background: var(--field); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; overflow-x: auto; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
.labelled { margin-top: 16px; }
.labelled > .soft { margin-bottom: 4px; }
button { min-height: 36px; padding: 4px 12px; cursor: pointer; }
input { accent-color: rgb(var(--ink)); }
label { display: inline-flex; align-items: center; gap: 8px; max-width: 100%; flex-wrap: wrap; }
summary { cursor: pointer; padding: 6px 0; }
.note { border-left: 4px solid var(--mark); padding: 4px 12px; margin: 8px 0; overflow-wrap: anywhere; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(128px, 1fr)); gap: 12px 20px; margin: 12px 0 0; }
.facts div { border-top: 2px solid var(--line); padding-top: 6px; }
.facts dt { color: var(--soft); font-size: .875rem; }
.facts dd { margin: 0; font-size: 1.125rem; font-weight: 600; }
#results .soft { font-weight: 400; font-size: .8125rem; display: block; }
.scroll { position: relative; }
table { border-collapse: collapse; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: 5px 16px 5px 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--soft); font-weight: 400; font-size: .875rem; }
tbody th { font-weight: 600; }
td code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875rem; overflow-wrap: anywhere; }
td { min-width: 5em; max-width: 24em; overflow-wrap: anywhere; }
.same td, .same th { color: var(--soft); font-weight: 400; }

.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 28px 32px; }
.charts .wide { grid-column: 1 / -1; }
.chart figcaption { justify-content: space-between; gap: 0 16px; min-height: 36px; }
.chart figcaption .soft { font-weight: 400; }
.plot { position: relative; touch-action: pan-y; cursor: crosshair; }
.plot svg { display: block; width: 100%; overflow: visible; }
.plot text { fill: var(--soft); font: 12px system-ui, sans-serif; font-variant-numeric: tabular-nums; }
.plot path { fill: none; }
.plot .grid { stroke: var(--line); stroke-width: 1; opacity: .6; }
.plot .axis { stroke: var(--soft); stroke-width: 1; }
.plot .guide { stroke: var(--text); stroke-width: 1; opacity: .6; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.marker { stroke: none; }
.read { min-height: 1.5em; margin: 4px 0; font-size: .875rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.several .read { min-height: 3em; }
.legend { display: flex; flex-wrap: wrap; gap: 4px; max-height: 136px; overflow-y: auto; padding: 4px; }
.legend button { display: inline-flex; align-items: center; gap: 8px; min-height: 30px; font-size: .8125rem; padding: 2px 8px; background: none; overflow-wrap: anywhere; text-align: left; }
.legend button[aria-pressed=false] { color: var(--soft); text-decoration: line-through; border-style: dashed; }
.legend button[aria-pressed=false] svg { opacity: .3; }
.legend svg { flex: none; }

.slider { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; margin-bottom: 12px; }
.slider label { flex-wrap: nowrap; }
.slider input { width: min(320px, 100%); min-height: 32px; }
.slider output { font-weight: 600; }
.heads button { width: 112px; min-height: 0; }
.heads span { overflow-wrap: anywhere; }

.mistakes { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 20px 32px; list-style: none; margin: 12px 0 0; padding: 0; }
.mistakes li { min-width: 0; border-top: 1px solid var(--line); padding-top: 8px; }
.symbols { display: grid; width: max-content; gap: 2px 0; font: .9375rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
.symbols > span { min-width: 1.25em; padding: 0 3px; text-align: center; border-bottom: 3px solid transparent; white-space: pre; }
.symbols > .soft { text-align: left; font: .8125rem/1.8 system-ui, sans-serif; padding: 0 10px 0 0; position: sticky; left: 0; background: var(--back); }
.symbols.asked { display: flex; }
.symbols > .soft { width: 4em; flex: none; }
.symbols > .wrong { color: var(--wrong); font-weight: 700; border-bottom-color: var(--wrong); }
.text { font: .9375rem/1.75 ui-monospace, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--field); border: 1px solid var(--line); border-radius: 6px; padding: 8px 12px; margin: 4px 0; cursor: crosshair; }
.text span { padding: 2px 0; background: rgb(var(--heat) / var(--loss, 0)); }
.text .other { text-decoration: underline dotted; text-underline-offset: 4px; }
.text .seen { outline: 2px solid var(--mark); }
.key { display: inline-block; width: 7em; height: .8em; border: 1px solid var(--line); background: linear-gradient(to right, rgb(var(--heat) / 0), rgb(var(--heat) / .85)); vertical-align: baseline; margin: 0 4px; }

@media (max-width: 480px) {
  main { padding: 12px; }
  .facts { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .help { display: none; }
}
@media print {
  :root {
    color-scheme: light; --ink: 22 83 163; --text: #000; --soft: #444; --line: #c9d0d8; --back: #fff; --field: #f3f5f7; --mark: #c2410c;
    --c0: #1653a3; --c1: #c2410c; --c2: #0f7b4f; --c3: #8b3fb5; --c4: #8a6100; --c5: #b3246b; --c6: #00727f; --c7: #4b5563;
    --wrong: #b42318; --heat: 255 145 60;
  }
  nav, .controls, .read, .slider input, #value { display: none !important; }
  main { max-width: none; padding: 0; }
  section { margin-top: 24px; }
  figure, .mistakes li, .facts, .layer { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  pre.box, .scroll { overflow: visible; }
  pre.box { white-space: pre-wrap; }
  .charts { grid-template-columns: 1fr 1fr; }
  .legend { max-height: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

const char* const report_body = R"html(
<main>
<header>
<h1></h1>
<p id="summary" class="soft"></p>
<nav aria-label="Sections"></nav>
</header>
<noscript><p class="note">This page draws itself: allow it to run its script.</p></noscript>
</main>
)html";

}  // namespace tapehead
