// The command, as the page has it: a worker with a file system of its own. What is asked is a
// promise of what comes.

const moduleBytes = async () => {
  const packed = Uint8Array.from(atob($('module').textContent), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};

// As the page has them, each as its distance from the one before.
const absolute = distances => {
  let place = 0;
  return distances.map(distance => (place += distance));
};

class Engine {
  constructor() {
    this.asked = new Map(); // by number: what waits for an answer
    this.count = 0;
    const source = new Blob([$('worker').textContent], { type: 'text/javascript' });
    this.worker = new Worker(URL.createObjectURL(source));
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = event => this.fail(event.message);
    this.ready = this.start();
  }

  async start() {
    const bytes = await moduleBytes();
    const sites = data.sites.map(site => ({ ...site, places: absolute(site.places) }));
    const isExact = new URLSearchParams(location.search).has('exact'); // for tests, and the curious
    const columns = Math.max(40, Math.min(80, Math.floor((innerWidth - 48) / 8)));
    return this.ask('start', { bytes, sites, isExact, columns });
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

  // Runs a command line: { status, out, err }, and of a training the folder of its run. `listen` is
  // told (stream, text) as it comes: 'out', 'err'; of a training also 'metrics', lines of JSON, and
  // 'saved', its folder, whenever all of it is saved. Other commands run between.
  run(words, listen = () => {}) {
    const printed = { out: '', err: '' };
    const answer = this.ask('run', { words }, (stream, text) => {
      if (stream in printed) printed[stream] += text;
      listen(stream, text);
    });
    const whole = answer.then(result => ({ ...result, ...printed }));
    return Object.assign(whole, { id: answer.id });
  }

  // Ends a training that runs after its slice. All steps are saved.
  stop(running) {
    this.worker.postMessage({ what: 'stop', of: running.id });
  }

  // What a command prints with --json. Throws what it says where it fails.
  async json(words) {
    const { status, out, err } = await this.run([...words, '--json']);
    if (!out.startsWith('{') && !out.startsWith('[')) throw new Error(messageOf(err, status));
    return JSON.parse(out);
  }

  // A file that a command wrote.
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

// The last line that a command wrote to standard error, without its own name before it.
function messageOf(err, status) {
  const lines = err.trim().split('\n');
  return lines[lines.length - 1].replace(/^tapehead: /, '') || `it ended with status ${status}`;
}

const engine = new Engine();
