// English texts of the graph of `explain`.
const texts = {};

texts.en = {
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
  'op.mul': 'multiply',
  'op.sub': 'subtract',
  'op.div': 'divide',
  'op.pow': 'power',
  'op.neg': 'negate',
  'op.maximum': 'max',
  'op.minimum': 'min',
  'op.amax': 'max',
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
  dragHint: 'drag, or use the arrow keys',
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
  wrongSign: 'Not yet: check the sign. One more try.',
  wrong: 'Not yet. One more try.',
  rightAnswer: 'Right.',
  wasWrong: guess => `Not ${guess}.`,
  score: (right, count) => `${right} of ${count} right`,

  // panel of a step
  details: name => `Details of ${name}`,
  input: 'input',
  result: 'result',
  tensor: 'tensor',
  gradientToInput: 'gradient to input (dx)',
  upstreamGradient: 'upstream gradient (dy)',
  summedOver: axes => `broadcast: the gradient is summed over ${axes}`,
  oneOfUses: count => `fan-out: one of ${count} uses that add up`,
  arrived: (count, of) => `fan-out: ${count} of ${of} contributions received`,
  usedBy: 'used by',
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
  mapKeys: name => `${name}; arrow keys move between elements`,
  jacobianAround: (step, element) => `Jacobian of ${step} around ${element}`,
  jacobianOf: (module, row, to, from) =>
    `Jacobian of the whole ${module}, row ${row}: of ${to} by ${from}`,
  jacobianNote: 'Rows: results. Columns: inputs. Each row is the gradient for a 1 at its result.',
  jacobianEntry: (result, input) => `∂ ${result} / ∂ ${input} =`,
  allSteps: 'All steps',
  handoutNote: 'For tensors with many elements, the root mean square is shown.',
  handoutHead: ['#', 'step', 'inputs', 'shape', 'formula and backward', 'value'],

  // ---- the home tab

  home: 'Home',
  lessons: 'Lessons',
  expression: 'Expression',
  draw: 'Draw',
  asCommand: 'As a command',
  run: 'Run',
  sequence: 'Sequence',
  unknownFunction: name => `There is no function ${name}. The command ops lists all.`,
  typeExpression: 'Type an expression, such as a*b + a.',
  computing: 'Computing every value and gradient…',
  trainNow: 'Train a model that reverses four digits (a few seconds)',
  trainingNow: step => `Training: step ${step} of 200…`,
  'lesson.neuron': 'One neuron',
  'lesson.neuron.text':
    'A neuron computes tanh(a·b + c); here its result is multiplied by d. Values flow from left ' +
    'to right, gradients flow back.',
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
};
