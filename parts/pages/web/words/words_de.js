// All German texts of the pages.
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

texts.de = {
  language: 'Deutsch',
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
  spinHint: 'tippe eine Zahl oder benutze die Pfeiltasten',
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
  computes: (name, formula, value) =>
    `${name}${formula ? `: ${formula}` : ''}${value === undefined ? '' : ` = ${value}`}`,
  boxComputes: name => `${name} berechnet seine Ergebnisse. Öffnen zeigt, wie.`,
  seed: (name, value) =>
    value === 1
      ? `Rückwärts beginnt beim Ergebnis, ${name}: sein eigener Gradient ist 1.`
      : `Rückwärts beginnt beim Ergebnis, ${name}, mit dem Gradienten ${value}.`,
  seedTensor: name =>
    `Rückwärts beginnt beim Ergebnis, ${name}: jedes Element hat den Gradienten 1 oder das ` +
    'gegebene dy.',
  seedOutside: 'Die Gradienten der Ergebnisse kommen von außerhalb dieses Kastens.',
  flow: (from, to) => `${from} → ${to}`,
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
  around: 'Um die gewählte Zahl',
  wrongSign: 'Noch nicht: prüfe das Vorzeichen. Noch ein Versuch.',
  wrong: 'Noch nicht. Noch ein Versuch.',
  rightAnswer: 'Richtig.',
  wasWrong: guess => `Nicht ${guess}.`,
  score: (right, count) => `${right} von ${count} richtig`,
  details: name => `Einzelheiten zu ${name}`,
  upstreamGradient: 'Gradient von oben (dy)',
  summedOver: axes => `broadcast: der Gradient ist über ${axes} summiert`,
  source: op => `C++-Quelle von ${op}`,
  element: 'Element',
  howComputed: formula => `So wurde es berechnet: ${formula}`,
  noSlopes: 'Zu dieser Op hat die Seite keine lokalen Ableitungen.',
  from: 'von',
  localDerivative: '∂y/∂x',
  timesTangent: '× Tangente',
  product: '= Produkt',
  through: 'durch',
  itsGradient: 'dy',
  timesLocal: '× ∂y/∂x',
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
  range: (low, high) => `${low} bis ${high}`,
  mapKeys: name => `${name}; Pfeiltasten wechseln das Element`,
  jacobianAround: (step, element) => `Jacobi-Matrix von ${step} um ${element}`,
  jacobianOf: (module, row, to, from) =>
    `Jacobi-Matrix von ${module}, Zeile ${row}: von ${to} nach ${from}`,
  jacobianNote: 'Zeilen: Ergebnisse. Spalten: Eingaben. Jede Zeile ist der Gradient für eine 1 am Ergebnis.',
  jacobianEntry: (result, input) => `∂ ${result} / ∂ ${input} =`,

  attention: {
    notANumber: 'keine Zahl',
    entropy: entropy =>
      entropy === null ? 'Entropie unbekannt' : `Entropie ${entropy.toFixed(2)}`,
    allHeads: 'Alle Heads',
    layer: 'Schicht',
    head: 'Head',
    headName: head => `Head ${head}`,
    keys: 'Pfeiltasten: ← → Head, ↑ ↓ Schicht; in der Karte von Gewicht zu Gewicht.',
    weight: 'Gewicht ',
    legend: 'Zeilen sind Queries, Spalten Keys: jede Zeile achtet auf die Spalten.',
    map: name => `Gewichte von ${name}; Pfeiltasten wechseln von einem zum nächsten`,
    hint: 'Zeige oder tippe auf ein Gewicht, um es zu lesen.',
    position: position => (position < 0 ? ' (kein Token)' : ` (Position ${position})`),
    attends: ' achtet auf ',
    with: ' mit dem Gewicht ',
    layerName: name =>
      name.replace(/\blayer\b/, 'Schicht').replace(/\bencoder\b/, 'Encoder').replace(/\bdecoder\b/, 'Decoder'),
    ofQuery: query => `Aufmerksamkeit von ${query}`,
    ofClass: 'Aufmerksamkeit des Klassentokens',
    ofPatches: 'mittlere Aufmerksamkeit aller Patches',
  },

  charts: {
    chart: 'Diagramm',
    plot: (name, axis) => `${name} über ${axis}; Pfeiltasten links und rechts lesen Punkt für Punkt`,
    logScale: 'logarithmisch',
    of: name => ` für ${name}`,
    curvesOf: name => `Kurven von ${name}`,
    none: 'keine Kurve gewählt',
    step: 'Schritt',
    steps: 'Schritte',
    at: step => ` (bei ${step.toLocaleString('de')})`,
    hint: 'Zeige auf ein Diagramm oder benutze die Pfeiltasten darin, um es zu lesen.',
    zoomHint: ' Ziehen vergrößert einen Bereich; ein Doppelklick zeigt alle Schritte.',
  },

  // ---- only in the teaching page

  home: 'Start',
  lessons: 'Lektionen',
  next: name => `Weiter: ${name}`,
  expression: 'Ausdruck',
  draw: 'Zeichnen',
  asCommand: 'Als Kommando',
  run: 'Lauf',
  stop: 'Stopp',
  failed: message => `Fehlgeschlagen: ${message}.`,
  sequence: 'Folge',
  unknownFunction: name => `Die Funktion ${name} gibt es nicht. Der Befehl ops zeigt alle.`,
  typeExpression: 'Gib einen Ausdruck ein, zum Beispiel a*b + a.',
  computing: 'Alle Werte und Gradienten werden berechnet…',
  trainNow: 'Ein Modell trainieren, das vier Ziffern umdreht (einige Sekunden)',
  trainingNow: step => `Training: Schritt ${step} von 200…`,
  'lesson.neuron': 'Ein Neuron',
  'lesson.neuron.text':
    'Ein Neuron berechnet tanh(a·b + c); sein Ergebnis wird hier mit d multipliziert. Der Gradient ' +
    'einer Zahl sagt, wie schnell sich das Ergebnis mit ihr ändert. Werte fließen vorwärts, ' +
    'Gradienten zurück.',
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

  // ---- die anderen Reiter, je eine Gruppe

  shell: {
    tabs: 'Reiter',
    loading: 'Wird geladen…',
    ready: 'Bereit. Alles rechnet in dieser Seite; keine Daten verlassen sie.',
    slow: 'Bereit, aber langsam: diesem Browser fehlt das verschmolzene Multiplizieren und Addieren.',
    notLoaded: message => `Das Kommando kann nicht geladen werden: ${message}.`,
    badAddress: message => `Die Adresse ist nicht lesbar: ${message}.`,
    badQuote: quote => `das Anführungszeichen ${quote} ist nicht geschlossen`,
    copyLink: 'Link kopieren',
    copied: 'Kopiert',
    link: 'Der Link',
    noRun: run =>
      `${run ? `Den Lauf ${run} gibt es` : 'Einen Lauf gibt es'} in dieser Seite noch nicht. ` +
      'Trainiere zuerst: ',
    status: code => `mit Status ${code} beendet`,
    notZip: 'kein .zip-Archiv',
    damaged: name => `das Archiv ist beschädigt${name ? `: ${name}` : ''}`,
    outside: name => `das Archiv hat eine Datei außerhalb seines Ordners: ${name}`,
    compression: name => `${name}: diese Kompression kennt die Seite nicht`,
  },

  terminal: {
    tab: 'Konsole',
    about: names =>
      'Das Kommando mit einem Dateisystem in dieser Seite; seine Texte sind englisch. Probiere ' +
      `ops softmax, layers, gradcheck oder train --help. Es fehlen: learn check, learn build, ${names}.`,
    output: 'Ausgabe',
    page: 'Seite, die das Kommando geschrieben hat',
    running: 'Läuft…',
    exited: code => `Mit Status ${code} beendet.`,
    elsewhere: name => `${name} gibt es nicht in dieser Seite`,
  },

  train: {
    tab: 'Trainieren',
    task: 'Aufgabe',
    generated: 'Beispiele, die das Kommando erzeugt',
    ownData: 'Deine eigenen Daten',
    teaches: text => `Was du siehst (englisch): ${text}.`,
    expected: text => `Erwartet: ${text}.`,
    more: 'Weitere Optionen dieser Aufgabe',
    default: value => `${value} (Standard)`,
    fields: {
      layers: 'Schichten',
      heads: 'Heads je Schicht',
      width: 'Breite',
      position: 'Positionen',
      steps: 'Trainingsschritte',
      seed: 'Startwert (Seed)',
    },
    command: 'tapehead',
    goOn: 'Fortsetzen',
    download: 'Lauf herunterladen',
    archive: 'Ein Lauf aus einer .zip-Datei (auswählen oder hierher ziehen): ',
    output: 'Ausgabe des Kommandos',
    loss: 'Loss',
    curves: ['Training', 'Validierung'],
    answers: 'Was das Modell schreibt',
    stepsDone: 'erledigte Schritte',
    progress: (step, steps) => `Schritt ${step} von ${steps}`,
    lossIs: loss => `Loss ${loss.toFixed(4)}`,
    correct: share => `${(100 * share).toFixed(2)} % richtig`,
    left: time => `noch ${time}`,
    starting: 'Beginnt…',
    stopped: 'angehalten; alle Schritte sind gespeichert',
    doneIn: seconds => `fertig in ${seconds} s`,
    isRunning: 'Es läuft schon ein Training; halte es an, um dieses zu beginnen.',
    notRun: 'kein Lauf: config.toml fehlt',
    noTask: name => `kein Lauf: in ${name} fehlt die Aufgabe`,
    opened: folder => `${folder} ist geöffnet; „Fortsetzen“ trainiert die restlichen Schritte.`,
    hash: (digest, recorded) =>
      `Hash der Gewichte: ${digest}` +
      (!recorded
        ? ', gleich auf jedem Rechner.'
        : recorded === digest
          ? ', gleich wie auf anderen Rechnern ✓'
          : `, auf anderen Rechnern aber ${recorded}: dieser Browser rechnet anders.`),

    data: {
      about: {
        text: 'Beliebiger Text. Das Modell lernt, ihn fortzusetzen; einen kurzen lernt es auswendig.',
        lines: 'Ein Beispiel pro Zeile. Das Modell lernt, weitere solche Zeilen zu schreiben.',
        names: 'Ein Name pro Zeile. Das Modell lernt, ähnliche Namen zu erfinden.',
        pairs:
          'Ein Paar pro Zeile: eine Eingabe, -> oder ein Tabulator, und ihre Antwort. Das Modell ' +
          'lernt, zu jeder Eingabe die Antwort zu geben.',
      },
      label: 'Füge deine Daten ein',
      choose: 'oder wähle eine Datei: ',
      example: 'Ein Beispiel benutzen',
      size: (lines, characters) =>
        `${counted(lines, 'Zeile', 'Zeilen')}, ` +
        `${counted(characters, 'Zeichen', 'Zeichen')}; sie bleiben in dieser Seite.`,
      missing: 'Füge zuerst deine Daten ein, wähle eine Datei oder benutze das Beispiel.',
      elsewhere: name =>
        `Die Datei ${name} ist nicht in dieser Seite: füge ihren Text ein oder wähle sie aus.`,
    },

    model: {
      title: 'Frag das Modell',
      about:
        'Tippe eine Folge wie die untere. Das Modell beantwortet sie, und du siehst, wohin jeder ' +
        'seiner Heads schaut.',
      free: 'Tippe einen Anfang. Das Modell setzt ihn fort, und du siehst, wohin jeder Head schaut.',
      label: 'Deine Folge',
      ask: 'Fragen',
      expected: wanted => `, richtig wäre ${wanted}`,
      likeliest: 'So sicher ist es beim ersten Token: ',
      likely: (token, percent) => `${token} ${percent} %`,
      attention: 'Wohin seine Heads schauen',
      heads: 'Was jeder Head tut',
      headsAbout:
        'Gemessen an Validierungsbeispielen. Um die letzte Zahl steigt der Loss, wenn man den ' +
        'Head durch seinen Mittelwert ersetzt.',
      columns: ['Head', 'Muster', 'in Worten', 'ohne ihn'],
      headName: name => name.replace(/^(\d+)\.(\d+)$/, 'Schicht $1, Head $2'),
      noPattern: 'kein einfaches Muster',
      patterns: {
        'previous token':
          'schaut ein Token zurück und sagt jeder Position, was vor ihr steht',
        'next token': 'schaut ein Token voraus',
        'same position': 'schaut auf die eigene Position',
        'first token': 'schaut auf das erste Token, oft, weil nichts anderes passt',
        'no token': 'schaut auf einen zusätzlichen Key, der zu keinem Token gehört',
        'anti-diagonal':
          'schaut auf die gespiegelte Position: das erste Token auf das letzte und so weiter',
        induction: 'findet ein früheres Vorkommen des Tokens und schaut, was danach kam',
        'duplicate token': 'findet frühere Vorkommen des Tokens',
        'same token': 'findet alle Vorkommen des Tokens',
        token: 'schaut auf alle Vorkommen eines bestimmten Tokens',
        monotone: 'wandert mit der Ausgabe die Eingabe entlang',
        local: 'schaut auf die Position und ihre Nachbarn',
        uniform: 'schaut auf alle Keys gleich: er bildet einen Mittelwert',
      },
      ahead: 'schaut eine feste Zahl von Token voraus',
      back: 'schaut eine feste Zahl von Token zurück',
    },

    pages: {
      title: 'Seiten über den Lauf',
      frame: 'Seite über den Lauf',
      creating: title => `Wird erstellt: ${title}…`,
      report: 'Bericht',
      explain: 'Backpropagation, Schritt für Schritt',
      circuits: 'Schaltkreise des gewählten Heads',
    },
  },

  compare: {
    tab: 'Vergleichen',
    example: 'Ein Beispiel',
    examples: [
      'Softmax, und Softmax aus exp und sum',
      'Sigmoid, und die Definition',
      'Eine Summe, ausmultipliziert',
      'Kreuzentropie, und die Definition',
      'Ein Wert, zwei Zahlen: wo tanh ihn verliert',
      'Eine Option',
    ],
    more: 'Werte oder Optionen',
    trainTwo: 'A und B können auch Läufe aus dieser Seite sein. Trainiere zwei verschiedene: ',
    and: ' und ',
    comparing: 'Wird verglichen…',
  },


  exercises: {
    tab: 'Übungen',
    about:
      'Ein Kurs zur Backpropagation, von der Kettenregel bis zur Attention; du musst nur ' +
      'ableiten können. Die Texte der Übungen sind englisch. Beginne mit der ersten: lies sie, ' +
      'rechne auf Papier, gib deine Zahlen ein und prüfe sie.',
    build: 'Baue ein Framework',
    buildAbout:
      'Mit tapehead learn build schreibst du ein Framework in Python oder C++. Diese Formeln aus ' +
      'seinen Kapiteln brauchen keinen Compiler.',
    teachers: 'Für Lehrende',
    sheet: 'Ein Arbeitsblatt für deine Klasse',
    grade: 'Abgaben bewerten',
    kit: 'Unterrichtsmaterial',
    number: 'Deine Nummer',
    whose: 'Du bekommst sie von deiner Lehrkraft; jede Nummer hat eigene Aufgaben.',
    needed: 'Deine Nummer',
    neededAbout:
      'Jede Nummer hat eigene Aufgaben. Gib die Nummer ein, die du von deiner Lehrkraft bekommen ' +
      'hast; wenn du allein lernst, wähle eine.',
    start: 'Los',
    badNumber: given => `Die Nummer muss mindestens 1 sein, nicht ${given || 'leer'}.`,
    all: 'Alle Übungen',
    toSubmit: count => `Abzugeben: ${counted(count, 'Aufgabe', 'Aufgaben')}`,
  },

  learner: {
    states: { '': '', tried: 'versucht', solved: '✓ gelöst', saved: 'gespeichert' },
    notAnswers: 'keine Datei mit Antworten aus dieser Seite oder von --record',
    saveAnswer: 'Antwort speichern',
    attempt: count => `Versuch ${count}.`,
    saved: count => `Gespeichert, bisher ${count}-mal. In einer Klausur zählt die letzte Antwort.`,
    no: 'Nein',
    show: 'Antwort zeigen',
    yes: 'Ja, zeigen',
    hint: 'Hinweis',
    nextHint: 'Nächster Hinweis',
    noMoreHints: 'Keine weiteren Hinweise',
    // Zustände der Teile einer Antwort
    parts: {
      right: '✓ richtig',
      'follow-up': '✓ folgt aus deinem früheren Fehler und zählt daher',
      wrong: '✗ falsch',
      failed: '✗ nicht berechenbar',
      'not done': 'noch offen',
    },
    wrong: given => `✗ ${given} ist falsch`,
    should: expected => `richtig ist ${expected}`,
    form: 'Deine Antwort',
    passed: (count, all) => `${count} von ${all} richtig.`,
    solved: 'Weiter: ',
    sure: 'Das zeigt die ganze Antwort. In deiner Abgabe steht, dass du sie gesehen hast.',
    filled: 'Der Link hat eine Antwort eingetragen; „Prüfen“ prüft sie.',
  },

  course: {
    formulas: 'Formeln',
    stepThrough: 'Geh dieses Beispiel Schritt für Schritt durch',
    ops: 'Zum Nachschlagen: ',
    tasks: 'Aufgabe',
  },

  byHand: {
    list: 'Übungen von Hand',
    listAbout: 'Jede erklärt ein Thema und fragt nach einigen Zahlen, für jede Nummer andere.',
    title: ({ exercise, title }) => `Übung ${exercise}: ${title}`,
    about:
      'Rechne auf Papier. Zwei Nachkommastellen genügen, zum Beispiel 1/3 oder -0.18. Zahlen, die ' +
      'aus einem früheren Fehler folgen, zählen trotzdem.',
    some: ' Du kannst auch nur einige prüfen.',
    none: 'Gib mindestens eine Zahl ein. Brüche wie 1/3 sind erlaubt.',
  },

  rule: {
    list: 'Rückwärtsfunktionen als Formeln',
    listAbout: 'Schreibe die Rückwärtsfunktion (VJP) einer Op; typische Fehler werden erkannt.',
    title: name => `Die Rückwärtsfunktion als Formel: ${name}`,
    titleOf: op => `Die Rückwärtsfunktion von ${op}`,
    inputs: 'Eingaben',
    names: 'Bedeutung der Namen',
    here: sizes => `Hier ist ${sizes}. dy ist der Gradient von y, der von oben kommt.`,
    byHand: 'Dieselbe Op von Hand: ',
    isWrong: (where, given) => `${where} ist ${given}, und das ist falsch.`,
    mistake: words => `Möglicher Fehler: ${words}.`,
    write: names => `Schreibe ${names}, für beliebige Größen und Zahlen`,
    about: names =>
      `Benutze diese Namen: ${names}, und die Größen. Schreibe eine Zuweisung pro Zeile; für ` +
      'Zwischenergebnisse kannst du eigene Namen wählen.',
    notation:
      'Produkte gehen ohne Zeichen, wie dy y, Transponierte als b^T und Masken als (x > 0). Sowohl ' +
      'axis als auch axes ist erlaubt. sum und mean ohne Achse dürfen auch zeilenweise gemeint sein.',
    none: name => `Schreibe nach dem = eine Formel für ${name}.`,
    shown: 'Die Lösung ist gezeigt; das ist vermerkt.',
    signs:
      '+ - * / ^ wirken elementweise, mit Broadcasting; @ ist das Matrixprodukt, .T die ' +
      'Transponierte; ( ) wie üblich.',
    functions: 'Operatoren und Funktionen',
    functionsName: 'Funktionen',
  },

  fault: {
    list: 'Finde den Fehler',
    listAbout: 'Ein kleines Netz, in dem eine Rückwärtsfunktion falsch ist. Beliebig viele Fehler.',
    label: seed => `Fehler ${seed}`,
    title: seed => `Finde den Fehler, Nummer ${seed}`,
    frame: seed => `Fehler ${seed} mit seinem Graphen`,
    of: (name, line) => `${name} von Zeile ${line}`,
    tape: expression =>
      `Das Tape von \`${expression}\`. Neben den Zeilen stehen die richtigen Rückwärtsfunktionen, ` +
      'aber eine wurde falsch gerechnet. Die Gradienten, die sie geschickt hat, und alle, die ' +
      'davon abhängen, sind falsch.',
    how:
      'Beginne unten, auf Papier: finde den ersten Gradienten, der nicht aus denen unter ihm ' +
      'folgt. Wähle die Zeile, deren Rückwärtsfunktion ihn geschickt hat, und was daran falsch ist.',
    prime: "Ein Name mit Strich (') gilt nur in der Rückwärtsfunktion; er ist keine Variable.",
    line: 'Zeile mit der falschen Rückwärtsfunktion',
    kind: 'Was daran falsch ist',
    chooseLine: 'Zeile wählen',
    chooseKind: 'Art wählen',
    none: 'Wähle eine Zeile und eine Art.',
    half: 'Die Zeile stimmt, die Art nicht.',
    wrong: 'Nein, nicht diese Zeile.',
    right: (line, kind) => `Richtig: Zeile ${line}, ${kind}.`,
    shown: ({ line, kind, first_wrong: first }) => `Zeile ${line}, ${kind}. Von unten: ${first}.`,
    graph: 'Als Graph zeigen',
    kinds: 'Alle Arten von Fehlern',
    found: (found, tried) => `In dieser Seite gefunden: ${found} von ${tried} versuchten.`,
    seed: 'Nummer',
    another: 'Ein anderer Fehler',
  },

  puzzle: {
    list: 'Finde das Programm',
    listAbout: 'Aus unbekannten Programmen übersetzte Modelle: was tun ihre Köpfe und Kanten?',
    label: number => `Rätsel ${number}`,
    title: number => `Rätsel ${number}: finde das Programm`,
    about:
      'Das Modell wurde aus einem Programm übersetzt. Die meisten Köpfe sind untätig. Schreibe es ' +
      'in diese Seite, sieh es mit beliebigen Kommandos an und finde heraus, was es tut.',
    write: 'Modell schreiben',
    written: folder => `Das Modell ist in ${folder}. Kommandos, die es zeigen:`,
    choose: 'wählen',
    none: 'Beantworte mindestens eine Frage.',
  },

  handIn: {
    tasks: {
      'by hand': exercise => `${exercise}, von Hand`,
      check: exercise => `${exercise}, in C++`,
      rule: exercise => `Formel ${exercise}`,
      fault: exercise => `Fehler ${exercise}`,
      puzzle: exercise => `Rätsel ${exercise}`,
    },
    title: 'Abgeben',
    download: file => `Meine Antworten herunterladen, ${file}`,
    downloaded: file => `${file} ist im Download-Ordner deines Browsers. Gib sie unverändert ab.`,
    none:
      'Noch keine Antworten. Jede Antwort wird in einer Datei in dieser Seite festgehalten, die du ' +
      'am Ende herunterlädst.',
    about:
      'Die Datei enthält jede geprüfte Antwort, die Zahl der gezeigten Hinweise und ob eine Lösung ' +
      'gezeigt wurde; keinen Namen und keine Zeit. Eine richtige Antwort bleibt richtig: es zählt ' +
      'die erste deiner besten Antworten, mit den Versuchen und Hilfen davor.',
    exam:
      'Die Datei enthält jede gespeicherte Antwort. In einer Klausur zählt die letzte Antwort auf ' +
      'jede Aufgabe.',
    stored: 'Dein Browser behält die Antworten, wenn du die Seite schließt.',
    notStored:
      'Dieser Browser kann die Antworten nicht speichern: sie gehen verloren, wenn du die Seite schließt.',
    heads: ['Aufgabe', 'Richtig', 'Versuche', 'Hinweise', 'Lösung'],
    examHeads: ['Aufgabe', 'Gespeicherte Antworten'],
    passed: ({ passed, parts }) => `${passed} von ${parts}`,
    noAnswer: 'keine Antwort',
    notChecked: 'nicht geprüft',
    shown: 'gezeigt',
    contents: 'Inhalt der Datei',
    earlier: 'Mit einer früheren Datei weitermachen',
    goOn: (number, count) =>
      `Weiter als Nummer ${number}, mit ${counted(count, 'beantworteten Aufgabe', 'beantworteten Aufgaben')}.`,
    forget: 'Meine Antworten aus diesem Browser löschen',
    sure: 'Das löscht hier deine Antworten und deine Nummer. Lade die Antworten vorher herunter.',
    yes: 'Ja, löschen',
  },

  sheet: {
    explain: 'Schritt für Schritt',
    opened: '✓ geöffnet',
    bar: 'Arbeitsblatt',
    position: (title, at, count) => `${title}: ${at} von ${count}`,
    back: 'Zurück zum Arbeitsblatt',
    next: 'Weiter',
    about:
      'Bearbeite diese Aufgaben der Reihe nach. Jede öffnet sich hier, und eine Leiste oben führt ' +
      'zum Arbeitsblatt zurück. Gelöste Aufgaben sind markiert.',
    exam:
      'Das ist eine Klausur: deine Antworten werden gespeichert, ohne dass du erfährst, ob sie ' +
      'stimmen, und es gibt keine Hinweise. Du kannst eine Antwort ändern; die letzte zählt. Lade ' +
      'am Ende unten deine Antworten herunter und gib die Datei ab.',
    endExam: 'Die Klausur beenden',
    sure: 'Lade zuerst deine Antworten herunter. Danach werden Antworten wieder bewertet.',
    yes: 'Ja, beenden',
    whose: 'Gib oben zuerst die Nummer deiner Lehrkraft ein: jede Nummer hat eigene Aufgaben.',
    edit: 'Für Lehrende: dieses Arbeitsblatt bearbeiten',
  },

  editor: {
    demonstrations: [
      ['Schritt für Schritt: ein Neuron', "explain 'tanh(x*w + b)' x=2 w=-3 b=6.88"],
      ['Schritt für Schritt: Softmax', "explain 'softmax(x)' 'x=[0, 1.1]' 'dy=[1, 0]'"],
      ['Trainieren: eine Folge umdrehen', 'train reverse --seed 3'],
      ['Eine Op und ihre Rückwärtsfunktion', 'ops softmax'],
    ],
    demonstrationsTitle: 'Vorführungen',
    choose: 'bitte wählen',
    about:
      'Ein Arbeitsblatt ist ein Link: eine Liste von Aufgaben für deine Klasse in dieser Seite, der ' +
      'Reihe nach. Schreibe ein Kommando pro Zeile, wie in einem Terminal, aber ohne tapehead, oder ' +
      'wähle welche aus. Alle öffnen den Link und geben ihre Nummer ein; jede Nummer hat eigene ' +
      'Aufgaben. Mit --student in einer Zeile haben alle dieselbe.',
    name: 'Titel',
    week: 'Woche 3',
    exam: 'Klausur: keine Bewertung, keine Hinweise, keine Lösungen',
    add: 'Hinzufügen',
    lines: 'Kommandos',
    preview: 'Vorschau',
    link: 'Link',
    open: 'Ansicht der Klasse öffnen',
    wrongLine: (number, message) => `Zeile ${number}: ${message}.`,
    nested: 'ein Arbeitsblatt kann kein Arbeitsblatt enthalten',
    unknown: name => `das Kommando '${name}' gibt es nicht`,
    noExercise: (name, last) =>
      `die Übung '${name}' gibt es nicht; möglich sind 1 bis ${last}, rule, fault oder puzzle`,
    noTask: (kind, name, names) =>
      `die Aufgabe '${kind} ${name}' gibt es nicht; möglich sind ${names}`,
    badSeed: seed => `der Seed muss mindestens 0 sein, nicht '${seed}'`,
    codeOnly: name => `Übung ${name} ist ein C++-Programm, das diese Seite nicht prüfen kann`,
    isLocal:
      'Der Link beginnt mit dem Ort dieser Seite auf deinem Rechner. Veröffentliche die Seite, wo ' +
      'deine Klasse sie erreicht, und schreibe das Arbeitsblatt dort.',
  },

  print: {
    title: 'Auf Papier',
    about:
      'Druckt das Arbeitsblatt für jede dieser Nummern, oder den Lösungsbogen. Jede Nummer beginnt ' +
      'auf einer neuen Seite.',
    numbers: 'Nummern',
    example: '17, 18, 20-24',
    sheets: 'Druckbare Blätter',
    key: 'Druckbare Lösungen',
    print: 'Drucken',
    badNumbers: 'erwartet werden Nummern wie 17, 18, 20-24; höchstens 200',
    student: number => `Nummer ${number}`,
    name: 'Name: ______________________',
    answer: name => `${name} = ____________`,
    fault: 'Zeile: ______   Art: ____________________',
    atScreen: 'Am Bildschirm: ',
    keyOf: title => `Lösungen: ${title}`,
  },

  grade: {
    wrongFile: 'erwartet wird .json, .jsonl oder .zip, oder .txt für die Klassenliste',
    about:
      'Wähle die Dateien, die deine Klasse hier heruntergeladen oder mit --record geschrieben hat, ' +
      'oder eine .zip-Datei davon. Alles bleibt in dieser Seite. Alle Antworten werden mit den ' +
      'eigenen Zahlen jeder Nummer noch einmal ausgewertet, und Abschriften werden vermerkt. Es ' +
      'zählt die erste der besten Antworten; in einer Klausur die letzte.',
    files: 'Dateien (auswählen oder hierher ziehen)',
    remove: 'Alle Dateien entfernen',
    noFiles: 'Noch keine Dateien.',
    filesAre: names => `${counted(names.length, 'Datei', 'Dateien')}: ${names.join(', ')}`,
    classList: 'Klassenliste',
    classAbout:
      'Wenn du willst: pro Zeile Nummer, Name und eine E-Mail-Adresse. Dateien werden über die ' +
      'Nummer zugeordnet, und wer nichts abgegeben hat, wird aufgeführt.',
    fromFile: 'aus einer Datei',
    tasks: 'Aufgaben, die zählen',
    tasksAbout:
      'Wenn du willst: füge den Link des Arbeitsblatts ein. Ausgelassene Aufgaben zählen dann als ' +
      '0. Sonst zählen alle Aufgaben, die irgendjemand beantwortet hat.',
    grade: 'Bewerten',
    download: 'Als CSV herunterladen',
    totalHeads: [
      ...['Name', 'Nummer', 'Summe', 'Versuche', 'Hinweise', 'Lösungen', 'Ausgelassen'],
      'Bemerkungen',
    ],
    heads: ['Name', 'Nummer', 'Übung', 'Richtig', 'Versuche', 'Hinweise', 'Lösung', 'Bemerkung'],
    totals: 'Summen',
    grades: 'Bewertungen',
    all: 'Alle Antworten',
    done: count =>
      `${counted(count, 'Abgabe', 'Abgaben')}. Alle Antworten wurden noch einmal ausgewertet.`,
    code:
      'C++-Übungen brauchen einen Compiler: bewerte sie mit tapehead learn grade auf deinem Rechner.',
    csv:
      'Die CSV-Datei hat eine Zeile pro Nummer. Canvas importiert sie, wie sie ist; in Moodle ordne ' +
      'SIS Login ID der E-Mail-Adresse zu und Total der Bewertung.',
  },
};
