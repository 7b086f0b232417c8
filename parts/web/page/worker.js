// A worker that runs the command with a file system in memory. Tasks run in order. While main runs,
// the worker can't receive messages, so training runs in slices: after each slice it is interrupted
// as by Ctrl-C, which saves everything, and resumed, which is bitwise identical.
'use strict';

const home = '/home';
const sliceTime = 1200; // length of a slice in milliseconds
const interrupted = 130; // exit status of the command after Ctrl-C
let machine = null; // the WebAssembly module
let slice = null; // the current slice of `train` or `sweep`
const tasks = [];
const stops = new Set(); // ids of running tasks to stop

// ---- the WebAssembly module

// Multiply-adds at `places` become fused instructions; the others call functions that compute the
// same: see multiply_adds.mjs.
async function start({ packed, size, places, columns }) {
  const text = atob(packed);
  const compressed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) compressed[i] = text.charCodeAt(i);
  const bytes = unpacked(compressed, size);
  fuse(bytes, places);
  machine = await Tapehead({
    wasmBinary: bytes,
    thisProgram: 'tapehead',
    preRun: [
      module => {
        Object.assign(module.ENV, { HOME: home, COLUMNS: String(columns) });
        module.FS.init(
          () => null,
          byte => output.add('out', byte),
          byte => output.add('err', byte),
        );
      },
    ],
  });
  machine.FS.mkdirTree(home);
  machine.FS.chdir(home);
  watchMetrics();
}

// ---- output

const output = {
  bytes: { out: [], err: [] },
  decoders: { out: new TextDecoder(), err: new TextDecoder() },
  send: null,
  add(stream, byte) {
    if (byte === null) return;
    this.bytes[stream].push(byte);
    if (byte === 10) this.flush(stream);
  },
  flush(stream) {
    if (this.bytes[stream].length === 0) return;
    const text = this.decoders[stream].decode(new Uint8Array(this.bytes[stream]), { stream: true });
    this.bytes[stream] = [];
    if (this.send) this.send(stream, text);
  },
};

// ---- training in slices

const isLong = words => ['train', 'sweep'].includes(words[0]);

// Sends metrics to the page when the command writes them, and interrupts a slice that is too long.
function watchMetrics() {
  const { FS } = machine;
  const write = FS.write;
  FS.write = (stream, buffer, offset, length, ...more) => {
    const written = write(stream, buffer, offset, length, ...more);
    if (slice && stream.path.endsWith('/metrics.jsonl')) {
      if (!slice.folder) {
        slice.folder = stream.path.slice(0, stream.path.lastIndexOf('/'));
        slice.send('config', FS.readFile(`${slice.folder}/config.toml`, { encoding: 'utf8' }));
      }
      slice.send('metrics', new TextDecoder().decode(buffer.slice(offset, offset + length)));
      if (performance.now() > slice.end) {
        slice.isOver = true;
        machine._tapehead_stop();
      }
    }
    return written;
  };
}

function main(words, send) {
  output.send = send;
  const status = machine.callMain(words);
  output.flush('out');
  output.flush('err');
  return status;
}

const nextMessage = () => new Promise(done => setTimeout(done));

// Returns a `send` that omits the output about interrupting and resuming a slice.
function withoutSeams(send) {
  let isHead = false;
  const filter = (stream, text) => {
    if (/^(interrupted after step|to continue:|tapehead: interrupted; )/.test(text)) return;
    if (stream === 'out' && isHead) {
      if (/^ +step +loss/.test(text)) isHead = false;
      return;
    }
    send(stream, text);
  };
  filter.begin = () => (isHead = true);
  return filter;
}

// Runs `train` or `sweep` in slices. The same `sweep` command continues a sweep.
async function inSlices(id, words, send) {
  const kept = withoutSeams(send);
  let next = words;
  let folder = null;
  for (;;) {
    slice = { send, folder, isOver: false, end: performance.now() + sliceTime };
    const status = main(next, kept);
    const { isOver } = slice;
    folder = slice.folder;
    slice = null;
    const result = { status, folder: folder && nameOf(folder) };
    if (status !== interrupted || !isOver) return result;
    send('saved', result.folder);
    await nextMessage();
    await doTasks(true); // runs the page's requests before the next slice
    if (stops.delete(id)) return result;
    if (words[0] === 'train') {
      next = ['train', '--resume', result.folder];
      kept.begin();
    }
  }
}

// ---- files

const pathOf = name => (name.startsWith('/') ? name : `${home}/${name}`);
const nameOf = path => path.replace(`${home}/`, '');
const entriesOf = path =>
  machine.FS.readdir(path).filter(entry => entry !== '.' && entry !== '..');

// Returns all files below a folder as { name, bytes }. The bytes of a link are its target's name.
function filesIn(folder) {
  const { FS } = machine;
  const found = [];
  const look = (path, name) => {
    const { mode } = FS.lstat(path);
    if (FS.isLink(mode)) {
      const to = FS.readlink(path).split('/').pop();
      found.push({ name, bytes: new TextEncoder().encode(to + '\n') });
    } else if (FS.isDir(mode)) {
      for (const entry of entriesOf(path))
        look(`${path}/${entry}`, name ? `${name}/${entry}` : entry);
    } else {
      found.push({ name, bytes: FS.readFile(path) });
    }
  };
  look(pathOf(folder), '');
  return found;
}

const files = {
  read: ({ name }) => machine.FS.readFile(pathOf(name)),
  write({ name, bytes }) {
    const path = pathOf(name);
    machine.FS.mkdirTree(path.slice(0, path.lastIndexOf('/')));
    machine.FS.writeFile(path, bytes);
  },
  tree: ({ name }) => filesIn(name),
  memory: () => machine.HEAPU8.length, // bytes
  list({ name }) {
    const path = pathOf(name);
    return machine.FS.analyzePath(path).exists ? entriesOf(path) : [];
  },
  remove({ name }) {
    const { FS } = machine;
    const take = path => {
      if (!FS.isDir(FS.lstat(path).mode)) return FS.unlink(path);
      for (const entry of entriesOf(path)) take(`${path}/${entry}`);
      return FS.rmdir(path);
    };
    if (FS.analyzePath(pathOf(name)).exists) take(pathOf(name));
  },
};

// ---- messages

async function done(task) {
  const { id, what } = task;
  const send = (stream, text) => postMessage({ id, stream, text });
  if (what === 'start') return start(task);
  if (what === 'run')
    return isLong(task.words) ? inSlices(id, task.words, send) : { status: main(task.words, send) };
  return files[what](task);
}

async function doTasks(isBetweenSlices = false) {
  for (let i = 0; i < tasks.length;) {
    const task = tasks[i];
    if (isBetweenSlices && task.what === 'run' && isLong(task.words)) {
      ++i; // waits for the end of the running task
      continue;
    }
    tasks.splice(i, 1);
    try {
      postMessage({ id: task.id, result: await done(task) });
    } catch (error) {
      postMessage({ id: task.id, error: String(error.message ?? error) });
    }
  }
}

let isBusy = false;
onmessage = async ({ data }) => {
  if (data.what === 'stop') {
    stops.add(data.of);
    return;
  }
  tasks.push(data);
  if (isBusy) return;
  isBusy = true;
  await doTasks();
  isBusy = false;
};
