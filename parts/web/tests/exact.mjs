// Compares the gradients that the home tab shows with the native gradients, for 200 random
// expressions of numbers, vectors and matrices.
//   node exact.mjs PAGE.html chromium COMMAND
import { execFileSync } from 'node:child_process';
import { check, checkTab, value } from './tab.mjs';

const command = process.argv[4];
const count = 200;

// A generator of random numbers, the same in each run (mulberry32).
let seed = 7;
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const pick = list => list[Math.floor(random() * list.length)];
const number = () => String(Number((random() * 4 - 2).toFixed(2)) || 0.5);

const unary = ['tanh', 'sigmoid', 'exp', 'relu', 'sin', 'cos', 'silu', 'gelu', 'softplus', 'abs', 'sqrt', 'log'];
const ofRows = ['softmax', 'log_softmax', 'layer_norm', 'rms_norm'];

// Returns a random expression of the variables; `kind` is number, vector or matrix.
function expression(kind, depth) {
  if (depth === 0) return pick(['a', 'b', 'c']);
  const part = () => expression(kind, depth - 1 - (random() < 0.3 ? 1 : 0) * (depth > 1 ? 1 : 0));
  const choice = random();
  if (choice < 0.45) return `(${part()} ${pick(['+', '-', '*'])} ${part()})`;
  if (choice < 0.52) return `(${part()} / (2 + ${part()}^2))`;
  if (choice < 0.6) return `${pick(['max', 'min'])}(${part()}, ${part()})`;
  if (kind === 'matrix' && choice < 0.72) return `(${part()} @ ${part()})`;
  if (kind === 'matrix' && choice < 0.76) return `(${part()}).T`;
  if (kind !== 'number' && choice < 0.86) return `${pick(ofRows)}(${part()})`;
  const op = pick(unary);
  return op === 'sqrt' || op === 'log' ? `${op}(1.5 + ${part()}^2)` : `${op}(${part()})`;
}

function valueOf(kind) {
  const numbers = of => Array.from({ length: of }, number).join(', ');
  if (kind === 'number') return number();
  if (kind === 'vector') return `[${numbers(3)}]`;
  return `[${numbers(2)}; ${numbers(2)}]`;
}

function randomWords() {
  const kind = pick(['number', 'number', 'vector', 'matrix']);
  const text = expression(kind, 4);
  const names = ['a', 'b', 'c'].filter(name => new RegExp(`\\b${name}\\b`).test(text));
  return ['explain', text, ...names.map(name => `${name}=${valueOf(kind)}`)];
}

// Returns the gradients by step: those in the page's data, and the texts in the nodes.
const shown = words => `(async () => {
  const data = await explained(${JSON.stringify(words)});
  const root = make('div');
  document.body.append(root);
  const explainer = new Explainer(root, data, {});
  const { trace, numbers } = explainer;
  const gradients = trace.steps.map((_, i) => numbers.hasGradient(i) ? [...numbers.gradient(i)].map(String) : null);
  const texts = trace.steps.map((_, i) => {
    const unit = explainer.scope.unitOf.get(i);
    if (unit.isBox) return null;
    const row = explainer.graph.nodes.get(unit.id).root.querySelector('.gradient');
    return row && [...row.querySelectorAll('.scalar, .mini span')].map(each => each.textContent);
  });
  root.remove();
  return { gradients, texts };
})()`;

const near = (found, wanted, tolerance) =>
  wanted === null
    ? !Number.isFinite(Number(found))
    : Math.abs(Number(found) - wanted) <= tolerance * Math.abs(wanted) + 1e-300;

async function gradients() {
  let compared = 0;
  for (let i = 0; i < count; ++i) {
    const words = randomWords();
    const { lines } = JSON.parse(execFileSync(command, [...words, '--json'], { encoding: 'utf8' }));
    const found = await value(shown(words));
    lines.forEach(({ op, gradient }, step) => {
      const wanted = gradient === undefined ? null : [gradient].flat(Infinity);
      const what = `the gradient of ${op} ${step} in ${words.slice(1).join(' ')}`;
      check((wanted === null) === (found.gradients[step] === null), `${what} is missing`);
      wanted?.forEach((each, at) => {
        const said = found.gradients[step][at];
        check(near(said, each, 1e-11), `${what} is ${said}, expected ${each}`);
        const text = found.texts[step]?.[at];
        if (text) check(near(text, each, 6e-3), `${what} is shown as ${text}, expected ${each}`);
        ++compared;
      });
    });
  }
  console.log(`${compared} gradients of ${count} expressions equal the native ones`);
}

await checkTab('exact', [gradients]);
