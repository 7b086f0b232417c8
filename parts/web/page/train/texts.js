// All texts of the Train tab, so that a translation is one file.
const trainTexts = {
  tab: 'Train',
  task: 'Task',
  generated: 'Examples made by the command',
  ownData: 'Your own data',
  teaches: text => `What you see: ${text}.`,
  expected: text => `Expected: ${text}.`,
  more: 'More options of this task',
  default: value => `${value} (default)`,
  // names of the fields, by option
  fields: {
    layers: 'Layers',
    heads: 'Heads per layer',
    width: 'Width',
    position: 'Positions',
    steps: 'Training steps',
    seed: 'Seed',
  },
  command: 'tapehead',
  train: 'Train',
  stop: 'Stop',
  goOn: 'Continue',
  download: 'Download the run',
  archive: 'A run from a .zip (choose or drop here): ',
  output: 'Output of the command',
  loss: 'Loss',
  lossLines: 'Line: training. Dots: validation examples, which the model doesn’t train on.',
  answers: 'What the model writes',
  stepsDone: 'steps done',
  lossOver: (steps, last) =>
    `loss over ${steps} steps; ${last.value.toPrecision(3)} at step ${last.step}`,
  progress: (step, steps) => `step ${step} of ${steps}`,
  lossIs: loss => `loss ${loss.toFixed(4)}`,
  correct: share => `${(100 * share).toFixed(2)} % correct`,
  left: time => `${time} left`,
  starting: 'Starting…',
  stopped: 'stopped; all steps are saved',
  doneIn: seconds => `done in ${seconds} s`,
  failed: message => `Failed: ${message}.`,
  isRunning: 'A training is running; stop it to start this one.',
  opened: folder => `${folder} is opened; "Continue" trains the remaining steps.`,
  hash: (digest, recorded) =>
    `Weight hash: ${digest}` +
    (!recorded
      ? ', the same on every machine.'
      : recorded === digest
        ? ', the same as recorded on other machines ✓'
        : `, but ${recorded} is recorded: this browser computes differently.`),

  // the reader's own data
  data: {
    about: {
      text: 'Any text. The model learns to continue it; it memorizes a short one.',
      lines: 'One example per line. The model learns to write more lines like these.',
      names: 'One name per line. The model learns to make up names like these.',
      pairs: 'One pair per line: a source, -> or a tab, and its target. The model learns to ' +
        'answer a source with its target.',
    },
    label: 'Paste your data',
    choose: 'or choose a file: ',
    example: 'Use an example',
    size: (lines, characters) =>
      `${plural(lines, 'line')}, ${plural(characters, 'character')}; they stay in this page.`,
    missing: 'Paste your data or choose a file first, or use the example.',
    elsewhere: name => `The file ${name} isn't in this page: paste its text or choose it.`,
  },

  // the trained model
  model: {
    title: 'Ask the model',
    about: 'Type a sequence like the one below. The model answers it, and you see where each of ' +
      'its heads looks.',
    free: 'Type a beginning. The model continues it, and you see where each of its heads looks.',
    label: 'Your sequence',
    ask: 'Ask',
    random: 'nothing: the model begins',
    expected: wanted => `, expected ${wanted}`,
    likeliest: 'How sure it is of the first token: ',
    likely: ({ token, probability }) =>
      `${visibleToken(token)} ${(100 * probability).toFixed(1)} %`,
    attention: 'Where its heads look',
    heads: 'What each head does',
    headsAbout: 'Measured on validation examples. The loss rises by the last number if the head ' +
      'is replaced by its mean.',
    columns: ['head', 'pattern', 'in words', 'without it'],
    headName: name => name.replace(/^(\d+)\.(\d+)$/, 'layer $1, head $2'),
    noPattern: 'no simple pattern',
    // what a head with a pattern does, by the beginning of the pattern's name
    patterns: {
      'previous token': 'looks one token back, and tells each position what came before it',
      'next token': 'looks one token ahead',
      'same position': 'looks at its own position',
      'first token': 'looks at the first token, often because nothing else fits',
      'no token': 'looks at an extra key that belongs to no token',
      'anti-diagonal': 'looks at the mirrored position: the first token at the last, and so on',
      induction: 'finds an earlier occurrence of the token, and looks at what came next',
      'duplicate token': 'finds earlier occurrences of the token',
      'same token': 'finds all occurrences of the token',
      token: 'looks at all occurrences of one token',
      monotone: 'moves along the source with the output',
      local: 'looks at the position and its neighbours',
      uniform: 'looks at all keys equally: it computes a mean',
    },
    ahead: 'looks a fixed number of tokens ahead',
    back: 'looks a fixed number of tokens back',
  },

  pages: {
    title: 'Pages about the run',
    frame: 'page about the run',
    creating: title => `Creating: ${title}…`,
    report: 'Report',
    explain: 'Backpropagation, step by step',
    circuits: 'Circuits of the selected head',
  },
};

// Returns a token so that spaces and line breaks can be seen.
const visibleToken = token => token.replace(/ /g, '␣').replace(/\n/g, '↵') || '∅';
