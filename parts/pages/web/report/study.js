// The page of a study: the answer, the figures, the results, and how to repeat them.
const { study } = data;

const paragraph = text => text && make('p', text);

// Returns the sentences that the runs support, and those that they don't support with the reasons.
function answerTexts() {
  if (study.too_quick) return [make('p.note', study.too_quick)];
  return study.answers.map(({ text, supported, why }) => {
    if (supported) return make('p.answer', text);
    const refusal = make('strong', 'Not supported by these runs: ');
    return make('p.answer.unsupported', refusal, text, make('br'), make('span.soft', why));
  });
}

function tableOf([heads, ...rows], name) {
  return scrolling(table(heads, rows), name);
}

function questionPart() {
  const part = section('question', 'Question and answer');
  part.append(...[paragraph(study.question), ...answerTexts()].filter(Boolean));
}

function figuresPart() {
  if (!study.figures.length) return;
  const bands = 'Lines: median over the seeds; bands: from the lowest to the highest.';
  const pictures = study.figures.map(({ title, name, svg }) => {
    const src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    const files = make('span.soft', `figures/${name}.svg and .csv`);
    const caption = make('figcaption', make('h3', title, ' ', files));
    return make('figure.picture', caption, make('img', { src, alt: title }));
  });
  const about = make('p.soft', study.seeds > 1 && bands);
  section('figures', 'Figures').append(about, make('div.charts', pictures));
}

function resultsPart() {
  const part = section('results', 'Results');
  const each = `Median over ${plural(study.seeds, 'seed')}; in brackets, the range. `;
  const about = make('p.soft', study.seeds > 1 && each, study.skipped_text);
  const measures = study.measures.map(({ name, what }) =>
    make('li', make('strong', name), `: ${what}`),
  );
  part.append(
    about,
    ...study.tables.flatMap(({ title, rows }) =>
      [title && make('h3', title), tableOf(rows, title || 'Results')].filter(Boolean),
    ),
    make('details', make('summary', 'How each column is measured'), make('ul', measures)),
  );
}

function comparisonPart() {
  if (study.quick || study.comparison.rows.length < 2) return;
  section('published', 'Published values').append(
    tableOf(study.comparison.rows, 'Published values'),
    make('p.soft', study.sources.join('; ')),
  );
}

function repeatPart() {
  const common = study.common.length
    ? make('p', 'Options of all runs: ', make('code', study.common.join(', ')))
    : undefined;
  const steps = run => `${run.steps}${run.diverged ? ', diverged' : ''}`;
  const rows = study.rows.flatMap(({ name, options, runs }) =>
    runs.map(run => [name, options, `${run.seed}`, steps(run), run.weight_hash]),
  );
  const runs = tableOf([['row', 'options', 'seed', 'steps', 'weight hash'], ...rows], 'Runs');
  section('repeat', 'Repeat it').append(
    make('pre.wrap', study.command),
    make('p', `${study.about}. Training took ${study.duration} in all.`),
    make('ul', study.programs.map(program => make('li', program))),
    make('div', common),
    make('details', make('summary', 'All runs and their weight hashes'), runs),
  );
}

function textPart(id, heading, text) {
  if (text) section(id, heading).append(paragraph(text));
}

titled(study.title, make('p.soft', `${study.quick ? 'Quick version · ' : ''}${study.source}`));
questionPart();
textPart('setup', 'Setup', study.setup);
figuresPart();
resultsPart();
comparisonPart();
textPart('limitations', 'Limitations', study.limitations);
repeatPart();
