// The lessons of the home tab, from one neuron to an attention head. Each has the arguments of
// `explain`; its title and texts are in the words `lesson.NAME`, `.text` and `.try`.
const lessons = [
  ['neuron', "'tanh(a*b + c)*d' a=2 b=-3 c=7 d=4"],
  ['fanout', "'a*b + a' a=2 b=3"],
  ['network', "'(w2*tanh(w1*x + b1) + b2 - t)^2' x=1 w1=0.5 b1=0.2 w2=0.8 b2=0.1 t=1"],
  ['loss', "'sum(-t * log(softmax(x)))' 'x=[1, 2, 0.5]' 't=[0, 1, 0]'"],
  ['norm', "'layer_norm(x, epsilon=0)*g + b' 'x=[0, 1, 2, 5]' 'g=[1, 1, 2, 1]' 'b=[0, 0, 0, 1]' 'dy=[1, 0, 0, 0]'"],
  [
    'attention',
    "'softmax((x @ wq) @ (x @ wk).T / 1.4142) @ (x @ wv)' 'x=[1, 0; 0, 1; 1, 1]' " +
      "'wq=[1, 0.5; -0.5, 1]' 'wk=[0.5, 1; 1, -1]' 'wv=[1, 2; -1, 0.5]' 'dy=[0, 0; 0, 0; 1, 0]'",
  ],
];
const lessonNames = [...lessons.map(([name]) => name), 'model'];

// Where the model lesson trains, if no model has been trained yet.
const quickRun = [
  ...['train', 'reverse', '--length', '4', '--symbols', '5', '--layers', '1', '--heads', '2'],
  ...['--width', '16', '--steps', '200', '--out', 'runs/reverse-home'],
];
const quickPrompt = '2 1 0 3';
