// One home with 10,000 records, 200 or all of them not ended: what `ao start` over them costs, how fast a change is, and what a list takes.
import { spawnSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { createBoardPlace } from './dashboard-place.mjs'
import { readStream } from './dashboard-stream.mjs'
import { AO } from './home.mjs'

const SESSIONS = Number(process.env.BENCH_RECORDS ?? 10_000)
/** At least two polls of the loop. */
const REST_MS = Number(process.env.BENCH_REST_MS ?? 65_000)
const CHANGES = 40
const ROUNDS = 15

/** `rest`: % of a core; `ls`: times node, without a loop and asking it. */
const FEW_OPEN = { open: 200, settleMs: 5_000, rest: 2, ls: [undefined, 2.5] }
const ALL_OPEN = { open: SESSIONS, settleMs: 10_000, rest: 5, ls: [10, 6] }

export async function run() {
  await measure(FEW_OPEN)
  console.log('')
  await measure(ALL_OPEN)
}

async function measure({ open, settleMs, rest, ls }) {
  if (process.env.BENCH_OPEN && Number(process.env.BENCH_OPEN) !== open) return
  const titled = (n, title) => (n <= open ? { title } : { title, ended: n % 3 === 0 ? 'killed' : 'merged' })
  console.log(`${SESSIONS} records, ${open} of them not ended, without agents`)
  const place = createBoardPlace()
  try {
    for (let n = 1; n <= SESSIONS; n++) place.writeSession(n, titled(n, `Task ${n}`))
    compareCommands(place, 'without a loop', ls[0])
    const started = performance.now()
    const loop = place.start()
    await place.untilAnswered(loop)
    say('from `ao start` to the first answer', Math.round(performance.now() - started), 'ms', 1_500)
    say('CPU of the loop until then', loop.cpu() * 1_000, 'ms')
    await pause(settleMs)
    say('processor at rest, nobody viewing', (await loop.cpuShare(REST_MS)) * 100, '% of a core', rest)
    say('memory, nobody viewing', loop.memory() / 2 ** 20, 'MB', 250)
    compareCommands(place, 'asking the loop', ls[1])
    const reader = await readStream(loop)
    await reader.untilBoard()
    say('the first frame of a page', reader.bytes / 2 ** 20, 'MB', 1)
    await pause(5_000)
    say('processor at rest, one page', (await loop.cpuShare(REST_MS)) * 100, '% of a core', rest)
    say('memory, one page', loop.memory() / 2 ** 20, 'MB', 250)
    const times = await changeAndWait(place, reader, titled)
    say('a record is written → its frame, median', times[times.length >> 1], 'ms', 100)
    say('the same, 95th of 100', times[Math.floor(times.length * 0.95)], 'ms', 100)
    reader.close()
  } finally {
    place.remove()
  }
}

/** CPU time, so that a busy machine changes little: the median of several runs, one after the other. */
function compareCommands(place, how, aim) {
  const commands = {
    node: ['-e', '0'],
    ls: [AO, 'session', 'ls'],
    status: [AO, 'status'],
    json: [AO, 'status', '--json'],
  }
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, args] of Object.entries(commands)) times[name].push(cpuOf(place, args))
  const median = (name) => times[name].toSorted((a, b) => a - b)[ROUNDS >> 1]
  for (const [name, what] of [
    ['ls', 'ao session ls'],
    ['status', 'ao status'],
    ['json', 'ao status --json'],
  ])
    say(`${what}, ${how}`, median(name) / median('node'), `× node (${median(name).toFixed(0)} ms of CPU)`, aim)
}

function cpuOf({ cwd, env }, args) {
  const usage = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="%U %S"; time "$@" >/dev/null 2>&1', '-', process.execPath, ...args],
    { cwd, env, encoding: 'utf8' },
  )
  const [user, system] = usage.stderr.trim().split('\n').at(-1).split(' ').map(Number)
  return (user + system) * 1_000
}

async function changeAndWait(place, reader, titled) {
  const times = []
  for (let n = 0; n < CHANGES; n++) {
    const title = `Change ${n}`
    const number = ((n * 7_919) % SESSIONS) + 1
    const began = performance.now()
    const seen = reader.untilText(`"title":"${title}"`)
    place.writeSession(number, titled(number, title))
    await seen
    times.push(performance.now() - began)
    await pause(300)
  }
  return times.sort((a, b) => a - b)
}

function say(what, figure, unit, aim) {
  const verdict = aim === undefined ? '' : `  aim ≤ ${aim}${figure <= aim ? '' : '  MISSED'}`
  console.log(
    `  ${what.padEnd(44)} ${figure.toFixed(figure < 100 ? 1 : 0)} ${unit}${verdict}  load ${loadavg()[0].toFixed(1)}`,
  )
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
