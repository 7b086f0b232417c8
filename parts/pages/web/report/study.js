// The page of a study: the answer, the figures, the results, and how to repeat them.
const { study } = data;

const paragraph = text => text && make('p', text);

// Returns the sentences that the runs support, and those that they don't support with the reasons.
function answerTexts() {
  if (study.too_quick) return [make('p.note', study.too_quick)];
  return study.answers.map(({ text, supported, why }) =>
    supported
      ? make('p.answer', text)
      : make('p.answer.unsupported', make('strong', 'Not supported by these runs: '), text, make('br'), make('span.soft', why)),
  );
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
  const about = study.seeds > 1 ? 'Lines: median over the seeds; bands: from the lowest to the highest.' : '';
  const pictures = study.figures.map(({ title, name, svg }) => {
    const src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    const files = make('span.soft', `figures/${name}.svg and .csv`);
    return make('figure.picture', make('figcaption', make('h3', title, ' ', files)), make('img', { src, alt: title }));
  });
  section('figures', 'Figures').append(make('p.soft', about), make('div.charts', pictures));
}

function resultsPart() {
  const part = section('results', 'Results');
  const each = study.seeds > 1 ? `Median over ${plural(study.seeds, 'seed')}; in brackets, the range. ` : '';
  part.append(make('p.soft', each, study.skipped_text), tableOf(study.table, 'Results'));
  const measures = study.measures.map(({ name, what }) => make('li', make('strong', name), `: ${what}`));
  part.append(make('details', make('summary', 'How each column is measured'), make('ul', measures)));
}

function comparisonPart() {
  if (study.quick || study.comparison.length < 2) return;
  section('published', 'Published values').append(
    tableOf(study.comparison, 'Published values'),
    make('p.soft', study.sources.join('; ')),
  );
}

function repeatPart() {
  const part = section('repeat', 'Repeat it');
  part.append(make('pre.wrap', study.command), make('p', `${study.about}. Training took ${study.duration} in all.`));
  part.append(make('ul', study.programs.map(program => make('li', program))));
  if (study.common.length)
    part.append(make('p', 'Options of all runs: ', make('code', study.common.join(', '))));
  const rows = study.rows.flatMap(({ name, options, runs }) =>
    runs.map(run => [name, options, `${run.seed}`, run.diverged ? `${run.steps}, diverged` : `${run.steps}`, run.weight_hash]),
  );
  const runs = tableOf([['row', 'options', 'seed', 'steps', 'weight hash'], ...rows], 'Runs');
  part.append(make('details', make('summary', 'All runs and their weight hashes'), runs));
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
