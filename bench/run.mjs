// npm run bench: how far ao is from the raw limits of this machine, as ratios measured in one run.
import { cpus, loadavg } from 'node:os'

console.log(`node ${process.version}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}\n`)
const wanted = process.argv.slice(2)
for (const name of [
  'start-up',
  'subprocesses',
  'spawn',
  'metadata',
  'state-change',
  'dashboard',
  'scale',
  'agh-stream',
  'agh-list',
  'agh-many',
  'pause',
  'radar',
  'meaning',
  'train',
  'search',
  'checkpoint',
]) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const { run } = await import(`./${name}.mjs`)
  await run()
  console.log('')
}
