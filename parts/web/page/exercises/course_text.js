// Converts the course's texts to elements. They use a subset of Markdown: headings, paragraphs,
// numbered lists and code. Text is never parsed as HTML.

// Appends a text in which `code` is between backticks.
function inlineCode(result, text) {
  text.split('`').forEach((part, i) => result.append(i % 2 ? element('code', part) : part));
  return result;
}

// Returns the words of the first command in a console block; a backslash continues a line.
function consoleWords(lines) {
  let line = '';
  for (const each of lines) {
    line += each.replace(/^\$ /, '').replace(/\\$/, '');
    if (!each.endsWith('\\')) break;
  }
  return wordsOf(line);
}

// Returns a code block. A console block gets a link that runs its command in the page.
function codeBlock(language, lines) {
  const result = element('div', undefined, 'code');
  const name = language === 'console' ? 'a command and what it prints' : 'formulas';
  result.append(scrolling(element('pre', lines.join('\n')), name));
  if (language !== 'console') return result;
  const words = consoleWords(lines);
  result.append(commandLink('Try this command with your own numbers', () => words));
  return result;
}

// Returns the title of a text, and its other blocks as elements.
function courseText(text) {
  const [head, ...lines] = text.split('\n');
  const blocks = [];
  let list = null;
  let paragraph = null;
  const grow = (parent, words) => {
    if (!paragraph) {
      paragraph = { root: element(parent.tagName === 'OL' ? 'li' : 'p'), text: '' };
      parent.append(paragraph.root);
    }
    paragraph.text += (paragraph.text ? ' ' : '') + words.trim();
    paragraph.root.replaceChildren();
    inlineCode(paragraph.root, paragraph.text);
  };
  const root = element('div', undefined, 'text');
  for (let i = 0; i < lines.length; ++i) {
    const line = lines[i];
    if (line.startsWith('```')) {
      const end = lines.indexOf('```', i + 1);
      root.append(codeBlock(line.slice(3), lines.slice(i + 1, end)));
      i = end;
    } else if (line.startsWith('## ')) {
      root.append(element('h3', line.slice(3)));
    } else if (/^\d+\. /.test(line)) {
      if (!list) root.append((list = element('ol')));
      paragraph = null;
      grow(list, line.replace(/^\d+\. /, ''));
      continue;
    } else if (line !== '') {
      grow(list ?? root, line);
      continue;
    }
    list = null;
    paragraph = null;
  }
  return { title: head.replace(/^# /, ''), root };
}
