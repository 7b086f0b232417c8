// The Train tab: trains a model and shows its loss curves, its answers and what it has learned.

const trainable = words =>
  words[0] === 'train' && !words.some(word => /^(-h|--help)(=|$)/.test(word));

addTab('train', trainTexts.tab, words => words.length === 0 || trainable(words), panel => {
  let words = ['train', 'reverse'];
  let running = null; // promise of the running `train` command
  let folder = ''; // folder of the run shown
  let begunBy = null; // the `train` command of the run, if this page started it
  let steps = 0;
  let tasks = []; // as the command describes them
  const points = { training: [], heldOut: [] };

  // ---- controls

  const line = lineInput();
  const task = make('select');
  const about = make('p.soft');
  const fields = new TrainFields((name, value) => ask(withOption(words, name, value)));
  const own = new OwnData(name => {
    status.textContent = '';
    ask(withOption(words, 'data', name));
  });

  // Shows a command line in the controls.
  function ask(asked) {
    const isOther = asked[1] !== words[1];
    words = asked;
    line.value = lineOf(words);
    task.value = words[1] ?? '';
    if (isOther || fields.root.hidden) describe();
  }

  // Shows the task and its options.
  async function describe() {
    const found = tasks.find(({ name }) => name === words[1]);
    fields.root.hidden = !found;
    own.show(words[1]);
    const { teaches, expected } = trainTexts;
    about.textContent = found ? `${teaches(found.teaches)} ${expected(found.expected)}` : '';
    if (found) await fields.show(words, found.options.filter(({ name }) => name !== 'data'));
  }
  const chooseTask = name => ask(['train', name, ...(smallModels[name] ?? [])]);

  const start = make('button.main', trainTexts.tab);
  const stop = button(t('stop'), () => running && engine.stop(running));
  const goOn = button(trainTexts.goOn, () => train(['train', '--resume', folder]));
  const keep = button(trainTexts.download, () => saveArchive(folder));
  const command = labelled(trainTexts.command, line);
  const form = makeForm(
    'form',
    () => running || train(words),
    field(trainTexts.task, task, chooseTask),
    ...[about, own.root, fields.root],
    make('div.choose', command, start, stop, goOn, keep, linkButton(() => words)),
  );
  line.addEventListener('change', () => {
    try {
      ask(wordsOf(line.value));
      describe();
    } catch (error) {
      status.textContent = `${error.message}.`;
    }
  });
  // ---- results

  const status = statusLine();
  const bar = make('progress', { 'aria-label': trainTexts.stepsDone, value: 0 });
  const verdict = make('p.verdict', { role: 'status' });
  const curve = make('div');
  const examples = make('div.answers.mono', { 'aria-label': trainTexts.answers });
  const live = make(
    'div.live',
    { hidden: true },
    make('div', make('h2', trainTexts.loss), curve),
    make('div', make('h2', trainTexts.answers), examples),
  );
  const model = new Model();
  const pages = new RunPages(() => folder, () => model.selected);
  const printed = make('pre.printed');
  const details = make('details', { hidden: true }, make('summary', trainTexts.output), printed);

  function set(state) {
    start.disabled = state === 'runs';
    stop.disabled = state !== 'runs';
    goOn.hidden = state !== 'stopped';
    keep.hidden = !folder || state === 'runs';
    pages.root.hidden = keep.hidden;
  }

  function hear(stream, text) {
    if (stream === 'out' || stream === 'err') printed.append(text);
    if (stream === 'config') steps = Number(/^steps = (\d+)/m.exec(text)?.[1] ?? 0);
    if (stream === 'saved') look(text);
    if (stream !== 'metrics') return;
    for (const entry of text.trim().split('\n').map(each => JSON.parse(each))) note(entry);
  }

  let begun = { step: 0, time: 0 };
  function note(entry) {
    const { progress, lossIs, correct, left: leftText } = trainTexts;
    if (Number.isFinite(entry.loss)) points.training.push({ step: entry.step, value: entry.loss });
    if (Number.isFinite(entry.val_loss))
      points.heldOut.push({ step: entry.step, value: entry.val_loss });
    if (begun.time === 0) begun = { step: entry.step - 1, time: performance.now() };
    const each = (performance.now() - begun.time) / 1000 / (entry.step - begun.step);
    const left = Math.ceil(each * (steps - entry.step));
    bar.max = steps;
    bar.value = entry.step;
    const parts = [progress(entry.step, steps)];
    if (Number.isFinite(entry.loss)) parts.push(lossIs(entry.loss));
    if (entry.exact_match !== undefined) parts.push(correct(entry.exact_match));
    if (left > 0)
      parts.push(leftText(`${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`));
    status.textContent = parts.join(' · ');
    live.hidden = false;
    requestAnimationFrame(draw);
  }

  let chart = null;
  let isDrawn = true;
  function draw() {
    if (!isDrawn) return;
    isDrawn = false;
    setTimeout(() => {
      isDrawn = true;
      const curves = Object.values(points).map((all, i) => ({
        name: trainTexts.curves[i],
        look: lineLook(i, i),
        steps: all.map(({ step }) => step),
        values: all.map(({ value }) => value),
      }));
      if (chart) return chart.renew(curves, [0, steps]);
      chart = new Chart(trainTexts.loss, '', curves, [0, steps], 'steps');
      return curve.replaceChildren(chart.root);
    }, 100);
  }

  // Shows the answers and attention of the run `of` at its last saved step. Takes at most a fifth
  // of the time of a training.
  let nextLook = 0;
  async function look(of) {
    const began = performance.now();
    if (began < nextLook) return;
    nextLook = Infinity;
    try {
      examples.replaceChildren(...(await model.look(of)));
    } catch {
      // the task has no answers
    }
    nextLook = performance.now() + 4 * (performance.now() - began);
  }
  async function lookAtEnd() {
    nextLook = 0;
    await look(folder);
    await model.showHeads();
    await pages.offer();
  }

  function clear() {
    points.training = [];
    points.heldOut = [];
    chart = null;
    curve.replaceChildren();
    steps = 0;
    folder = '';
    examples.replaceChildren();
    model.clear();
    live.hidden = true;
    printed.textContent = '';
  }

  async function train(asked) {
    if (!asked.includes('--resume')) {
      try {
        await own.write(asked);
      } catch (error) {
        status.textContent = `${error.message}.`;
        return;
      }
      begunBy = asked;
      say(asked);
      clear();
    }
    begun = { step: 0, time: 0 };
    verdict.textContent = '';
    pages.hide();
    details.hidden = false;
    status.textContent = trainTexts.starting;
    const began = performance.now();
    running = engine.run(asked, hear);
    set('runs');
    try {
      const { status: code, folder: made, out, err } = await running;
      folder = made ?? folder;
      running = null;
      set(code === 130 ? 'stopped' : 'done');
      if (code === 130) {
        status.textContent += ` · ${trainTexts.stopped}`;
        await lookAtEnd();
        return;
      }
      if (code !== 0) {
        status.textContent = `${messageOf(err, code)}.`;
        return;
      }
      bar.value = bar.max;
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      status.textContent =
        `${status.textContent.replace(/ · [^·]*\d+:\d+[^·]*$/, '')} · ${trainTexts.doneIn(seconds)}`;
      judge(/weight hash: +([0-9a-f]{16})/.exec(out)?.[1]);
      await lookAtEnd();
    } catch (error) {
      running = null;
      set('done');
      status.textContent = t('failed', error.message);
    }
  }

  // Shows the weight hash, and whether it equals the one in docs/results.md for this command line.
  function judge(digest) {
    if (!digest) return;
    const recorded = begunBy && data.recorded[lineOf(begunBy)];
    verdict.textContent = trainTexts.hash(digest, recorded);
    verdict.classList.toggle('wrong', Boolean(recorded) && recorded !== digest);
  }

  const archive = fileInput({ accept: '.zip' }, status, async file => {
    clear();
    folder = await openArchive(file);
    begunBy = null;
    status.textContent = trainTexts.opened(folder);
    live.hidden = false;
    set('stopped');
    await lookAtEnd();
  });
  panel.addEventListener('drop', event => archive.take(event.dataTransfer.files));
  const given = make('p.soft', labelled(trainTexts.archive, archive));

  panel.append(form, bar, status, verdict, live, model.root, pages.root, details, given);
  fields.root.hidden = true;
  set('done');
  ask(words);

  engine.ready.then(async () => {
    tasks = await engine.json(['tasks']);
    const option = ({ name, summary }) => make('option', { value: name }, `${name}: ${summary}`);
    const group = (label, isOwn) => {
      const some = tasks.filter(({ name }) => name in trainTexts.data.about === isOwn);
      return make('optgroup', { label }, some.map(option));
    };
    task.replaceChildren(group(trainTexts.generated, false), group(trainTexts.ownData, true));
    task.value = words[1];
    describe();
  });

  return {
    open(asked) {
      if (asked.length === 0) return;
      ask(asked);
      if (running) status.textContent = trainTexts.isRunning;
      else train(asked);
    },
  };
});
