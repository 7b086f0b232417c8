// Converts the course's texts to elements. They use a subset of Markdown: headings, paragraphs,
// numbered lists and code. Text is never parsed as HTML.

const courseTexts = t('course');

// Appends a text in which `code` is between backticks.
function inlineCode(result, text) {
  text.split('`').forEach((part, i) => result.append(i % 2 ? make('code', part) : part));
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

// Returns a code block. A console block becomes a link to its example, except in an exam.
function codeBlock(language, lines) {
  if (language !== 'console')
    return scrolling(make('pre', lines.join('\n')), courseTexts.formulas);
  if (learner.isExam) return '';
  const words = consoleWords(lines);
  const link = commandLink(courseTexts.stepThrough, () => words);
  return make('p', link, ': ', make('code', lineOf(words)));
}

// Splits a section into its explanation, the task to compute by hand, and the names of the ops that
// it refers to. Leaves out what is for C++ only: the other tasks and the text after them.
function withoutCode(text) {
  const [explanation, tasks = ''] = text.split('\n## Tasks\n');
  const [, byHand = ''] = /^\s*1\. by hand: ([^]*?)(?:\n\d+\. |\n\n|$)/.exec(tasks) ?? [];
  const ops = [...tasks.matchAll(/docs\/ops\/(\w+)\.md/g)].map(([, op]) => op);
  const task = byHand.trim().replace(/\s*\n\s*/g, ' ');
  return { explanation, byHand: task.replace(/^the /, 'The '), ops };
}

// Returns an exercise's text as elements: title, explanation and task.
function courseText(text) {
  const { explanation, byHand, ops } = withoutCode(text);
  const [head, ...lines] = explanation.split('\n');
  const root = make('div.text', make('h2', head.replace(/^# /, '')));
  let words = '';
  const finish = () => {
    if (words !== '') root.append(inlineCode(make('p'), words));
    words = '';
  };
  for (let i = 0; i < lines.length; ++i) {
    const line = lines[i];
    if (line === '' || line.startsWith('```')) finish();
    if (line.startsWith('```')) {
      const end = lines.indexOf('```', i + 1);
      root.append(codeBlock(line.slice(3), lines.slice(i + 1, end)));
      i = end;
    } else if (line !== '') {
      words += (words === '' ? '' : ' ') + line.trim();
    }
  }
  finish();
  root.append(make('h3', courseTexts.tasks), inlineCode(make('p.task'), byHand));
  if (ops.length > 0 && !learner.isExam) root.append(opLinks(ops));
  return root;
}

function opLinks(ops) {
  const linkTo = (op, i) => [i > 0 && ', ', commandLink(op, () => ['ops', op])];
  return make('p.soft', courseTexts.ops, ops.map(linkTo));
}
