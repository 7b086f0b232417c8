// Course exercises: a text, and fields for the numbers to compute by hand.
taskKinds['by hand'] = (() => {
  const texts = t('byHand');
  const exercise = name => course.exercises.find(each => each.name === name);
  const form = (task, name, filled) => {
    const fieldOf = number => {
      const id = `${name}-${learner.number}-${number}`;
      const label = make('span.mono', number);
      return new AnswerField('div.number', number, label, make('input', { id, ...plainText }));
    };
    const fields = task.numbers.map(fieldOf);
    const about = make('p.soft', texts.about + (learner.isExam ? '' : texts.some));
    const contents = [about, fields.map(field => field.root)];
    return fieldsForm({ kind: 'by hand', name, fields, filled, contents, none: texts.none });
  };
  return {
    texts,
    words: name => ['learn', String(exercise(name).exercise)],
    names: () => course.exercises.map(each => each.name),
    label: name => `${exercise(name).exercise}. ${exercise(name).title}`,
    title: name => texts.title(exercise(name)),
    text: task => courseText(task.text),
    form,
    blanks: task => task.numbers.map(printTexts.answer).join('   '),
    solution({ solution }) {
      const textOf = ([name, number]) => `${name} = ${Number(number.toPrecision(6))}`;
      return Object.entries(solution).map(textOf).join(', ');
    },
  };
})();
