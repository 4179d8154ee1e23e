// The build and the types side by side, then all tests. In CI, the few files with a failure run once more, in a fresh process with
// nothing beside them: what passes then is printed as unstable, a defect to look at and not a verdict on the change. Elsewhere a
// failure is a failure.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const BIN = join(ROOT, 'node_modules/.bin')
/** None of them needs what another makes, and each leaves a core unused for some of its time. */
const BEFORE_TESTS = [
  [process.execPath, 'scripts/build.mjs'],
  [join(BIN, 'tsc'), '--noEmit'],
  [join(BIN, 'tsc'), '--noEmit', '-p', 'web'],
]
/** More than these are no accident. */
const MOST_FILES = 5

const directory = mkdtempSync(join(tmpdir(), 'ao-tests-'))
try {
  const results = await Promise.all(BEFORE_TESTS.map(ends))
  process.exitCode = results.find((status) => status !== 0) ?? runAll()
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** The exit code; what a signal ended has failed too. */
function ends([program, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: 'inherit' })
    child.on('error', reject)
    child.on('close', (status) => resolve(status ?? 1))
  })
}

function runAll() {
  const first = run('first', process.argv.slice(2))
  const files = [...new Set(first.failures?.map(({ file }) => file))]
  if (first.status === 0 || !process.env.CI || files.length === 0 || files.length > MOST_FILES) return first.status
  console.log(`\nOnce more, alone: ${files.join(', ')}`)
  const second = run('second', files)
  if (second.failures === undefined) return second.status
  const isRepeated = (one) => second.failures.some(({ file, test }) => file === one.file && test === one.test)
  for (const one of first.failures.filter((failure) => !isRepeated(failure)))
    console.log(`Unstable: ${one.file} > ${one.test || 'its set-up'}\n${one.why}`)
  const passed = Math.max(0, first.passed + first.failed - second.failed)
  console.log(`${passed} passed, ${second.failed} failed, ${first.skipped} skipped`)
  return second.status
}

function run(name, args) {
  const file = join(directory, `${name}.json`)
  const { status, error } = spawnSync(join(BIN, 'vitest'), ['run', ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, AO_TEST_RESULT: file },
  })
  if (error) throw error
  return { status: status ?? 1, ...resultIn(file) }
}

function resultIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // Written only in CI, and not by a run that was cut off.
    return {}
  }
}
