// Runs all checks of the page, one program after the other. Skips them if the page isn't built.
//   node all.mjs BUILD COMMAND
// BUILD is the folder with tapehead.html, and COMMAND the native program tapehead.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [build, command] = process.argv.slice(2);
const page = join(build, 'tapehead.html');
if (!existsSync(page)) {
  console.log(`skipped web: ${page} is missing; ./dev web builds it`);
  process.exit(0);
}
const programs = [
  ['check', build, command],
  ...['home', 'exact', 'train', 'compare', 'exercises', 'words', 'layout'].map(name => [name, page, 'chromium', command]),
];
let isRight = true;
for (const [name, ...words] of programs) {
  const file = join(dirname(fileURLToPath(import.meta.url)), `${name}.mjs`);
  const { status } = spawnSync(process.execPath, [file, ...words], { stdio: 'inherit' });
  if (status !== 0) isRight = false;
}
process.exit(isRight ? 0 : 1);
