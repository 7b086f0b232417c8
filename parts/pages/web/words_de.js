// German texts of the graph of `explain` and of the home tab.
texts.de = {
  aNumber: 'eine Zahl',
  value: 'Wert',
  gradient: 'Gradient',
  tangent: 'Tangente',
  'finite difference': 'finite Differenz',
  forward: 'vorwärts',
  backward: 'rückwärts',
  notYet: 'noch nicht berechnet',
  none: 'hier fließt kein Gradient',
  hidden: 'verborgen',
  notShown: 'nicht gezeigt',
  given: 'gegeben',
  parameter: 'Parameter',
  open: name => `${name} öffnen`,
  wholeGraph: 'Ganzer Graph',
  boxText: (ops, parameters) =>
    [ops && `${ops} ${ops === 1 ? 'Op' : 'Ops'}`, parameters && `${parameters} Parameter`]
      .filter(Boolean)
      .join(', '),
  'role.weights': 'Gewichte',
  'role.scores': 'Scores',
  'role.scaled': 'skalierte Scores',
  'role.masked': 'maskierte Scores',
  'role.output': 'Ausgabe',
  'op.add': 'plus',
  'op.mul': 'mal',
  'op.sub': 'minus',
  'op.div': 'geteilt',
  'op.pow': 'Potenz',
  'op.neg': 'Vorzeichen',
  'op.maximum': 'max',
  'op.minimum': 'min',
  'op.amax': 'max',
  'op.sum': 'Summe',
  'op.mean': 'Mittel',
  'op.gather_rows': 'Zeilen holen',
  graph: 'Graph',
  nodes: 'Knoten in der Reihenfolge der Rechnung',
  time: 'Zeit',
  toStart: 'Zum Anfang',
  toEnd: 'Zum Ende',
  stepBack: 'Zurück',
  step: 'Schritt',
  playForward: 'Vorwärts',
  playBackward: 'Rückwärts',
  pause: 'Pause',
  moment: 'Zeitpunkt',
  predict: 'Vorhersagen',
  training: 'Training',
  keys: 'Tasten: → und ← ein Schritt, Leertaste spielt ab, Home und End. Tab wechselt den Knoten.',
  dragHint: 'ziehen oder Pfeiltasten',
  sliderOf: name => `Regler von ${name}`,
  notation: 'Schreibweise',
  notationText: [
    'dx ist der Gradient von x: wie stark sich das Ergebnis ändert, wenn x wächst.',
    '∂y/∂x ist die lokale Ableitung: wie stark sich das Ergebnis y einer Op mit der Eingabe x ändert.',
    'Jede Op bekommt dy (von oben) und schickt dx = dy × ∂y/∂x an ihre Eingabe. Ein Wert, der ' +
      'mehrmals benutzt wird, addiert alles, was er bekommt.',
  ],
  all: 'Alle Werte und Gradienten. „Rückwärts“ zeigt, woher die Gradienten kommen.',
  allPuzzle: 'Alle Werte und Gradienten.',
  boxComputes: name => `${name} berechnet seine Ergebnisse. Öffnen zeigt, wie.`,
  seed: (name, value) =>
    value === 1
      ? `Rückwärts beginnt beim Ergebnis, ${name}: sein eigener Gradient ist 1.`
      : `Rückwärts beginnt beim Ergebnis, ${name}, mit dem Gradienten ${value}.`,
  seedTensor: name =>
    `Rückwärts beginnt beim Ergebnis, ${name}: jedes Element hat den Gradienten 1 oder das ` +
    'gegebene dy.',
  seedOutside: 'Die Gradienten der Ergebnisse kommen von außerhalb dieses Kastens.',
  upstream: 'von oben',
  local: 'lokal',
  ofElement: name => `für ${name}`,
  sumOfTerms: (count, total) => `Summe aus ${count} Produkten = ${total}`,
  boxSends: (name, size) => `${name} schickt einen Gradienten zurück, quadratisches Mittel ${size}.`,
  fanOut: (name, terms, sum) =>
    `${name} wird ${terms.length}-mal benutzt und addiert: ${terms.join(' + ')} = ${sum}.`,
  fanOutTensor: (name, count) => `${name} wird ${count}-mal benutzt und addiert, was ankommt.`,
  fanOutWait: (name, count, of) => `${name} wird ${of}-mal benutzt; angekommen: ${count} von ${of}.`,
  broadcast: (name, axes) =>
    `${name} wurde wiederholt (broadcast), daher ist der Gradient die Summe über ${axes}.`,
  agree: 'Finite Differenzen bestätigen alle Gradienten.',
  differ: names => `Finite Differenzen weichen ab bei ${names}: siehe dort.`,
  'gate.add': () => 'Plus verteilt: jede Eingabe bekommt den Gradienten unverändert.',
  'gate.sub': ({ input }) =>
    input === 0
      ? 'Minus gibt den Gradienten unverändert an die erste Eingabe.'
      : 'Minus dreht das Vorzeichen für die Zahl, die abgezogen wird.',
  'gate.neg': () => 'Das Vorzeichen dreht sich.',
  'gate.mul': ({ name, other, otherName, isSquare }) =>
    isSquare
      ? 'Mal tauscht die Faktoren; hier sind beide derselbe Wert, und jede Benutzung schickt ihren Teil.'
      : `Mal tauscht: ${name} bekommt den anderen Faktor, ${otherName}${
          other === undefined || other === otherName ? '' : ` = ${other}`
        }, mal den Gradienten.`,
  'gate.div': ({ input, other }) =>
    input === 0
      ? `Der Zähler bekommt 1/${other ?? 'b'} des Gradienten.`
      : 'Ein größerer Nenner macht den Quotienten kleiner: die lokale Ableitung ist −y/b.',
  'gate.pow': ({ input }) =>
    input === 0
      ? 'Die Steigung einer Potenz ist der Exponent mal die nächstkleinere Potenz.'
      : 'Der Exponent hat die Steigung y · log(a).',
  'gate.exp': ({ result }) => `exp ist die eigene Steigung${result ? `: y = ${result}` : ''}.`,
  'gate.log': ({ value }) =>
    `Die Steigung von log ist 1/x${value ? ` = 1/${value}` : ''}: steil bei 0, flach weit außen.`,
  'gate.sqrt': () => 'Die Steigung der Wurzel ist 1/(2y): steil bei 0.',
  'gate.abs': ({ slope }) =>
    slope < 0 ? 'Die Eingabe ist negativ: |x| dreht das Vorzeichen.' : 'Die Eingabe ist positiv: |x| lässt durch.',
  'gate.flat': ({ op, part }) => {
    if (part < 0.02) return `${op} ist hier gesättigt: fast nichts kommt durch.`;
    if (part < 0.5) return `${op} ist hier schon flach, weniger als die Hälfte kommt durch.`;
    if (part < 0.9) return `${op} biegt sich hier: mehr als die Hälfte kommt durch.`;
    return `${op} ist hier fast gerade, fast alles kommt durch.`;
  },
  'gate.sigmoid': ({ part }) =>
    part < 0.1
      ? 'sigmoid ist hier gesättigt: fast nichts kommt durch.'
      : 'sigmoid ist nie steiler als 1/4: höchstens ein Viertel kommt durch.',
  'gate.relu': ({ slope }) =>
    slope === undefined
      ? 'relu ist ein Tor: über 0 geht der Gradient durch, sonst nicht.'
      : slope > 0
        ? 'relu ist ein offenes Tor: der Gradient geht unverändert durch.'
        : 'relu ist ein geschlossenes Tor: die Eingabe liegt nicht über 0, nichts geht durch.',
  'gate.gelu': ({ form }) =>
    `gelu (hier ${form === 'tanh' ? 'in der tanh-Form, einer Näherung' : 'in der genauen Form mit erf'}) ` +
    'ist ein weiches Tor: offen weit über 0, zu weit darunter.',
  'gate.smooth': ({ op }) => `${op} ist ein weiches Tor: offen weit über 0, zu weit darunter.`,
  'gate.route': ({ op, slope }) =>
    slope === undefined
      ? `${op} leitet: nur die Gewinner bekommen den Gradienten.`
      : slope === 1
        ? `${op} leitet den ganzen Gradienten hierher, denn diese Eingabe hat gewonnen.`
        : slope === 0
          ? `${op} leitet alles zur anderen Eingabe; diese hat verloren.`
          : `Gleichstand: ${op} teilt den Gradienten.`,
  'gate.sum': () => 'Die Summe verteilt: jeder Summand bekommt denselben Gradienten.',
  'gate.mean': ({ count }) => `Das Mittel gibt jedem Element 1/${count} des Gradienten.`,
  'gate.matmul': ({ input, otherName }) =>
    input === 0
      ? `Matmul tauscht wie mal: dy mal ${otherName}, transponiert.`
      : `Matmul tauscht wie mal: ${otherName}, transponiert, mal dy.`,
  'gate.linear': ({ input }) =>
    ['Die Eingabe bekommt dy mal die Gewichte.', 'Jedes Gewicht bekommt seine Eingabe mal dy.'][input] ??
    'Der Bias bekommt die Summe von dy.',
  'gate.softmax': () =>
    'Was ein Gewicht gewinnt, verlieren die anderen: jeder Score bekommt sein Gewicht mal (dy − ' +
    'das gewichtete Mittel von dy); die Gradienten einer Zeile haben die Summe 0.',
  'gate.log_softmax': () => 'Jeder Score bekommt dy minus seine Wahrscheinlichkeit mal die Summe von dy.',
  'gate.cross_entropy': () =>
    'Softmax und log vereinfachen sich: jeder Score bekommt seine Wahrscheinlichkeit, beim Ziel minus 1.',
  'gate.mse': () => 'Jedes Element bekommt das Doppelte seines Fehlers, geteilt durch die Anzahl.',
  'gate.norm': ({ op }) =>
    `${op} entfernt den Teil des Gradienten, der nur Mittelwert oder Länge der Zeile ändert.`,
  'gate.attention': ({ input }) =>
    input === 2
      ? 'Jeder Wert (V) bekommt die Gradienten der Ausgaben, die ihn ansahen, nach ihren Gewichten.'
      : 'Durch die Softmax: eine Query bewegt sich zu den Keys, deren Werte helfen.',
  'gate.gather_rows': () => 'Jede Zeile bekommt die Gradienten aller Stellen, die sie benutzt haben.',
  'gate.mask': () => 'Maskierte Elemente sind konstant und bekommen nichts.',
  'gate.move': ({ op }) => `${op} bewegt nur Zahlen; der Gradient wandert zurück.`,
  'gate.other': ({ op, local }) =>
    local === undefined
      ? `${op} multipliziert den Gradienten mit den lokalen Ableitungen.`
      : `Die Steigung von ${op} ist hier ${local}.`,
  asks: (from, to) => `Was schickt ${from} an ${to}?`,
  yourNumber: 'Deine Zahl',
  check: 'Prüfen',
  reveal: 'Zeigen',
  notNumber: 'Gib eine Zahl ein, zum Beispiel -0.25 oder 3e-4.',
  wrongSign: 'Noch nicht: prüfe das Vorzeichen. Noch ein Versuch.',
  wrong: 'Noch nicht. Noch ein Versuch.',
  rightAnswer: 'Richtig.',
  wasWrong: guess => `Nicht ${guess}.`,
  score: (right, count) => `${right} von ${count} richtig`,
  details: name => `Einzelheiten zu ${name}`,
  input: 'Eingabe',
  result: 'Ergebnis',
  tensor: 'Tensor',
  gradientToInput: 'Gradient an die Eingabe (dx)',
  upstreamGradient: 'Gradient von oben (dy)',
  summedOver: axes => `broadcast: der Gradient ist über ${axes} summiert`,
  oneOfUses: count => `mehrfach benutzt: einer von ${count} Summanden`,
  arrived: (count, of) => `mehrfach benutzt: ${count} von ${of} angekommen`,
  usedBy: 'benutzt von',
  source: op => `C++-Quelle von ${op}`,
  element: 'Element',
  howComputed: formula => `So wurde es berechnet: ${formula}`,
  noSlopes: 'Zu dieser Op hat die Seite keine lokalen Ableitungen.',
  from: 'von',
  timesTangent: '× Tangente',
  product: '= Produkt',
  through: 'durch',
  by: 'von',
  showAll: count => `alle ${count} Terme zeigen`,
  gradientStarts: 'Sein Gradient: rückwärts beginnt hier, mit 1 oder dy',
  gradientSum: count => `Sein Gradient ist die Summe über ${count} Benutzungen`,
  gradientOne: 'Sein Gradient kommt von einer Benutzung',
  gradientOf: 'Sein Gradient',
  startsHere: 'keine: rückwärts beginnt hier',
  notMeasured: 'nicht gemessen',
  noTangent: 'keine: unabhängig von der Richtung',
  onKink: (number, sides) => `${number}, an einem Knick zwischen ${sides.join(' und ')}`,
  belowRounding: number => `${number}, unter dem Rundungsfehler`,
  numbers: 'Zahlen',
  mapKeys: name => `${name}; Pfeiltasten wechseln das Element`,
  jacobianAround: (step, element) => `Jacobi-Matrix von ${step} um ${element}`,
  jacobianOf: (module, row, to, from) =>
    `Jacobi-Matrix von ${module}, Zeile ${row}: von ${to} nach ${from}`,
  jacobianNote: 'Zeilen: Ergebnisse. Spalten: Eingaben. Jede Zeile ist der Gradient für eine 1 am Ergebnis.',
  allSteps: 'Alle Schritte',
  handoutNote: 'Von großen Tensoren steht hier das quadratische Mittel.',
  handoutHead: ['#', 'Schritt', 'Eingaben', 'Form', 'Formel und rückwärts', 'Wert'],

  home: 'Start',
  lessons: 'Lektionen',
  expression: 'Ausdruck',
  draw: 'Zeichnen',
  asCommand: 'Als Kommando',
  run: 'Lauf',
  sequence: 'Folge',
  unknownFunction: name => `Die Funktion ${name} gibt es nicht. Der Befehl ops zeigt alle.`,
  typeExpression: 'Gib einen Ausdruck ein, zum Beispiel a*b + a.',
  computing: 'Alle Werte und Gradienten werden berechnet…',
  trainNow: 'Ein Modell trainieren, das vier Ziffern umdreht (einige Sekunden)',
  trainingNow: step => `Training: Schritt ${step} von 200…`,
  'lesson.neuron': 'Ein Neuron',
  'lesson.neuron.text':
    'Ein Neuron berechnet tanh(a·b + c); sein Ergebnis wird hier mit d multipliziert. Werte ' +
    'fließen von links nach rechts, Gradienten zurück.',
  'lesson.neuron.try':
    'Drücke „Rückwärts“. Ziehe dann c auf 10: warum bekommen a, b und c fast nichts?',
  'lesson.fanout': 'Mehrfach benutzt',
  'lesson.fanout.text': 'a wird zweimal benutzt, also kommen zwei Gradienten zurück. Sie werden addiert.',
  'lesson.fanout.try': 'Schalte „Vorhersagen“ ein: welche zwei Zahlen kommen bei a an?',
  'lesson.network': 'Netz und Loss',
  'lesson.network.text':
    'Zwei Schichten mit je einem Gewicht und einem Bias, und ein Loss: der quadrierte Abstand zum Ziel t.',
  'lesson.network.try':
    'Bewege jedes Gewicht ein wenig gegen seinen Gradienten. Das ist ein Trainingsschritt: der Loss fällt.',
  'lesson.loss': 'Softmax, Kreuzentropie',
  'lesson.loss.text':
    'Softmax macht aus Scores x Wahrscheinlichkeiten. Die Kreuzentropie ist −log der ' +
    'Wahrscheinlichkeit der richtigen Klasse, die t markiert.',
  'lesson.loss.try':
    'Vergleiche den Gradienten von x mit softmax(x) − t. Erhöhe den richtigen Score, bis er verschwindet.',
  'lesson.norm': 'Layer Norm',
  'lesson.norm.text':
    'Layer Norm verschiebt und skaliert eine Zeile auf Mittelwert 0 und Varianz 1; dann wirken ' +
    'Gain g und Bias b. Hier zählt nur das erste Ergebnis: dy = [1, 0, 0, 0].',
  'lesson.norm.try': 'Warum bekommen alle vier x einen Gradienten, und warum ist die Summe 0?',
  'lesson.attention': 'Attention-Head',
  'lesson.attention.text':
    'Jede Zeile von x ist ein Token. Queries Q und Keys K geben Scores, Softmax macht daraus ' +
    'Gewichte, und die Ausgabe mischt die Values V. Hier zählt nur eine Zahl der Ausgabe.',
  'lesson.attention.try': 'Welches Token sieht das dritte an? Ändere x.',
  'lesson.model': 'Dein Modell',
  'lesson.model.text':
    'Ein Modell, das du trainiert hast, auf einer Folge, die du tippst: derselbe Graph, in ' +
    'Kästen. Öffne sie: Blöcke, Attention, dann Q, K, Scores, Gewichte und V.',
  'lesson.model.try': 'Öffne einen Block und seine Attention. Wohin geht der größte Gradient?',
};
