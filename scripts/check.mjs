// Every check with one command. One line each; the output of a check is shown only when it fails.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BIN = join(ROOT, 'node_modules/.bin')

const CHECKS = [
  ['format and lint', 'biome', ['check', '--error-on-warnings']],
  ['types', 'tsc', ['--noEmit']],
  ["the dashboard's types", 'tsc', ['--noEmit', '-p', 'web']],
  ['build', 'node', ['scripts/build.mjs', '--types']],
  ['unused code', 'knip', []],
  ['unit and architecture tests', 'vitest', ['run', 'src', 'test/architecture.test.ts']],
]

const failed = CHECKS.filter((check) => !passes(check)).map(([name]) => name)
if (failed.length > 0) {
  console.error(`check: failed: ${failed.join(', ')}`)
  process.exit(1)
}

function passes([name, program, args]) {
  const started = performance.now()
  const { status, stdout, stderr, error } = spawnSync(join(BIN, program), args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${BIN}:${process.env.PATH}` },
    maxBuffer: 64 * 1024 * 1024,
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(`${status === 0 ? 'ok    ' : 'failed'} ${name} (${seconds} s)`)
  if (status !== 0) console.log(`${stdout ?? ''}${stderr ?? ''}${error ?? ''}`.trimEnd())
  return status === 0
}
