// The list of steps in recorded order, grouped by module; modules can be folded. Curves connect the
// selected step with its inputs and uses, and, in a short list, every step with its inputs.
const shortList = 30; // most steps of a short list

// Splits a module's path: `blocks.0.attention.qkv` -> blocks 0, attention, qkv.
const partsOf = module => (module ? module.replace(/\.(\d+)/g, ' $1').split('.') : []);

class StepList {
  // go(step) is called when the reader selects a step.
  constructor(go) {
    this.rows = new Map();
    this.opened = new Set(); // modules opened only because the current step is in them
    this.root = attributed(element('nav', undefined, 'steps'), { 'aria-label': 'Steps' });
    this.curves = drawn('svg', { 'aria-hidden': true });
    this.root.append(this.curves, this.makeHead(), this.makeTree());
    this.root.addEventListener('click', event => {
      const row = event.target.closest('button[data-step]');
      if (row) go(Number(row.dataset.step));
    });
    this.root.addEventListener('toggle', () => this.drawCurves(), true);
    window.addEventListener('resize', () => this.drawCurves());
  }

  makeHead() {
    const head = attributed(element('div', undefined, 'row head'), { 'aria-hidden': true });
    const tangent = hasTangents ? ['tangent'] : [];
    const names = ['', 'step', 'value', ...tangent, 'gradient'];
    head.append(...names.map(text => element('span', text)));
    return head;
  }

  // Makes nested groups of consecutive steps whose modules' paths begin with the same names.
  makeTree() {
    const top = element('div', undefined, 'tree');
    let open = [{ name: '', box: top }];
    steps.forEach((step, i) => {
      const parts = partsOf(step.module);
      let depth = 0;
      while (depth < parts.length && open[depth + 1]?.name === parts[depth]) ++depth;
      open = open.slice(0, depth + 1);
      for (; depth < parts.length; ++depth) {
        const details = element('details');
        const summary = element('summary', parts[depth]);
        summary.style.setProperty('--depth', depth);
        details.append(summary);
        open[depth].box.append(details);
        open.push({ name: parts[depth], box: details });
      }
      open[open.length - 1].box.append(this.makeRow(i));
    });
    for (const details of top.querySelectorAll('details')) {
      const count = [...details.querySelectorAll('button')].filter(row => isOp(row.dataset.step));
      if (count.length > 0)
        details.firstChild.append(element('span', ` ${plural(count.length, 'op')}`, 'soft'));
    }
    return top;
  }

  makeRow(i) {
    const row = element('button', undefined, 'row');
    row.type = 'button';
    row.dataset.step = i;
    row.classList.toggle('given', !isOp(i));
    row.style.setProperty('--depth', partsOf(steps[i].module).length);
    const name = element('span', shortName(i), 'name');
    name.title = `${steps[i].name}, ${shapeText(steps[i].shape)}`;
    const [value, tangent, gradient] = [element('span'), element('span'), element('span')];
    row.append(element('span', String(i), 'index'), name, value);
    if (hasTangents) row.append(tangent);
    row.append(gradient);
    this.rows.set(i, { row, value, tangent, gradient });
    return row;
  }

  // Shows which values are computed at the page's moment: see explain.js.
  update(page) {
    this.page = page;
    const texts = { 'not yet': 'not yet', hidden: '?', none: '–' };
    const said = { 'not yet': 'not yet computed', hidden: 'hidden', none: 'none' };
    for (const [step, { row, value, tangent, gradient }] of this.rows) {
      const [shownValue, shownGradient, shownTangent] = page.numbers.steps[step].summaries;
      const heard = [`${step} ${shortName(step)}`];
      const fill = (cell, what, state, shown) => {
        cell.textContent = texts[state] ?? shown;
        cell.className = state === 'shown' ? '' : 'unknown';
        heard.push(`${what} ${said[state] ?? shown}`);
      };
      fill(value, 'value', page.valueState(step), shownValue);
      if (hasTangents) fill(tangent, 'tangent', page.tangentState(step), shownTangent);
      fill(gradient, 'gradient', page.gradientState(step), shownGradient);
      row.setAttribute('aria-label', heard.join(', '));
      row.classList.toggle('present', step === page.present);
      row.classList.toggle('seen', step === page.step);
      if (step === page.present) row.setAttribute('aria-current', 'step');
      else row.removeAttribute('aria-current');
    }
    this.unfold();
    this.drawCurves();
  }

  // Unfolds the modules around the current step, and folds modules that it unfolded before.
  unfold() {
    const { row } = this.rows.get(this.page.step);
    const around = new Set();
    for (let at = row.parentElement; at !== this.root; at = at.parentElement)
      if (at.tagName === 'DETAILS') around.add(at);
    for (const details of this.opened)
      if (!around.has(details)) {
        details.open = false;
        this.opened.delete(details);
      }
    for (const details of around)
      if (!details.open) {
        details.open = true;
        this.opened.add(details);
      }
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    const { scrollTop, clientHeight } = this.root;
    if (top < scrollTop + 60 || bottom > scrollTop + clientHeight - 60)
      this.root.scrollTop = top - clientHeight / 2;
  }

  drawCurves() {
    if (!this.page) return;
    // The curves of a step in a folded module end at the module's heading.
    const heightOf = step => {
      let shown = this.rows.get(step).row;
      for (let at = shown.parentElement; at !== this.root; at = at.parentElement)
        if (at.tagName === 'DETAILS' && !at.open) shown = at.firstChild;
      return shown.offsetTop + shown.offsetHeight / 2;
    };
    const curve = (from, to, className) => {
      const [a, b] = [heightOf(from), heightOf(to)];
      const bend = Math.min(26, 6 + Math.abs(a - b) / 8);
      const d = `M30 ${a}C${30 - bend} ${a} ${30 - bend} ${b} 30 ${b}`;
      return drawn('path', { d, class: className });
    };
    const { step } = this.page;
    const paths = [];
    if (steps.length <= shortList)
      steps.forEach(({ inputs }, to) =>
        inputs.filter(from => from >= 0).forEach(from => paths.push(curve(from, to, 'faint'))),
      );
    for (const from of steps[step].inputs) if (from >= 0) paths.push(curve(from, step, 'in'));
    for (const use of uses[step]) paths.push(curve(step, use.step, 'out'));
    attributed(this.curves, { width: 32, height: this.root.scrollHeight });
    this.curves.replaceChildren(...paths);
  }
}
