// Controls a headless browser: Chromium with the DevTools protocol over a pipe, or Firefox with
// Marionette. The classes of both have the same methods.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));

class Browser {
  constructor(program, profile) {
    Object.assign(this, { program, profile, count: 0, waiting: new Map(), complaints: [] });
  }
  // Waits until an expression, evaluated in the page, is true. Throws after `seconds`.
  async until(expression, seconds = 60) {
    for (const end = Date.now() + 1000 * seconds; Date.now() < end; await wait(50))
      if (await this.value(`Boolean(${expression})`)) return;
    throw new Error(`timeout waiting for: ${expression}`);
  }
  async close() {
    const ended = new Promise(done => this.program.on('exit', done));
    this.program.kill('SIGKILL');
    await ended;
    await wait(100); // the browser's helper processes exit later
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10 });
  }
}

class Chromium extends Browser {
  static async start() {
    const profile = mkdtempSync(join(tmpdir(), 'chromium-'));
    const options = [
      '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--remote-debugging-pipe'
    ];
    const program = spawn('chromium', [...options, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: profile },
    });
    const result = new Chromium(program, profile);
    let text = '';
    program.stdio[4].setEncoding('utf8').on('data', more => {
      const messages = (text + more).split('\0');
      text = messages.pop();
      for (const message of messages) result.hear(JSON.parse(message));
    });
    const { targetInfos } = await result.call('Target.getTargets');
    const { targetId } = targetInfos.find(({ type }) => type === 'page');
    const { sessionId } = await result.call('Target.attachToTarget', { targetId, flatten: true });
    result.session = sessionId;
    for (const domain of ['Page', 'Runtime', 'Log', 'Network'])
      await result.call(`${domain}.enable`);
    return result;
  }
  call(method, params = {}) {
    const id = ++this.count;
    const message = { id, method, params, ...(this.session ? { sessionId: this.session } : {}) };
    this.program.stdio[3].write(JSON.stringify(message) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
  hear({ id, method, params, result, error }) {
    if (id) {
      const { resolve, reject } = this.waiting.get(id);
      this.waiting.delete(id);
      return error ? reject(new Error(error.message)) : resolve(result);
    }
    if (method === 'Runtime.exceptionThrown') {
      const { exception, text } = params.exceptionDetails;
      this.complaints.push(exception?.description ?? text);
    }
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning'].includes(params.type))
      this.complaints.push(params.args.map(each => each.value ?? each.description).join(' '));
    if (method === 'Log.entryAdded' && params.entry.level === 'error')
      this.complaints.push(params.entry.text);
    if (method === 'Network.requestWillBeSent' && /^(https?|ws):/.test(params.request.url))
      this.complaints.push(`request to ${params.request.url}`);
  }
  async open(address) {
    // Page.navigate hangs in a page with a worker, but the page can change its own address.
    await this.value("(setTimeout(() => (location.href = 'about:blank')), 0)");
    await wait(500);
    await this.until("location.href === 'about:blank'", 10);
    await this.call('Page.navigate', { url: address });
    await this.until('document.readyState === "complete" && location.href !== "about:blank"');
  }
  async value(expression) {
    const { result, exceptionDetails } = await this.call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  async resize(width, height) {
    await this.call(
      'Emulation.setDeviceMetricsOverride',
      { width, height, deviceScaleFactor: 1, mobile: width < 500 });
  }
  // Sets the colours that the reader prefers, 'light' or 'dark', and whether less movement.
  async prefer(scheme, isStill = false) {
    const features = [
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: isStill ? 'reduce' : 'no-preference' },
    ];
    await this.call('Emulation.setEmulatedMedia', { features });
  }
  // Returns a PNG image of the whole page.
  async picture() {
    const shot = { captureBeyondViewport: true };
    const { cssContentSize: { width, height } } = await this.call('Page.getLayoutMetrics');
    Object.assign(shot, { clip: { x: 0, y: 0, width, height, scale: 1 } });
    return Buffer.from((await this.call('Page.captureScreenshot', shot)).data, 'base64');
  }
  // Throws an Error for the errors and warnings in the console.
  async expectNoComplaints() {
    if (this.complaints.length > 0)
      throw new Error(`errors in the browser: ${this.complaints.join('; ')}`);
  }
  async press(key, text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined) {
    const codes = {
      Tab: 9,
      Enter: 13,
      Escape: 27,
      End: 35,
      Home: 36,
      PageUp: 33,
      ArrowLeft: 37,
      ArrowUp: 38,
      ArrowRight: 39,
      ArrowDown: 40,
      Backspace: 8
    };
    const event = {
      key,
      text,
      windowsVirtualKeyCode: codes[key] ?? key.toUpperCase().charCodeAt(0)
    };
    await this.call('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', ...event });
    await this.call('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }
  async type(text) {
    await this.call('Input.insertText', { text });
  }
}

class Firefox extends Browser {
  static async start() {
    const profile = mkdtempSync(join(tmpdir(), 'firefox-'));
    const port = 20000 + Math.floor(Math.random() * 20000);
    writeFileSync(join(profile, 'user.js'), `user_pref("marionette.port", ${port});\n`);
    const options = ['--headless', '--no-remote', '--marionette', '--remote-allow-system-access'];
    const program = spawn('firefox-esr', [...options, '--profile', profile], {
      stdio: 'ignore',
      env: { ...process.env, HOME: profile },
    });
    const result = new Firefox(program, profile);
    for (let tries = 0; ; ++tries) {
      await wait(250);
      try {
        await result.connect(port);
        break;
      } catch (error) {
        if (tries > 120) throw error;
      }
    }
    await result.call('WebDriver:NewSession', {});
    await result.call('WebDriver:SetTimeouts', { script: 600000 });
    return result;
  }
  connect(port) {
    return new Promise((resolve, reject) => {
      let bytes = Buffer.alloc(0);
      let isGreeted = false;
      this.socket = connect(port, '127.0.0.1');
      this.socket.on('error', reject);
      this.socket.on('data', more => {
        bytes = Buffer.concat([bytes, more]);
        for (;;) {
          const colon = bytes.indexOf(':');
          if (colon < 0) return;
          const length = Number(bytes.subarray(0, colon));
          if (bytes.length < colon + 1 + length) return;
          const message = JSON.parse(bytes.subarray(colon + 1, colon + 1 + length));
          bytes = bytes.subarray(colon + 1 + length);
          if (!isGreeted) {
            isGreeted = true;
            resolve();
            continue;
          }
          const [, id, error, value] = message;
          const waiting = this.waiting.get(id);
          this.waiting.delete(id);
          error ? waiting.reject(new Error(error.message)) : waiting.resolve(value);
        }
      });
    });
  }
  call(command, params) {
    const id = ++this.count;
    const text = JSON.stringify([0, id, command, params]);
    this.socket.write(`${Buffer.byteLength(text)}:${text}`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
  async open(address) {
    await this.call('WebDriver:Navigate', { url: 'about:blank' });
    await this.call('WebDriver:Navigate', { url: address });
  }
  async value(expression) {
    // Marionette's scripts can't access constants of the page's scripts, but a script element can.
    // The page's security policy forbids eval.
    const script = `const done = arguments[0];
      const asked = document.createElement('script');
      asked.textContent = ${JSON.stringify(`window.asked = (async () => (${expression}))();`)};
      document.body.append(asked);
      asked.remove();
      Promise.resolve(window.asked).then(value => done({ value }), error => done({ error: String(error) }));`;
    const { value } =
      await this.call('WebDriver:ExecuteAsyncScript', { script, args: [], sandbox: null });
    if (value.error) throw new Error(value.error);
    return value.value;
  }
  act(type, actions) {
    return this.call('WebDriver:PerformActions', { actions: [{ type, id: type, actions }] });
  }
  // WebDriver encodes keys without a character in a private range of Unicode.
  async press(key) {
    const names = {
      Tab: 4,
      Enter: 7,
      Escape: 0xc,
      PageUp: 0xe,
      PageDown: 0xf,
      End: 0x10,
      Home: 0x11,
      ArrowLeft: 0x12,
      ArrowUp: 0x13,
      ArrowRight: 0x14,
      ArrowDown: 0x15,
      Backspace: 3
    };
    const value = key in names ? String.fromCharCode(0xe000 + names[key]) : key;
    await this.act('key', [{ type: 'keyDown', value }, { type: 'keyUp', value }]);
  }
  async type(text) {
    for (const each of text) await this.press(each);
  }
  // Runs a script in the browser itself instead of the page.
  async inBrowser(script, args = []) {
    await this.call('Marionette:SetContext', { value: 'chrome' });
    const { value } = await this.call('WebDriver:ExecuteScript', { script, args });
    await this.call('Marionette:SetContext', { value: 'content' });
    return value;
  }
  // A window has at least 450 pixels, so this sets the size of the page in it.
  async resize(width, height) {
    await this.call('WebDriver:SetWindowRect', { width: width + 40, height: height + 200 });
    const script = `gBrowser.selectedBrowser.style.cssText =
      'flex: none; width: ' + arguments[0] + 'px; height: ' + arguments[1] + 'px';`;
    await this.inBrowser(script, [width, height]);
    const size = { script: 'return innerWidth', args: [] };
    while ((await this.call('WebDriver:ExecuteScript', size)).value !== width) await wait(20);
  }
  async prefer(scheme, isStill = false) {
    const script = `const [isLight, isStill] = arguments;
      Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', isLight);
      Services.prefs.setIntPref('ui.prefersReducedMotion', isStill);`;
    await this.inBrowser(script, [Number(scheme === 'light'), Number(isStill)]);
  }
  async picture() {
    const { value } = await this.call('WebDriver:TakeScreenshot', { full: true });
    return Buffer.from(value, 'base64');
  }
  async expectNoComplaints() {
    const script = `const all = Services.console.getMessageArray();
      Services.console.reset();
      return all
        .filter(each => each instanceof Ci.nsIScriptError && /^(file|blob|data):/.test(each.sourceName))
        .map(each => each.errorMessage)
        .filter(text => !text.startsWith('Layout was forced'));`; // of a frame that is still loading
    const complaints = await this.inBrowser(script);
    if (complaints.length > 0)
      throw new Error(`errors in the browser: ${complaints.join('; ')}`);
  }
}

export const start = name => (name === 'firefox' ? Firefox : Chromium).start();
