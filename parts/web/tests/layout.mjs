// Opens every view of the page, and the pages that COMMAND writes, on a phone, a tablet and a
// desktop, in light and dark colours. Checks that they fit: nothing scrolls sideways, labels are
// readable, controls are large enough to tap. With a folder, writes a picture of each; with axe, a
// checker of accessibility, prints its findings.
//   node layout.mjs PAGE.html [chromium|firefox] [COMMAND] [PICTURES [AXE.js]]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { browser, check, checkTab, load, until, value } from './tab.mjs';
import { views } from './views.mjs';

const [, browserName = 'chromium', command = '', pictures = '', axe = ''] = process.argv.slice(2);
const widths = [390, 768, 1280];
const isSeen = pictures !== ''; // colours matter only for pictures and axe

// Functions for the page that return the elements that don't fit, as texts.
const helpers = `(() => {
  const isSeen = each => {
    const { width, height } = each.getBoundingClientRect();
    return width > 1 && height > 1 && each.checkVisibility({ visibilityProperty: true });
  };
  const all = selector => [...document.querySelectorAll(selector)].filter(isSeen);
  const named = each => {
    const { width, height } = each.getBoundingClientRect();
    const text = (each.getAttribute('aria-label') || each.textContent).trim().slice(0, 30);
    const tag = [each.localName, ...each.classList].join('.');
    return tag + ' "' + text + '" ' + Math.round(width) + '×' + Math.round(height);
  };
  const isScrolled = each => {
    for (let at = each.parentElement; at; at = at.parentElement)
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowX)) return at !== document.body;
    return false;
  };
  // Elements beyond the right edge that no box around them scrolls.
  const wide = () => {
    const edge = document.documentElement.clientWidth;
    const isWide = each => each.getBoundingClientRect().right > edge + 1;
    return all('body *').filter(each => isWide(each) && !isScrolled(each)).map(named);
  };
  const small = () => {
    const hasText = each =>
      [...each.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== '');
    const size = each => parseFloat(getComputedStyle(each).fontSize);
    const scale = each => each.ownerSVGElement?.getScreenCTM().a ?? 1;
    const isHidden = each => each.closest('.dense');
    return all('body *')
      .filter(each => hasText(each) && !isHidden(each) && size(each) * scale(each) < 10.9)
      .map(each => named(each) + ' ' + size(each) * scale(each) + ' px');
  };
  // Controls that are hard to tap; links in a sentence are exempt.
  const tight = () => {
    const controls = 'button, select, textarea, summary, input, [role=gridcell], [role=tab]';
    const isBox = ({ type }) => ['checkbox', 'radio'].includes(type);
    const target = each => (isBox(each) ? each.closest('label') : each);
    const isTight = each => {
      const { width, height } = each.getBoundingClientRect();
      return height < 43.5 || width < (each.matches('td, .spin, button') ? 43.5 : 24);
    };
    return all(controls)
      .map(target)
      .filter(each => !each.matches('.link, .languages *') && isTight(each))
      .map(named);
  };
  // Boxes other than the page that scroll vertically. Legends of many curves may.
  const inner = () =>
    all('body *')
      .filter(each => /auto|scroll/.test(getComputedStyle(each).overflowY))
      .filter(each => each.scrollHeight > each.clientHeight + 1 && !each.matches('textarea, .legend'))
      .map(named);
  window.fits = { wide, small, tight, inner };
  return 0;
})()`;

const problems = [];
const note = (where, what, found) => {
  const some = [...new Set(found)].slice(0, 6).join('; ');
  if (some !== '') problems.push(`${where}: ${what}: ${some}`);
};

async function measure(where, width) {
  await value(helpers);
  const sideways = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
  if (await value(sideways)) note(where, 'scrolls sideways', ['the page']);
  note(where, 'beyond the edge', await value('fits.wide()'));
  note(where, 'labels below 11 px', await value('fits.small()'));
  note(where, 'scrolls in the page', await value('fits.inner()'));
  if (width === 390) note(where, 'hard to tap', await value('fits.tight()'));
}

// Returns the findings of axe as texts.
async function accessibility() {
  if (axe === '') return [];
  await value(`(() => { ${readFileSync(axe, 'utf8')}; return 0; })()`);
  return value(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.slice(0, 5).map(each => id + ' ' + each.target.join(' ') + ' ' +
        each.any.concat(each.all, each.none).map(({ message }) => message).slice(0, 1).join())))`);
}

// Writes the pages of a run with the native command. Returns them as views.
function staticPages() {
  if (command === '') return [];
  const folder = mkdtempSync(join(tmpdir(), 'pages-'));
  const run = (...words) => execFileSync(resolve(command), words, { cwd: folder });
  run('train', 'reverse', '--steps', '60', '--layers', '2', '--heads', '2', '--out', 'run');
  run('train', 'reverse', '--steps', '60', '--lr', '0.002', '--out', 'other');
  const view = (name, ...words) => {
    run(...words, '--out', `${name}.html`);
    return [`page-${name}`, `file://${folder}/${name}.html`, () => {}];
  };
  return [
    view('explain-expression', 'explain', 'softmax(x @ w)', 'x=[1,2,3;4,5,6]', 'w=[1,2;3,4;5,6]'),
    view('explain', 'explain', 'run'),
    view('report', 'report', 'run'),
    view('reports', 'report', 'run', 'other'),
    view('attention', 'attention', 'run'),
  ];
}

async function looksRight([name, address, prepare]) {
  await browser.resize(1280, 900);
  await browser.prefer('light');
  // Each view has a new student, and no answers that the browser asks about.
  await value("typeof learner === 'undefined' || (localStorage.clear(), (learner.isKept = true))");
  if (address.startsWith('file:')) await browser.open(address);
  else await load(address);
  await prepare();
  for (const width of widths) {
    await browser.resize(width, 844);
    for (const scheme of isSeen ? ['light', 'dark'] : ['light']) {
      await browser.prefer(scheme);
      await new Promise(done => setTimeout(done, 400)); // graphs are arranged, curves drawn again
      const where = `${name}, ${width} px, ${scheme}`;
      if (scheme === 'light') await measure(where, width);
      if (width !== 768) note(where, 'axe', await accessibility());
      const file = `${name}-${width}-${scheme}-${browserName}.png`;
      if (isSeen) writeFileSync(join(pictures, file), await browser.picture());
    }
  }
  await browser.expectNoComplaints();
}

if (isSeen) mkdirSync(pictures, { recursive: true });
const only = process.env.VIEWS?.split(','); // such as neuron,grade
const chosen = [...views, ...staticPages()].filter(([name]) => !only || only.includes(name));
await checkTab('layout', [
  ...chosen.map(view => () => looksRight(view).catch(({ message }) => note(view[0], 'failed', [message]))),
  () => check(problems.length === 0, `\n${problems.join('\n')}`),
]);
