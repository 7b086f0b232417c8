// A run as a .zip archive.

async function saveArchive(folder) {
  const name = folder.split('/').pop();
  const files = (await engine.tree(folder)).filter(file => file.name !== 'lock');
  save(`${name}.zip`, zipped(files.map(file => ({ ...file, name: `${name}/${file.name}` }))));
}

// Writes the run in an archive to a new folder in `runs`, and returns the folder. Throws an Error
// if the file isn't an archive of a run.
async function openArchive(file) {
  const files = await unzipped(new Uint8Array(await file.arrayBuffer()));
  const config = files.find(each => each.name.endsWith('config.toml'));
  if (!config) throw new Error(trainTexts.notRun);
  if (!/^task\s*=/m.test(new TextDecoder().decode(config.bytes)))
    throw new Error(trainTexts.noTask(config.name));
  const inside = config.name.slice(0, -'config.toml'.length);
  const name = inside.replace(/\/$/, '').split('/').pop() || file.name.replace(/\.zip$/, '');
  const there = new Set(await engine.list('runs'));
  let free = name;
  for (let i = 2; there.has(free); ++i) free = `${name}-${i}`;
  for (const each of files)
    if (each.name.startsWith(inside))
      await engine.write(`runs/${free}/${each.name.slice(inside.length)}`, each.bytes);
  return `runs/${free}`;
}
