// The dashboard over 200 sessions: its start, its rest, and the way of a change to the stream and to the screen.
import { existsSync } from 'node:fs'
import { createBoardPlace } from './dashboard-place.mjs'
import { drawChanges } from './dashboard-screen.mjs'
import { readStream } from './dashboard-stream.mjs'

const SESSIONS = Number(process.env.BENCH_SESSIONS ?? 200)
const REAL = Number(process.env.BENCH_REAL_SESSIONS ?? 20)
const CHANGES = 40
const READERS = 20
const REST_MS = 5_000
const AIM_MS = 200
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'

export async function run() {
  console.log(`the dashboard over ${SESSIONS} sessions without agents`)
  const place = createBoardPlace()
  try {
    for (let n = 1; n <= SESSIONS; n++) place.writeSession(n, { title: `Task ${n}` })
    const started = performance.now()
    const loop = place.start()
    await place.untilAnswered(loop)
    say('from `ao start` to the first answer', `${Math.round(performance.now() - started)} ms`)
    await pause(3_000)
    say('memory, nobody looking', megabytes(loop.memory()))
    say('processor at rest, nobody looking', percent(await loop.cpuShare(REST_MS)), 1)
    await measureStream(place, loop)
    await measureScreen(place, loop)
    await measureReal(place, loop)
  } finally {
    place.remove()
  }
}

async function measureStream(place, loop) {
  const reader = await readStream(loop)
  await reader.untilBoard()
  const whole = reader.bytes
  say('memory, one page', megabytes(loop.memory()))
  await pause(3_000)
  say('processor at rest, one page', percent(await loop.cpuShare(REST_MS)), 2)
  const before = reader.bytes
  const one = await changeAndWait(place, [reader])
  sayTimes('a record is written → its frame', one)
  const each = (reader.bytes - before) / CHANGES
  say('bytes of a change / of the whole board', `${Math.round(each)} / ${whole} (1/${Math.round(whole / each)})`)

  const others = await Promise.all(Array.from({ length: READERS - 1 }, () => readStream(loop)))
  const deaf = await readStream(loop)
  await Promise.all(others.map((other) => other.untilBoard()))
  deaf.stopReading()
  const memory = loop.memory()
  sayTimes(`the same → the last of ${READERS} pages`, await changeAndWait(place, [reader, ...others]))
  for (let n = 0; n < 300; n++) {
    place.writeSession((n % SESSIONS) + 1, { title: `Deaf ${n}` })
    await pause(5)
  }
  await pause(500)
  say(
    'memory, 20 pages and one that never reads',
    `${megabytes(loop.memory())} (+${megabytes(loop.memory() - memory)})`,
  )
  for (const one of [reader, deaf, ...others]) one.close()
}

/** How long each change took to reach the last of the readers. */
async function changeAndWait(place, readers) {
  const times = []
  for (let n = 0; n < CHANGES; n++) {
    const title = `Change ${n} of ${readers.length}`
    const began = performance.now()
    const seen = Promise.all(readers.map((reader) => reader.untilText(`"title":"${title}"`)))
    place.writeSession(((n * 7) % SESSIONS) + 1, { title })
    await seen
    times.push(performance.now() - began)
    await pause(150)
  }
  return times
}

async function measureScreen(place, loop) {
  if (!existsSync(CHROMIUM)) return console.log(`  no ${CHROMIUM}: the screen is not measured`)
  const drawn = await drawChanges({ place, loop, sessions: SESSIONS, chromium: CHROMIUM })
  sayTimes('a record is written → it is on the screen', drawn.times)
  const { long, longest, blocked, frames, late } = drawn.busy
  say('20 changes a second for 10 s, long tasks', `${long} (longest ${longest} ms, ${blocked} ms over 50 ms in all)`)
  say('20 changes a second for 10 s, frames', `${frames}, ${late} later than 100 ms`)
  sayTimes('20 changes a second → on the screen', drawn.busy.times)
}

async function measureReal(place, loop) {
  console.log(`the dashboard over ${REAL} sessions in tmux beside them`)
  const manager = await place.createManager()
  const pids = []
  for (let n = 0; n < REAL; n++) {
    const { id, runtimeHandle } = await manager.spawn({ projectId: 'real', prompt: 'work' })
    pids.push({ id, pid: Number(String(runtimeHandle.data.agent).split(':')[0]) })
  }
  const reader = await readStream(loop)
  await reader.untilBoard()
  await pause(5_000)
  say('processor at rest, one page', percent(await loop.cpuShare(REST_MS)), 4)
  const times = []
  for (const { id, pid } of pids.slice(0, 15)) {
    const began = performance.now()
    process.kill(pid, 'SIGKILL')
    await reader.untilCard(id, ({ status }) => status === 'killed')
    times.push(performance.now() - began)
    await pause(100)
  }
  sayTimes('an agent is killed → its card says so', times)
  reader.close()
}

function sayTimes(what, times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))])
  const verdict = `aim ≤ ${AIM_MS}${at(0.95) <= AIM_MS ? '' : '  MISSED'}`
  say(what, `p50 ${at(0.5)} ms  p95 ${at(0.95)} ms  max ${at(1)} ms  n ${times.length}  ${verdict}`)
}

function say(what, figure, aim) {
  const verdict = aim === undefined ? '' : `  aim ≤ ${aim}%${Number.parseFloat(figure) <= aim ? '' : '  MISSED'}`
  console.log(`  ${what.padEnd(44)} ${figure}${verdict}`)
}

function megabytes(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`
}

function percent(share) {
  return `${(share * 100).toFixed(1)}% of a core`
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
