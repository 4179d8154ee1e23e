// 100 active sessions on one daemon, ten of which stream: the daemon's own memory and the delay of its event loop.
import { spawn } from 'node:child_process'
import { createPlace } from './agh-place.mjs'

const SESSIONS = 100
const STREAMING = 10
const MAX_MEMORY_MB = 150
const MAX_DELAY_MS = 20
/** Nearly a thousand updates a second from each, in small bursts: many times faster than any model. Some are longer. */
const promptOf = (n) => 'stream 10\nsleep 10\n'.repeat(1_000 + 100 * n)

export async function run() {
  console.log(`agh: ${SESSIONS} active sessions, ${STREAMING} of them stream`)
  const place = createPlace()
  try {
    place.run(['daemon', 'start'])
    const ids = []
    for (let n = 0; n < SESSIONS; n++) {
      const agent_name = n < STREAMING ? 'general' : 'idle'
      const answer = await place.call('/api/sessions', { agent_name, workspace_path: place.workspace })
      ids.push(JSON.parse(answer).session.id)
    }
    const status = async () => JSON.parse(await place.call('/api/daemon/status'))
    const { memory_bytes: idle } = await status()
    let streaming = true
    const events = ids.slice(0, STREAMING).map(async (id, n) => {
      let count = 0
      while (streaming) {
        const text = await place.call(`/api/sessions/${id}/prompt`, { message: promptOf(n) })
        count += text.split('\nevent: agent_message\n').length - 1
      }
      return count
    })
    const idleProcess = watchIdleProcess()
    const began = performance.now()
    // The first window may have begun before the streams did.
    await nextWindow(status, (await status()).event_loop_delay)
    const { event_loop_delay: delay, memory_bytes: busy } = await nextWindow(status, (await status()).event_loop_delay)
    const machine = await idleProcess.stop()
    streaming = false
    for (const id of ids.slice(0, STREAMING)) await place.call(`/api/sessions/${id}/prompt/cancel`, {})
    const total = (await Promise.all(events)).reduce((sum, count) => sum + count, 0)
    const seconds = (performance.now() - began) / 1_000
    const { memory_bytes: after, active_sessions } = await status()
    console.log(`  ${active_sessions} active, ${Math.round(total / seconds)} events per second`)
    limit('memory of the daemon, before any prompt', idle / 2 ** 20, 'MB', MAX_MEMORY_MB)
    limit('memory of the daemon, while they stream', busy / 2 ** 20, 'MB', MAX_MEMORY_MB)
    limit('memory of the daemon, afterwards', after / 2 ** 20, 'MB', MAX_MEMORY_MB)
    limit('event-loop delay p50 while they stream', delay.p50_ms, 'ms')
    limit('event-loop delay p99 while they stream', delay.p99_ms, 'ms', MAX_DELAY_MS)
    limit('event-loop delay max while they stream', delay.max_ms, 'ms')
    limit('the same p99 in a process that does nothing', machine, 'ms')
  } finally {
    place.remove()
  }
}

/** What of the delay is the machine's: a busy one makes everybody wait. */
function watchIdleProcess() {
  const script = `
    const histogram = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 10 })
    histogram.enable()
    process.stdin.on('end', () => console.log(Math.max(0, histogram.percentile(99) / 1e6 - 10))).resume()`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  return {
    stop: () =>
      new Promise((resolve) => {
        child.stdout.once('data', (text) => resolve(Number(text)))
        child.stdin.end()
      }),
  }
}

async function nextWindow(status, before) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 250))
    const now = await status()
    if (now.event_loop_delay?.measured_at !== before?.measured_at) return now
  }
}

function limit(what, value, unit, aim) {
  const verdict = aim === undefined ? '' : `  aim ≤ ${aim} ${unit}${value <= aim ? '' : '  MISSED'}`
  console.log(`  ${what.padEnd(44)} ${value.toFixed(1).padStart(8)} ${unit}${verdict}`)
}
