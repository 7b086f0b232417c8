// The interface to the command, which runs in a worker with its own file system. Requests return
// promises.

// Relaxed SIMD makes multiply-adds several times as fast, but is only correct on processors whose
// multiply-add rounds once. The probe, a WebAssembly module, tests this: its function computes
// (1 + 2^-12)^2 - (1 + 2^-11), which is 2^-24, or 0 if the instruction rounds twice. A browser
// without relaxed SIMD can't compile the probe.
const probe = [
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, // header
  1, 5, 1, 0x60, 0, 1, 0x7d, // type: () -> f32
  3, 2, 1, 0, // one function of this type
  7, 5, 1, 1, 0x66, 0, 0, // exported with the name f
  10, 31, 1, 29, 0, // body of the function
  0x43, 0, 8, 0x80, 0x3f, 0xfd, 0x13, // 1 + 2^-12, in all lanes
  0x43, 0, 8, 0x80, 0x3f, 0xfd, 0x13,
  0x43, 0, 0x10, 0x80, 0xbf, 0xfd, 0x13, // -(1 + 2^-11)
  0xfd, 0x85, 0x02, 0xfd, 0x1f, 0, 0x0b, // f32x4.relaxed_madd; return lane 0
];

function roundsOnce() {
  const bytes = new Uint8Array(probe);
  if (!WebAssembly.validate(bytes)) return false;
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f() === 2 ** -24;
}

class Engine {
  constructor() {
    this.asked = new Map(); // pending requests by id
    this.count = 0;
    const source = new Blob([$('worker').textContent], { type: 'text/javascript' });
    this.worker = new Worker(URL.createObjectURL(source));
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = event => this.fail(event.message);
    this.ready = this.start();
  }

  async start() {
    const isExact = new URLSearchParams(location.search).has('exact'); // tests use ?exact
    const fused = !isExact && roundsOnce();
    const columns = Math.max(40, Math.min(80, Math.floor((innerWidth - 48) / 8)));
    const { size, places } = data.module;
    const packed = $('module').textContent;
    await this.ask('start', { packed, size, places: fused ? places : [], columns });
    return { fused };
  }

  ask(what, task = {}, listen = null) {
    const id = ++this.count;
    const answer = new Promise((resolve, reject) => this.asked.set(id, { resolve, reject, listen }));
    this.worker.postMessage({ id, what, ...task });
    return Object.assign(answer, { id });
  }

  hear({ id, stream, text, result, error }) {
    const { resolve, reject, listen } = this.asked.get(id);
    if (stream) return listen?.(stream, text);
    this.asked.delete(id);
    if (error !== undefined) return reject(new Error(error));
    return resolve(result);
  }

  fail(message) {
    for (const { reject } of this.asked.values()) reject(new Error(message));
    this.asked.clear();
  }

  // Runs a command line. Returns { status, out, err }, for `train` also { folder }. Calls
  // listen(stream, text) when output arrives; the stream is 'out' or 'err', and for `train` also
  // 'config', 'metrics' (lines of JSON) or 'saved' (the folder). Other commands run in between.
  run(words, listen = () => {}) {
    const printed = { out: '', err: '' };
    const answer = this.ask('run', { words }, (stream, text) => {
      if (stream in printed) printed[stream] += text;
      listen(stream, text);
    });
    const whole = answer.then(result => ({ ...result, ...printed }));
    return Object.assign(whole, { id: answer.id });
  }

  // Stops a running `train` or `sweep` after about a second; all training steps are saved.
  stop(running) {
    this.worker.postMessage({ what: 'stop', of: running.id });
  }

  // Returns the parsed output of a command with --json. Throws the command's error message.
  async json(words) {
    const { status, out, err } = await this.run([...words, '--json']);
    if (!out.startsWith('{') && !out.startsWith('[')) throw new Error(messageOf(err, status));
    return JSON.parse(out);
  }

  // Returns the HTML page that a command writes. Throws the command's error message.
  async page(words) {
    const name = `page-${this.count}.html`;
    const { status, err } = await this.run([...words, '--out', name]);
    if (status !== 0) throw new Error(messageOf(err, status));
    const page = await this.text(name);
    await this.remove(name);
    return page;
  }

  // Returns the text of a file that a command wrote.
  async text(name) {
    return new TextDecoder().decode(await this.read(name));
  }

  read(name) {
    return this.ask('read', { name });
  }
  write(name, bytes) {
    return this.ask('write', { name, bytes });
  }
  list(name) {
    return this.ask('list', { name });
  }
  tree(name) {
    return this.ask('tree', { name });
  }
  memory() {
    return this.ask('memory');
  }
  remove(name) {
    return this.ask('remove', { name });
  }
}

// Returns the last line of a command's standard error, without the program's name.
function messageOf(err, status) {
  const lines = err.trim().split('\n');
  return lines[lines.length - 1].replace(/^tapehead: /, '') || t('shell').status(status);
}

const engine = new Engine();
