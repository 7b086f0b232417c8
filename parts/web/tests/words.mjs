// Tests the table of words: all languages have the same keys and placeholders, and all tabs take
// their texts from it. A copy of the page has a language in which each word of the table is
// between « and »; any other text on the page must be the command's or the reader's.
//   node words.mjs PAGE.html [chromium|firefox]
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { check, checkTab, browser, equals, load, until, value } from './tab.mjs';

const page = process.argv[2] ?? 'build/web/tapehead.html';
const source = readFileSync(page, 'utf8');

// ---- the table

// Returns the parameters of a text, and which of them it uses.
function placeholders(text) {
  const [, head, body] = /^(.*?) =>([^]*)$/.exec(String(text)) ?? [];
  const names = head.match(/\w+/g) ?? [];
  return names.map(name => (new RegExp(`\\b${name}\\b`).test(body) ? name : `${name} (unused)`));
}
function compare(english, own, key, found) {
  const kind = each => (Array.isArray(each) ? 'array' : typeof each);
  if (kind(english) !== kind(own)) return found.push(`${key}: ${kind(own)}`);
  if (kind(english) === 'function' && placeholders(english).join() !== placeholders(own).join())
    found.push(`${key}: placeholders ${placeholders(own)}`);
  if (typeof english !== 'object') return undefined;
  const keys = new Set([...Object.keys(english), ...Object.keys(own)]);
  return keys.forEach(each => compare(english[each], own[each], `${key}.${each}`, found));
}
const [whole, tables] = /^(const texts = \{\};[^]*?)^\/\/ Looks up the pages' texts/m.exec(source);
const texts = runInNewContext(`${tables};texts`);
function sameKeys() {
  const found = [];
  for (const code of Object.keys(texts)) compare(texts.en, texts[code], code, found);
  check(found.length === 0, `languages differ at ${found.join('; ')}`);
}

// Scripts use each text. Names with dots, such as gate.tanh, and the names in a group such as
// `states[state]` depend on values.
function allAreUsed() {
  const scripts = source.slice(source.indexOf(whole) + whole.length);
  const isUsed = key => new RegExp(`\\.${key}\\b|[{,]\\s*${key}\\b[^}]*\\} =`).test(scripts);
  const unused = (group, name) =>
    Object.entries(group).flatMap(([key, text]) => {
      const isGroup = Object.prototype.toString.call(text) === '[object Object]';
      if (isGroup && new RegExp(`\\b${key}\\[`).test(scripts)) return [];
      if (isGroup) return unused(text, `${name}${key}.`);
      return isUsed(key) ? [] : [name + key];
    });
  const { language, ...english } = texts.en;
  const isTop = ([key, text]) => typeof text !== 'object' || Array.isArray(text);
  const top = Object.entries(english).filter(isTop).map(([key]) => key);
  const found = top.filter(key => !key.includes('.') && !scripts.includes(`'${key}'`));
  const groups = Object.entries(english).filter(entry => !isTop(entry));
  found.push(...groups.flatMap(([key, group]) => unused(group, `${key}.`)));
  check(found.length === 0, `no script uses ${found.join(', ')}`);
}

// Pages that the command writes have only the words before the mark.
function pagesHaveTheirWords() {
  const web = new URL('../../pages/web/', import.meta.url);
  const text = name => readFileSync(new URL(name, web), 'utf8');
  const kept = text('words/words_en.js').split('// ---- only in the teaching page');
  check(kept.length === 2, 'words_en.js has no mark');
  const scripts = readdirSync(web, { recursive: true }).filter(name => name.endsWith('.js'));
  const used = scripts.flatMap(name => [...text(name).matchAll(/\bt\('([^']+)'/g)]);
  const isKept = key => new RegExp(`^  '?${key}'?:`, 'm').test(kept[0]);
  const missing = [...new Set(used.map(([, key]) => key))].filter(key => !isKept(key));
  check(missing.length === 0, `only in the teaching page: ${missing.join(', ')}`);
}

// ---- the tabs

// Marks all texts of a group.
const marking = `const marked = text =>
  typeof text === 'string'
    ? text.replace(/^\\s*\\S.*/s, '«$&»')
    : typeof text === 'function'
      ? (...values) => marked(text(...values))
      : Array.isArray(text)
        ? text.map(marked)
        : text && Object.fromEntries(Object.entries(text).map(([key, each]) => [key, marked(each)]));
texts.de = marked(texts.en);
// Looks up the pages' texts`;

// Elements with texts of the command or the reader: code, names of ops, tasks and exercises.
const others = [
  ...['code', 'pre', '[lang=en]', '.languages', '.tokens', '.answers', '.number label'],
  ...['.field > .soft', '.field option', 'optgroup option'],
  ...['.trained td:nth-child(2)', '.lesson select option', 'dl'],
  ...['.lesson .text', '.functions', '.items a', 'textarea', 'a[href^="#train"]'],
];
const plain = /^([^a-zA-Zäöüß]*|--[a-z-]+|tapehead|blocks[.\w]*|(\d+ )?(tanh|mul|add|[A-Za-z]))$/;
const unmarked = `(() => {
  const seen = [];
  const panel = [...document.querySelectorAll('[role=tabpanel]')].find(each => !each.hidden);
  const look = (text, owner) => {
    if (!text || text.includes('«') || ${plain}.test(text)) return;
    if (!owner.closest(${JSON.stringify(others.join(', '))})) seen.push(text.trim());
  };
  const walker = document.createTreeWalker(panel, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) look(walker.currentNode.data, walker.currentNode.parentElement);
  for (const each of panel.querySelectorAll('[aria-label], [title], [placeholder]'))
    for (const name of ['aria-label', 'title', 'placeholder']) look(each.getAttribute(name), each);
  return [...new Set(seen)].join(' | ');
})()`;
const views = [
  ['#explain+tanh(a*b)+a=1+b=2', "document.querySelectorAll('.node').length > 3"],
  ['#train+reverse+--length+4+--symbols+5+--steps+20+--eval-every+10',
    "document.querySelectorAll('#panel-train .trained table').length > 0"],
  ["#compare+'a*b+%2B+a*c'+'a*(b+%2B+c)'+a=0.1+b=0.7+c=0.3",
    "document.querySelector('#panel-compare .printed')"],
  ['#learn+--student+17', "document.querySelector('.course')"],
  ['#learn+6+--student+17', "document.querySelector('.answer')"],
  ['#learn+rule+softmax+--student+17', "document.querySelector('.answer')"],
  ['#learn+fault+--seed+1+--student+17', "document.querySelector('.answer')"],
  ['#learn+puzzle+3+--student+17', "document.querySelector('.answer')"],
  ['#learn+grade', "document.querySelector('.grade-view')"],
  ['#sheet', "document.querySelector('.sheet-view')"],
  ['#sheet+--title+1+--exam+learn+6', "document.querySelector('.sheet-view')"],
  ['#sheet+--title+1+learn+6', "document.querySelector('.sheet-view')"],
  ['#ops', "document.querySelector('#panel-terminal .printed').textContent"],
];
async function allInTheTable() {
  const folder = mkdtempSync(join(tmpdir(), 'words-'));
  const copy = join(folder, 'page.html');
  writeFileSync(copy, source.replace("// Looks up the pages' texts", () => marking));
  const found = [];
  try {
    for (const [fragment, isThere] of views) {
      await browser.open(`file://${copy}?lang=de${fragment}`);
      await until("/«Ready/.test(document.getElementById('state').textContent)", 60);
      await until(isThere, 60);
      const texts = await value(unmarked);
      if (texts !== '') found.push(`${fragment}: ${texts}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  check(found.length === 0, `not in the table of words:\n${found.join('\n')}`);
}

// ---- German

async function fits() {
  for (const width of [390, 1280]) {
    await browser.resize(width, 900);
    for (const [fragment, isThere] of views) {
      await load(`?lang=de${fragment}`);
      await until(isThere, 60);
      await equals('document.documentElement.scrollWidth <= innerWidth', true);
      await equals("document.documentElement.lang", 'de');
    }
  }
}

await checkTab('words', [sameKeys, allAreUsed, pagesHaveTheirWords, allInTheTable, fits]);
