// All English texts of the pages. The command's own texts are only in English.
const texts = {};

texts.en = {
  language: 'English',
  aNumber: 'a number',
  value: 'value',
  gradient: 'gradient',
  tangent: 'tangent',
  'finite difference': 'finite difference',
  forward: 'forward',
  backward: 'backward',
  notYet: 'not yet computed',
  none: 'no gradient flows here',
  hidden: 'hidden',
  notShown: 'not shown',
  given: 'given',
  parameter: 'parameter',
  open: name => `Open ${name}`,
  wholeGraph: 'Whole graph',
  boxText: (ops, parameters) =>
    [ops && plural(ops, 'op'), parameters && plural(parameters, 'parameter')]
      .filter(Boolean)
      .join(', '),

  // roles in an attention head
  'role.weights': 'weights',
  'role.scores': 'scores',
  'role.scaled': 'scaled scores',
  'role.masked': 'masked scores',
  'role.output': 'output',

  // ops in words
  'op.add': 'add',
  'op.mul': 'multiply',
  'op.sub': 'subtract',
  'op.div': 'divide',
  'op.pow': 'power',
  'op.neg': 'negate',
  'op.maximum': 'max',
  'op.minimum': 'min',
  'op.amax': 'max',
  'op.sum': 'sum',
  'op.mean': 'mean',
  'op.gather_rows': 'look up rows',

  // controls
  graph: 'Graph',
  nodes: 'Nodes in the order of computation',
  time: 'Time',
  toStart: 'To the start',
  toEnd: 'To the end',
  stepBack: 'Back',
  step: 'Step',
  playForward: 'Forward',
  playBackward: 'Backward',
  pause: 'Pause',
  moment: 'Moment',
  predict: 'Predict',
  training: 'Training',
  keys: 'Keys: → and ← step, space plays, Home and End. Tab moves between nodes.',
  spinHint: 'type a number, or use the arrow keys',
  sliderOf: name => `Slider of ${name}`,
  notation: 'Notation',
  notationText: [
    'dx is the gradient of x: how much the result changes if x grows by 1, at this rate.',
    '∂y/∂x is the local derivative: how much one op’s result y changes with its input x.',
    'Each op receives dy (upstream) and sends dx = dy × ∂y/∂x to its input. A value that is used ' +
      'several times adds up what it receives.',
  ],

  // what happens at a moment
  all: 'All values and gradients. Press Backward to see where the gradients come from.',
  allPuzzle: 'All values and gradients.',
  computes: (name, formula, value) =>
    `${name}${formula ? `: ${formula}` : ''}${value === undefined ? '' : ` = ${value}`}`,
  boxComputes: name => `${name} computes its results. Open it to see how.`,
  seed: (name, value) =>
    value === 1
      ? `Backward starts at the result, ${name}: its own gradient is 1.`
      : `Backward starts at the result, ${name}, with the gradient ${value}.`,
  seedTensor: name =>
    `Backward starts at the result, ${name}: each element has the gradient 1, or the given dy.`,
  seedOutside: 'The gradients of the results arrive from outside this box.',
  flow: (from, to) => `${from} → ${to}`,
  upstream: 'upstream',
  local: 'local',
  ofElement: name => `for ${name}`,
  sumOfTerms: (count, total) => `a sum of ${count} products = ${total}`,
  boxSends: (name, size) => `${name} sends a gradient back: root mean square ${size}.`,
  fanOut: (name, terms, sum) => `${name} is used ${terms.length} times, so it adds up: ${terms.join(
    ' + ')} = ${sum}.`,
  fanOutTensor: (name, count) => `${name} is used ${count} times, and adds up what it receives.`,
  fanOutWait: (name, count, of) => `${name} is used ${of} times; ${count} of ${of} have arrived.`,
  broadcast: (name, axes) =>
    `${name} was repeated to fit, so its gradient is the sum over ${axes}.`,
  agree: 'Finite differences agree with all gradients.',
  differ: names => `Finite differences differ at ${names}: see the note there.`,

  // gates: what an op does with a gradient
  'gate.add': () => 'Add distributes: each input receives the gradient unchanged.',
  'gate.sub': ({ input }) =>
    input === 0
      ? 'Subtract passes the gradient on unchanged to its first input.'
      : 'Subtract flips the sign for the number that is subtracted.',
  'gate.neg': () => 'Negate flips the sign.',
  'gate.mul': ({ name, other, otherName, isSquare }) =>
    isSquare
      ? 'Multiply swaps its factors; here both are the same value, so each use sends its share.'
      : other === undefined
        ? `Multiply swaps: ${name} receives the gradient times the other factor, ${otherName}.`
        : `Multiply swaps: ${name} receives the other factor, ${otherName}${
            otherName === other ? '' : ` = ${other}`
          }, times the gradient.`,
  'gate.div': ({ input, other }) =>
    input === 0
      ? `Divide passes 1/${other ?? 'b'} of the gradient to the numerator.`
      : 'A larger denominator makes the quotient smaller: the local derivative is −y/b.',
  'gate.pow': ({ input }) =>
    input === 0
      ? 'The slope of a power is the exponent times the next lower power.'
      : 'The exponent has the slope y · log(a).',
  'gate.exp': ({ result }) => `exp is its own slope${result ? `: y = ${result}` : ''}.`,
  'gate.log': ({ value }) =>
    `The slope of log is 1/x${value ? ` = 1/${value}` : ''}: steep near 0, flat far out.`,
  'gate.sqrt': () => 'The slope of a square root is 1/(2y): steep near 0.',
  'gate.abs': ({ slope }) =>
    slope < 0 ? 'The input is negative, so |x| flips the sign.' : 'The input is positive: |x| passes.',
  'gate.flat': ({ op, part }) => {
    if (part < 0.02) return `${op} is saturated here: almost nothing passes.`;
    if (part < 0.5) return `${op} is already flat here, so less than half passes.`;
    if (part < 0.9) return `${op} bends here: more than half passes.`;
    return `${op} is nearly straight here, so almost everything passes.`;
  },
  'gate.sigmoid': ({ part }) =>
    part < 0.1
      ? 'sigmoid is saturated here: almost nothing passes.'
      : 'sigmoid is never steeper than 1/4, so at most a quarter passes.',
  'gate.relu': ({ slope }) =>
    slope === undefined
      ? 'relu is a gate: elements above 0 pass the gradient, all others block it.'
      : slope > 0
        ? 'relu is a gate, and it is open: the gradient passes unchanged.'
        : 'relu is a gate, and it is closed: the input is not above 0, so nothing passes.',
  'gate.gelu': ({ form }) =>
    `gelu (here in its ${form === 'tanh' ? 'tanh form, an approximation' : 'exact form, with erf'}) ` +
    'is a soft gate: open far above 0, closed far below.',
  'gate.smooth': ({ op }) => `${op} is a soft gate: open far above 0, closed far below.`,
  'gate.route': ({ op, slope }) =>
    slope === undefined
      ? `${op} routes: only the elements that won receive the gradient.`
      : slope === 1
        ? `${op} routes the whole gradient to this input, because it won.`
        : slope === 0
          ? `${op} routes everything to the other input; this one lost.`
          : `It’s a tie: ${op} splits the gradient.`,
  'gate.sum': () => 'Sum distributes: each summed element receives the same gradient.',
  'gate.mean': ({ count }) => `Mean distributes 1/${count} of the gradient to each element.`,
  'gate.matmul': ({ input, otherName }) =>
    input === 0
      ? `Matmul swaps like multiply: dy times ${otherName}, transposed.`
      : `Matmul swaps like multiply: ${otherName}, transposed, times dy.`,
  'gate.linear': ({ input }) =>
    ['The input receives dy times the weights.', 'Each weight receives its input times dy.'][input] ??
    'The bias receives the sum of dy.',
  'gate.softmax': () =>
    'What one weight gains, the others lose: each score receives its weight times (dy − the ' +
    'weighted mean of dy), so a row’s gradients sum to 0.',
  'gate.log_softmax': () => 'Each score receives dy minus its probability times the sum of dy.',
  'gate.cross_entropy': () =>
    'Softmax and log simplify: each score receives its probability, minus 1 at the target.',
  'gate.mse': () => 'Each element receives twice its error, divided by their number.',
  'gate.norm': ({ op }) =>
    `${op} removes the part of the gradient that only moves the mean or the length of the row.`,
  'gate.attention': ({ input }) =>
    input === 2
      ? 'Each value receives the gradients of the outputs that looked at it, by their weights.'
      : 'Through the softmax: a query moves towards the keys whose values help.',
  'gate.gather_rows': () =>
    'Each row of the table receives the gradients of all places that looked it up.',
  'gate.mask': () => 'Masked elements are constant, so they receive nothing.',
  'gate.move': ({ op }) => `${op} only moves numbers; the gradient moves back.`,
  'gate.other': ({ op, local }) =>
    local === undefined
      ? `${op} multiplies the gradient by its local derivatives.`
      : `The slope of ${op} here is ${local}.`,

  // predict
  asks: (from, to) => `What does ${from} send to ${to}?`,
  yourNumber: 'Your number',
  check: 'Check',
  reveal: 'Show',
  notNumber: 'Enter a number, such as -0.25 or 3e-4.',
  around: 'Around the selected number',
  wrongSign: 'Not yet: check the sign. One more try.',
  wrong: 'Not yet. One more try.',
  rightAnswer: 'Right.',
  wasWrong: guess => `Not ${guess}.`,
  score: (right, count) => `${right} of ${count} right`,

  // panel of a step
  details: name => `Details of ${name}`,
  upstreamGradient: 'upstream gradient (dy)',
  summedOver: axes => `broadcast: the gradient is summed over ${axes}`,
  source: op => `C++ source of ${op}`,
  element: 'Element',
  howComputed: formula => `How it was computed: ${formula}`,
  noSlopes: 'This page has no local derivatives for this op.',
  from: 'from',
  localDerivative: '∂y/∂x',
  timesTangent: '× tangent',
  product: '= product',
  through: 'through',
  itsGradient: 'dy',
  timesLocal: '× ∂y/∂x',
  by: 'by',
  showAll: count => `show all ${count} terms`,
  gradientStarts: 'Its gradient: backward starts here with 1 or dy',
  gradientSum: count => `Its gradient is the sum over ${count} uses (fan-out)`,
  gradientOne: 'Its gradient comes from one use',
  gradientOf: 'Its gradient',
  startsHere: 'none: backward starts here',
  notMeasured: 'not measured',
  noTangent: 'none: independent of the direction',
  onKink: (number, sides) => `${number}, on a kink between ${sides.join(' and ')}`,
  belowRounding: number => `${number}, below rounding error`,
  numbers: 'numbers',
  range: (low, high) => `${low} to ${high}`,
  mapKeys: name => `${name}; arrow keys move between elements`,
  jacobianAround: (step, element) => `Jacobian of ${step} around ${element}`,
  jacobianOf: (module, row, to, from) =>
    `Jacobian of the whole ${module}, row ${row}: of ${to} by ${from}`,
  jacobianNote: 'Rows: results. Columns: inputs. Each row is the gradient for a 1 at its result.',
  jacobianEntry: (result, input) => `∂ ${result} / ∂ ${input} =`,

  attention: {
    notANumber: 'not a number',
    entropy: entropy => (entropy === null ? 'entropy unknown' : `entropy ${entropy.toFixed(2)}`),
    allHeads: 'All heads',
    layer: 'Layer',
    head: 'Head',
    headName: head => `head ${head}`,
    keys: 'Arrow keys: ← → head, ↑ ↓ layer; inside the map, from weight to weight.',
    weight: 'weight ',
    legend: 'Rows are queries, columns are keys: each row attends to the columns.',
    map: name => `Weights of ${name}; arrow keys move from one to the next`,
    hint: 'Point at a weight, or tap it, to read it.',
    position: position => (position < 0 ? ' (no token)' : ` (position ${position})`),
    attends: ' attends to ',
    with: ' with weight ',
    layerName: name => name,
    ofQuery: query => `attention of ${query}`,
    ofClass: 'attention of the class token',
    ofPatches: 'mean attention of all patches',
  },

  charts: {
    chart: 'chart',
    plot: (name, axis) => `${name} over ${axis}; left and right arrow keys read it point by point`,
    logScale: 'log scale',
    of: name => ` of ${name}`,
    curvesOf: name => `Curves of ${name}`,
    none: 'no curve selected',
    step: 'step',
    steps: 'steps',
    at: step => ` (at ${step.toLocaleString('en')})`,
    hint: 'Point at a chart, or use the arrow keys in it, to read its curves.',
    zoomHint: ' Drag to zoom in on steps; double-click for all.',
  },

  // ---- only in the teaching page: cmake/embed_table.cmake leaves the rest out of other pages

  // ---- the home tab

  home: 'Home',
  lessons: 'Lessons',
  next: name => `Next: ${name}`,
  expression: 'Expression',
  draw: 'Draw',
  asCommand: 'As a command',
  run: 'Run',
  stop: 'Stop',
  failed: message => `Failed: ${message}.`,
  sequence: 'Sequence',
  unknownFunction: name => `There is no function ${name}. The command ops lists all.`,
  typeExpression: 'Type an expression, such as a*b + a.',
  computing: 'Computing every value and gradient…',
  trainNow: 'Train a model that reverses four digits (a few seconds)',
  trainingNow: step => `Training: step ${step} of 200…`,
  'lesson.neuron': 'One neuron',
  'lesson.neuron.text':
    'A neuron computes tanh(a·b + c); here its result is multiplied by d. The gradient of a number ' +
    'tells how fast the result changes with it. Values flow forward, gradients flow back.',
  'lesson.neuron.try':
    'Press Backward. Then drag c to 10: why do a, b and c receive almost nothing?',
  'lesson.fanout': 'Fan-out',
  'lesson.fanout.text': 'a is used twice, so two gradients come back to it. They are added.',
  'lesson.fanout.try': 'Turn on Predict: which two numbers arrive at a?',
  'lesson.network': 'Network and loss',
  'lesson.network.text':
    'Two layers with a weight and a bias each, and a loss: the squared distance from the target t.',
  'lesson.network.try':
    'Move each weight a little against its gradient. That is a training step: the loss falls.',
  'lesson.loss': 'Softmax, cross-entropy',
  'lesson.loss.text':
    'Softmax turns scores x into probabilities. Cross-entropy is −log of the probability of the ' +
    'right class, which t marks.',
  'lesson.loss.try':
    'Compare the gradient of x with softmax(x) − t. Raise the right score until it vanishes.',
  'lesson.norm': 'Layer norm',
  'lesson.norm.text':
    'Layer norm shifts and scales a row to mean 0 and variance 1, then applies a gain g and a ' +
    'bias b. Only the first result counts here: dy = [1, 0, 0, 0].',
  'lesson.norm.try': 'Why do all four x receive a gradient, and why is the sum of these 0?',
  'lesson.attention': 'Attention head',
  'lesson.attention.text':
    'Each row of x is a token. Queries Q and keys K give scores, softmax turns them into weights, ' +
    'and the output mixes the values V. Only one output number counts here.',
  'lesson.attention.try': 'Which token does the third one look at? Change x and see.',
  'lesson.model': 'Your model',
  'lesson.model.text':
    'A model that you trained, on a sequence that you type: the same graph, in boxes. Open a box ' +
    'to see inside: blocks, attention, then Q, K, scores, weights and V.',
  'lesson.model.try': 'Open a block and its attention. Where does the largest gradient go?',

  // ---- the other tabs, one group each

  shell: {
    tabs: 'Tabs',
    loading: 'Loading…',
    ready: 'Ready. Everything runs in this page; no data leaves it.',
    slow: 'Ready, but slow: this browser lacks a fused multiply-add, which is emulated.',
    notLoaded: message => `The command can't be loaded: ${message}.`,
    badAddress: message => `The address can't be read: ${message}.`,
    badQuote: quote => `the quote ${quote} is not closed`,
    copyLink: 'Copy link',
    copied: 'Copied',
    link: 'The link',
    noRun: run => `No run ${run || 'selected'} in this page. Train it first: `,
    status: code => `exited with status ${code}`,
    notZip: 'not a .zip archive',
    damaged: name => `the archive is damaged${name ? `: ${name}` : ''}`,
    outside: name => `the archive has a file outside of its folder: ${name}`,
    compression: name => `${name}: unsupported compression`,
  },

  terminal: {
    tab: 'Command line',
    about: names =>
      'The command, with a file system in this page: try ops softmax, layers, gradcheck or ' +
      `train --help. Not available: learn check, learn build, ${names}.`,
    output: 'output',
    page: 'page written by the command',
    running: 'Running…',
    exited: code => `Exited with status ${code}.`,
    elsewhere: name => `${name} isn't available in this page`,
    // commands that the page can't run; docs/start/browser.md also lists them
  },

  train: {
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
    goOn: 'Continue',
    download: 'Download the run',
    archive: 'A run from a .zip (choose or drop here): ',
    output: 'Output of the command',
    loss: 'Loss',
    curves: ['training', 'validation'],
    answers: 'What the model writes',
    stepsDone: 'steps done',
    progress: (step, steps) => `step ${step} of ${steps}`,
    lossIs: loss => `loss ${loss.toFixed(4)}`,
    correct: share => `${(100 * share).toFixed(2)} % correct`,
    left: time => `${time} left`,
    starting: 'Starting…',
    stopped: 'stopped; all steps are saved',
    doneIn: seconds => `done in ${seconds} s`,
    isRunning: 'A training is running; stop it to start this one.',
    notRun: 'not a run: config.toml is missing',
    noTask: name => `not a run: ${name} has no task`,
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
      expected: wanted => `, expected ${wanted}`,
      likeliest: 'How sure it is of the first token: ',
      likely: (token, percent) => `${token} ${percent} %`,
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
  },

  compare: {
    tab: 'Compare',
    example: 'An example',
    examples: [
      'Softmax, and softmax from exp and sum',
      'Sigmoid, and its definition',
      'A sum, multiplied out',
      'Cross-entropy, and its definition',
      'One value, two numbers: where tanh loses it',
      'One option',
    ],
    more: 'values or options',
    trainTwo: 'A and B can also be runs trained in this page. Train two that differ: ',
    and: ' and ',
    comparing: 'Comparing…',
  },


  exercises: {
    tab: 'Exercises',
    about:
      'A course in backpropagation, from the chain rule to attention, for readers who ' +
      'know calculus. Start with the first exercise: read it, compute on paper, enter your numbers ' +
      'and check them.',
    build: 'Build a framework',
    buildAbout:
      'In tapehead learn build, you write a framework in Python or C++. These formulas of its ' +
      'chapters need no compiler.',
    teachers: 'For teachers',
    sheet: 'A worksheet for your class',
    grade: 'Grade submissions',
    kit: 'Class kit',
    number: 'Student number',
    whose: 'You get it from your teacher; each number has its own exercises.',
    needed: 'Your student number',
    neededAbout:
      'Each student number has its own exercises. Enter the number that your teacher gave you; if ' +
      'you learn alone, choose one.',
    start: 'Start',
    badNumber: given => `The student number must be 1 or more, got ${given || 'nothing'}.`,
    all: 'All exercises',
    toSubmit: count => `To submit: ${plural(count, 'task')}`,
  },

  learner: {
    states: { '': '', tried: 'tried', solved: '✓ solved', saved: 'saved' },
    notAnswers: 'not a file of answers from this page or from --record',
    saveAnswer: 'Save answer',
    attempt: count => `Attempt ${count}.`,
    saved: count => `Saved, ${plural(count, 'time')} so far. In an exam, the last answer counts.`,
    no: 'No',
    show: 'Show the answer',
    yes: 'Yes, show it',
    hint: 'Hint',
    nextHint: 'Next hint',
    noMoreHints: 'No more hints',
    // states of the parts of an answer
    parts: {
      right: '✓ correct',
      'follow-up': '✓ follows from your earlier mistake, so it counts',
      wrong: '✗ wrong',
      failed: '✗ can’t be computed',
      'not done': 'to do',
    },
    wrong: given => `✗ ${given} is wrong`,
    should: expected => `should be ${expected}`,
    form: 'Your answer',
    passed: (count, all) => `${count} of ${all} correct.`,
    solved: 'Next: ',
    sure: 'This shows the whole answer. Your submission will record it.',
    filled: 'The link has filled in an answer; press Check to verify it.',
  },

  course: {
    formulas: 'formulas',
    stepThrough: 'Step through this example',
    ops: 'Reference: ',
    tasks: 'Task',
  },

  byHand: {
    list: 'Exercises by hand',
    listAbout: 'Each explains one topic and asks for a few numbers, different for each student.',
    title: ({ exercise, title }) => `Exercise ${exercise}: ${title}`,
    about:
      'Compute on paper. Two decimals are enough, as in 1/3 or -0.18. Numbers that follow from an ' +
      'earlier mistake still count.',
    some: ' You can check some at a time.',
    none: 'Enter at least one number. Fractions such as 1/3 are allowed.',
  },

  rule: {
    list: 'Backward functions as formulas',
    listAbout: 'Write the backward function (VJP) of an op; typical mistakes are identified.',
    title: name => `The backward function as a formula: ${name}`,
    titleOf: op => `The backward function of ${op}`,
    inputs: 'Inputs',
    names: 'meaning of the names',
    here: sizes => `Here, ${sizes}. dy is the upstream gradient of y.`,
    byHand: 'The same op, by hand: ',
    isWrong: (where, given) => `${where} is ${given}, which is wrong.`,
    mistake: words => `Possible mistake: ${words}.`,
    write: names => `Write ${names}, for any sizes and numbers`,
    about: names =>
      `Use these names: ${names}, and the sizes. Write one assignment per line; you can use your ` +
      'own names for intermediate results.',
    notation:
      'You can write products without a sign, as in dy y, transposes as b^T, and masks as (x > 0). ' +
      'Both axis and axes work. sum and mean without an axis may be over each row.',
    none: name => `Write a formula for ${name} after the =.`,
    shown: 'The answer is shown, which is recorded.',
    signs:
      '+ - * / ^ act elementwise and broadcast; @ is the matmul, .T the transpose; ( ) as usual.',
    functions: 'Operators and functions',
    functionsName: 'functions',
  },

  fault: {
    list: 'Find the fault',
    listAbout: 'A small network in which one backward function is wrong. Any number of faults.',
    label: seed => `Fault ${seed}`,
    title: seed => `Find the fault, seed ${seed}`,
    frame: seed => `fault ${seed}, with its graph`,
    of: (name, line) => `${name} of line ${line}`,
    tape: expression =>
      `The tape of \`${expression}\`. The backward functions next to the lines are correct, but ` +
      'one was computed wrongly. The gradients it sent and all that depend on them are wrong.',
    how:
      'Start at the bottom, on paper: find the first gradient that doesn’t follow from those ' +
      'below it. Select the line whose backward function sent it, and how it is wrong.',
    prime: "A name with a prime (') is local to the backward function, not a variable.",
    line: 'Line with the wrong backward function',
    kind: 'How it is wrong',
    chooseLine: 'choose a line',
    chooseKind: 'choose a kind',
    none: 'Choose a line and a kind.',
    half: 'The line is correct, but the kind isn’t.',
    wrong: 'No, not this line.',
    right: (line, kind) => `Correct: line ${line}, ${kind}.`,
    shown: ({ line, kind, first_wrong: first }) =>
      `Line ${line}, ${kind}. From the bottom, ${first}.`,
    graph: 'Show as a graph',
    kinds: 'All kinds of faults',
    found: (found, tried) => `Found in this page: ${found} of ${tried} tried.`,
    seed: 'Seed',
    another: 'Another fault',
  },

  puzzle: {
    list: 'Find the program',
    listAbout: 'Models compiled from unknown programs: find out what their heads and edges do.',
    label: number => `Puzzle ${number}`,
    title: number => `Puzzle ${number}: find the program`,
    about:
      'The model was compiled from a program. Most of its heads are idle. Write it into this page, ' +
      'look at it with any command, and find out what it does.',
    write: 'Write the model',
    written: folder => `The model is in ${folder}. Commands that show it:`,
    choose: 'choose one',
    none: 'Answer at least one question.',
  },

  handIn: {
    tasks: {
      'by hand': exercise => `${exercise}, by hand`,
      check: exercise => `${exercise}, in C++`,
      rule: exercise => `rule ${exercise}`,
      fault: exercise => `fault ${exercise}`,
      puzzle: exercise => `puzzle ${exercise}`,
    },
    title: 'Submit',
    download: file => `Download my answers, ${file}`,
    downloaded: file => `${file} is in your browser’s download folder. Submit it unchanged.`,
    none:
      'No answers yet. Every answer that you give is recorded in a file in this page, which you ' +
      'download at the end.',
    about:
      'The file contains every checked answer, the number of hints shown, and whether a solution ' +
      'was shown; no name and no time. A right answer stays right: the first of your best answers ' +
      'counts, with the attempts and the help before it.',
    exam: 'The file contains every saved answer. In an exam, the last answer to each task counts.',
    stored: 'Your browser keeps the answers when the page is closed.',
    notStored: 'This browser can’t store answers: they are lost when this page is closed.',
    heads: ['Task', 'Correct', 'Attempts', 'Hints', 'Solution'],
    examHeads: ['Task', 'Saved answers'],
    passed: ({ passed, parts }) => `${passed} of ${parts}`,
    noAnswer: 'no answer',
    notChecked: 'not checked',
    shown: 'shown',
    contents: 'contents of the file',
    earlier: 'Continue with an earlier file',
    goOn: (number, count) =>
      `Continuing as student ${number}, with ${plural(count, 'answered task')}.`,
    forget: 'Remove my answers from this browser',
    sure: 'This deletes your answers and your number here. Download the answers first.',
    yes: 'Yes, delete them',
  },

  sheet: {
    explain: 'Step by step',
    opened: '✓ opened',
    bar: 'Worksheet',
    position: (title, at, count) => `${title}: ${at} of ${count}`,
    back: 'Back to the worksheet',
    next: 'Next',
    about:
      'Do these in order. Each opens here, and a bar above leads back to this worksheet. Entries ' +
      'with answers are marked when solved.',
    exam:
      'This is an exam: your answers are saved without telling whether they are right, and there ' +
      'are no hints. You can change an answer; the last one counts. At the end, download your ' +
      'answers below and submit the file.',
    endExam: 'End the exam',
    sure: 'Download your answers first. Afterwards, answers get feedback again.',
    yes: 'Yes, end it',
    whose: 'Enter the number that your teacher gave you above first: each has its own exercises.',
    edit: 'For teachers: edit this worksheet',
  },

  editor: {
    demonstrations: [
      ['Step by step: a neuron', "explain 'tanh(x*w + b)' x=2 w=-3 b=6.88"],
      ['Step by step: softmax', "explain 'softmax(x)' 'x=[0, 1.1]' 'dy=[1, 0]'"],
      ['Train: reverse a sequence', 'train reverse --seed 3'],
      ['An op and its backward function', 'ops softmax'],
    ],
    demonstrationsTitle: 'Demonstrations',
    choose: 'choose one',
    about:
      'A worksheet is a link: a list of tasks for your students in this page, in order. Write one ' +
      'command line per line, as in a terminal but without tapehead, or pick some. Each student ' +
      'opens the link and enters a number, and each number has its own exercises. With --student ' +
      'in a line, all students have the same.',
    name: 'Title',
    week: 'Week 3',
    exam: 'Exam: no feedback, no hints, no solutions',
    add: 'Add',
    lines: 'Command lines',
    preview: 'Preview',
    link: 'Link',
    open: 'Open as a student',
    wrongLine: (number, message) => `Line ${number}: ${message}.`,
    nested: 'a worksheet can’t contain a worksheet',
    unknown: name => `there is no command '${name}'`,
    noExercise: (name, last) =>
      `there is no exercise '${name}'; expected 1 to ${last}, rule, fault or puzzle`,
    noTask: (kind, name, names) => `there is no ${kind} '${name}'; expected one of ${names}`,
    badSeed: seed => `the seed must be 0 or more, got '${seed}'`,
    codeOnly: name => `exercise ${name} is a program in C++, which this page can’t check`,
    isLocal:
      'The link starts with this page’s location on your disk. Publish the page where your ' +
      'students can reach it, and write the worksheet there.',
  },

  print: {
    title: 'On paper',
    about:
      'Prints the worksheet for each of these student numbers, or the key. Each student starts on ' +
      'a new page.',
    numbers: 'Student numbers',
    example: '17, 18, 20-24',
    sheets: 'Printable sheets',
    key: 'Printable key',
    print: 'Print',
    badNumbers: 'expected student numbers such as 17, 18, 20-24; at most 200',
    student: number => `Student ${number}`,
    name: 'Name: ______________________',
    answer: name => `${name} = ____________`,
    fault: 'Line: ______   Kind: ____________________',
    atScreen: 'At the screen: ',
    keyOf: title => `Key: ${title}`,
  },

  grade: {
    wrongFile: 'expected .json, .jsonl or .zip, or .txt for the class list',
    about:
      'Choose the files that your students downloaded here or wrote with --record, or a .zip of ' +
      'them. Everything stays in this page. All answers are evaluated again with each student’s ' +
      'own numbers, and copies are noted. The first of the best answers counts; in an exam, the last.',
    files: 'Files (choose or drop here)',
    remove: 'Remove all files',
    noFiles: 'No files yet.',
    filesAre: names => `${plural(names.length, 'file')}: ${names.join(', ')}`,
    classList: 'Class list',
    classAbout:
      'Optional: one number, name and, if you like, e-mail address per line. Files are matched by ' +
      'number, and students without a submission are listed.',
    fromFile: 'from a file',
    tasks: 'Tasks that count',
    tasksAbout:
      'Optional: paste the worksheet’s link. Skipped tasks then count as 0. Otherwise, all tasks ' +
      'that any student answered count.',
    grade: 'Grade',
    download: 'Download as CSV',
    totalHeads: ['Student', 'Number', 'Total', 'Attempts', 'Hints', 'Solutions', 'Skipped', 'Notes'],
    heads: ['Student', 'Number', 'Exercise', 'Correct', 'Attempts', 'Hints', 'Solution', 'Note'],
    totals: 'totals',
    grades: 'grades',
    all: 'All answers',
    done: count => `${plural(count, 'student')}. All answers were evaluated again.`,
    code: 'C++ exercises need a compiler: grade them with tapehead learn grade on your machine.',
    csv:
      'The CSV file has a row per student. Canvas imports it as it is; in Moodle, match SIS Login ' +
      'ID with the e-mail address, and Total with the grade.',
  },
};
