// The Train tab: trains a model and shows its loss curves, answers and attention.

const trainable = words =>
  words[0] === 'train' && !words.some(word => /^(-h|--help)(=|$)/.test(word));

addTab('train', 'Train', words => words.length === 0 || trainable(words), panel => {
  let words = ['train', 'reverse'];
  let running = null; // promise of the running `train` command
  let folder = ''; // folder of the run shown
  let begunBy = null; // the `train` command of the run, if this page started it
  let steps = 0;
  const points = { training: [], heldOut: [] };

  // ---- controls

  const line = attributed(element('input'), { spellcheck: 'false', autocapitalize: 'none' });
  const task = element('select');
  const choices = [
    ['layers', 'layers', '1'],
    ['heads', 'heads', '1'],
    ['width', 'width', '1'],
    ['steps', 'steps', '1'],
    ['seed', 'seed', '0'],
  ].map(([name, text, least]) => {
    const control =
      attributed(element('input'), { type: 'number', min: least, placeholder: 'default' });
    return {
      name,
      control,
      root: field(text, control, value => ask(withOption(words, name, value)))
    };
  });
  const position = setOptions(
    element('select'), ['default', 'none', 'learned', 'sinusoidal', 'rotary', 'alibi'],
    ['', 'none', 'learned', 'sinusoidal', 'rotary', 'alibi']);

  // Shows a command line in the controls.
  function ask(asked) {
    words = asked;
    line.value = lineOf(words);
    task.value = words[1] ?? '';
    for (const { name, control } of choices) control.value = optionOf(words, name);
    position.value = optionOf(words, 'position');
  }

  const form = element('form');
  const start = Object.assign(element('button', 'Train'), { type: 'submit', className: 'main' });
  const stop = button('Stop', () => running && engine.stop(running));
  const goOn = button('Continue', () => train(['train', '--resume', folder]));
  const keep = button('Download the run', download);
  const chosen = element('div', undefined, 'choose');
  const commandLine = element('div', undefined, 'choose');
  commandLine.append(labelled('tapehead', line), start, stop, goOn, keep, linkButton(() => words));
  chosen.append(
    field('task', task, value => ask(['train', value])),
    ...choices.map(choice => choice.root),
    field('position', position, value => ask(withOption(words, 'position', value))),
  );
  form.append(chosen, commandLine);
  line.classList.add('wide');
  line.addEventListener('change', () => {
    try {
      ask(wordsOf(line.value));
    } catch (error) {
      status.textContent = `${error.message}.`;
    }
  });
  form.addEventListener('submit', event => {
    event.preventDefault();
    if (!running) train(words);
  });

  // ---- results

  const status = statusLine();
  const bar = attributed(element('progress'), { 'aria-label': 'steps done', value: 0 });
  const verdict = attributed(element('p', '', 'verdict'), { role: 'status' });
  const curve = element('div');
  const examples = attributed(element('div', undefined, 'answers'), { 'aria-label': 'answers' });
  const heads = attributed(element('img', undefined, 'heads'), { alt: '' });
  heads.addEventListener('load', () => URL.revokeObjectURL(heads.src));
  const live = element('div', undefined, 'live');
  const parts = [
    ['Loss', curve],
    ['Answers', examples],
    ['Attention', heads],
  ].map(([title, content]) => {
    const part = element('div');
    part.append(element('h2', title), content);
    return part;
  });
  live.append(...parts);
  live.hidden = true;
  const printed = element('pre', '', 'printed');
  const details = element('details');
  details.append(element('summary', 'Output of the command'), printed);
  details.hidden = true;

  const pages = element('div', undefined, 'choose');
  const shown = new Shown('page about the run');
  const page = (title, command) =>
    button(title, async () => {
      status.textContent = `Creating ${title}…`;
      const { status: code, err } = await engine.run([...command(), '--out', 'page.html']);
      status.textContent = code === 0 ? '' : messageOf(err, code);
      if (code === 0) shown.show(await engine.read('page.html'));
    });
  pages.append(
    page('Report', () => ['report', folder]),
    page('Heads', () => ['attention', folder]),
    page('Backpropagation, step by step', () => ['explain', folder]),
    page('Circuits', () => ['inspect', 'circuits', folder]),
  );
  pages.hidden = true;

  function set(state) {
    start.disabled = state === 'runs';
    stop.disabled = state !== 'runs';
    goOn.hidden = state !== 'stopped';
    keep.hidden = !folder || state === 'runs';
    pages.hidden = keep.hidden;
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
    if (Number.isFinite(entry.loss)) points.training.push({ step: entry.step, value: entry.loss });
    if (Number.isFinite(entry.val_loss))
      points.heldOut.push({ step: entry.step, value: entry.val_loss });
    if (begun.time === 0) begun = { step: entry.step - 1, time: performance.now() };
    const each = (performance.now() - begun.time) / 1000 / (entry.step - begun.step);
    const left = Math.ceil(each * (steps - entry.step));
    bar.max = steps;
    bar.value = entry.step;
    const parts = [`step ${entry.step} of ${steps}`];
    if (Number.isFinite(entry.loss)) parts.push(`loss ${entry.loss.toFixed(4)}`);
    if (entry.exact_match !== undefined)
      parts.push(`${(100 * entry.exact_match).toFixed(2)} % correct`);
    if (left > 0) parts.push(`${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left`);
    status.textContent = parts.join(' · ');
    live.hidden = false;
    requestAnimationFrame(draw);
  }

  let isDrawn = true;
  function draw() {
    if (!isDrawn) return;
    isDrawn = false;
    setTimeout(() => {
      isDrawn = true;
      const last = points.training[points.training.length - 1];
      const about = last
        ? `loss over ${steps} steps; ${last.value.toPrecision(3)} at step ${last.step}`
        : 'loss';
      const lines = [
        { style: 'training', points: points.training },
        { style: 'held-out', points: points.heldOut },
      ];
      curve.replaceChildren(drawnCurves(steps, lines, about, { isMarked: true }));
    }, 100);
  }

  // Shows the answers and attention of the run `of` at its last saved step.
  async function look(of) {
    try {
      const { prompts } = await engine.json(['sample', of, '--examples', '4']);
      examples.replaceChildren(...prompts.map(answer));
      const { status: code } =
        await engine.run(['attention', of, '--out', 'heads.svg', '--layer', '0']);
      if (code !== 0) return;
      heads.src =
        URL.createObjectURL(new Blob([await engine.read('heads.svg')], { type: 'image/svg+xml' }));
      heads.alt = 'attention of the heads of the first layer on a validation example';
    } catch {
      // the task has no answers, or the model has no attention
    }
  }

  function answer({ prompt, wanted, samples }) {
    const [sample] = samples;
    const result = element('p', undefined, sample.right ? 'right' : 'wrong');
    result.append(element('span', `${prompt} → `), element('strong', sample.text));
    if (sample.right) result.append(' ✓');
    else if (wanted) result.append(element('span', `, expected ${wanted}`, 'soft'));
    return result;
  }

  async function train(asked) {
    if (!asked.includes('--resume')) {
      begunBy = asked;
      say(asked);
      points.training = [];
      points.heldOut = [];
      steps = 0;
      folder = '';
      examples.replaceChildren();
      heads.removeAttribute('src');
      live.hidden = true;
      printed.textContent = '';
    }
    begun = { step: 0, time: 0 };
    verdict.textContent = '';
    shown.hide();
    details.hidden = false;
    status.textContent = 'Starting…';
    const began = performance.now();
    running = engine.run(asked, hear);
    set('runs');
    try {
      const { status: code, folder: made, out, err } = await running;
      folder = made ?? folder;
      running = null;
      set(code === 130 ? 'stopped' : 'done');
      if (code === 130) {
        status.textContent += ' · stopped; all steps are saved';
        return;
      }
      if (code !== 0) {
        status.textContent = `${messageOf(err, code)}.`;
        return;
      }
      bar.value = bar.max;
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      status.textContent =
        `${status.textContent.replace(/ · \d+:\d+ left/, '')} · done in ${seconds} s`;
      judge(/weight hash: +([0-9a-f]{16})/.exec(out)?.[1]);
      look(folder);
    } catch (error) {
      running = null;
      set('done');
      status.textContent = `Failed: ${error.message}.`;
    }
  }

  // Shows the weight hash, and whether it equals the one in docs/results.md for this command line.
  function judge(digest) {
    if (!digest) return;
    const known = begunBy && data.recorded[lineOf(begunBy)];
    verdict.textContent = `Weight hash: ${digest}`;
    if (!known) verdict.textContent += ', the same on every machine.';
    else if (known === digest)
      verdict.textContent += ', the same as recorded on other machines ✓';
    else verdict.textContent += `, but ${known} is recorded: this browser computes differently.`;
    verdict.classList.toggle('wrong', Boolean(known) && known !== digest);
  }

  // ---- downloaded and uploaded archives of runs

  async function download() {
    const name = folder.split('/').pop();
    const files = await engine.tree(folder);
    const locked = file => file.name !== 'lock';
    const inFolder = files.filter(locked).map(file => ({ ...file, name: `${name}/${file.name}` }));
    save(`${name}.zip`, zipped(inFolder));
  }

  async function receive(file) {
    try {
      const files = await unzipped(new Uint8Array(await file.arrayBuffer()));
      const config = files.find(each => each.name.endsWith('config.toml'));
      if (!config) throw new Error('not a run: config.toml is missing');
      if (!/^task\s*=/m.test(new TextDecoder().decode(config.bytes)))
        throw new Error(`not a run: ${config.name} has no task`);
      const inside = config.name.slice(0, -'config.toml'.length);
      const name = inside.replace(/\/$/, '').split('/').pop() || file.name.replace(/\.zip$/, '');
      const there = new Set(await engine.list('runs'));
      let free = name;
      for (let i = 2; there.has(free); ++i) free = `${name}-${i}`;
      for (const each of files)
        if (each.name.startsWith(inside))
          await engine.write(`runs/${free}/${each.name.slice(inside.length)}`, each.bytes);
      folder = `runs/${free}`;
      begunBy = null;
      status.textContent = `${folder} is opened; "Continue" trains the remaining steps.`;
      live.hidden = false;
      set('stopped');
      look(folder);
    } catch (error) {
      status.textContent = `${file.name}: ${error.message}.`;
    }
  }
  const choose = attributed(element('input'), { type: 'file', accept: '.zip' });
  choose.addEventListener('change', () => choose.files[0] && receive(choose.files[0]));
  panel.addEventListener('dragover', event => event.preventDefault());
  panel.addEventListener('drop', event => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) receive(event.dataTransfer.files[0]);
  });
  const given = element('p', undefined, 'soft');
  given.append(labelled('A run from a .zip (choose or drop here): ', choose));

  panel.append(form, bar, status, verdict, live, pages, shown.root, details, given);
  set('done');
  ask(words);

  engine.ready.then(async () => {
    const all = await engine.json(['tasks']);
    setOptions(task, all.map(each => `${each.name}: ${each.summary}`), all.map(each => each.name));
    task.value = words[1];
  });

  return {
    open(asked) {
      if (asked.length === 0) return;
      ask(asked);
      if (running) status.textContent = 'A training is running; stop it to start this one.';
      else train(asked);
    },
  };
});
