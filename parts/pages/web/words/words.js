// Looks up the pages' texts. A translation is one file like words_en.js: texts, and functions for
// sentences that contain numbers or names. A missing text is shown in English.

// The language is chosen by ?lang=de in the address, or else by the browser's setting.
const language = (() => {
  const asked = new URLSearchParams(location.search).get('lang') ?? navigator.language ?? 'en';
  const code = asked.slice(0, 2).toLowerCase();
  return code in texts ? code : 'en';
})();

// Returns the texts of a group in the reader's language; missing ones in English.
function completedText(english, own) {
  if (Object.getPrototypeOf(english) !== Object.prototype) return own ?? english;
  const keys = Object.keys(english);
  return Object.fromEntries(keys.map(key => [key, completedText(english[key], own?.[key])]));
}

// Returns the text for a key, such as `gate.tanh`, or a group of texts, such as all texts of a tab;
// undefined if there is none.
function t(key, ...values) {
  const english = texts.en[key];
  const text = english === undefined ? undefined : completedText(english, texts[language]?.[key]);
  return typeof text === 'function' ? text(...values) : text;
}

const hasText = key => key in texts.en;

// Returns the name of an op in the reader's language, as in `multiply`.
const opWord = op => t(`op.${op}`) ?? op;

// Returns links to the same page in the other languages.
function languageLinks() {
  const load = (event, code) => {
    event.preventDefault();
    const address = new URL(location.href);
    address.searchParams.set('lang', code);
    location.assign(address);
  };
  const link = code =>
    make('a', { href: '#', lang: code, onclick: event => load(event, code) }, texts[code].language);
  const others = Object.keys(texts).filter(code => code !== language);
  return make('span.languages', { lang: language }, others.map(link));
}
