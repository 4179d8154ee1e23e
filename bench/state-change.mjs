// From a fact to its event on disk, with the real `ao start` watching: an agent is killed, an agent asks.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAoPlace, GENERIC } from './home.mjs'

const KILLS = 15
const QUESTIONS = 10
const AIM_MS = 100

export async function run() {
  console.log('a state change of an agent, from the fact to its event and its record on disk')
  const place = createPlace()
  try {
    const manager = await place.createManager()
    place.ao('start')
    for (const runtime of ['tmux', 'process']) {
      const killed = []
      for (let n = 0; n < KILLS; n++) killed.push(await measureKill(place, manager, runtime))
      print(`kill -9 of an agent in ${runtime} → killed`, killed)
    }
    const asked = []
    for (let n = 0; n < QUESTIONS; n++) asked.push(await measureQuestion(place, manager))
    print('a question of an agent → needs_input', asked)
  } finally {
    place.remove()
  }
}

async function measureKill(place, manager, runtime) {
  const { id, runtimeHandle } = await manager.spawn({ projectId: runtime, prompt: 'work' })
  // Time for the loop to take notice of it.
  await new Promise((resolve) => setTimeout(resolve, 250))
  const pid = Number(String(runtimeHandle.data.agent).split(':')[0])
  const began = Date.now()
  process.kill(pid, 'SIGKILL')
  await place.untilStatus(runtime, id, 'killed')
  const took = Date.now() - began
  await manager.kill(id, { purge: true }).catch(() => undefined)
  return took
}

/** The agent writes down when it asked. */
async function measureQuestion(place, manager) {
  const { id } = await manager.spawn({ projectId: 'demo', prompt: 'demo: think 1\ndemo: ask which colour?' })
  const seenAt = await place.untilStatus('demo', id, 'needs_input')
  const asked = Date.parse(/^lastActivityAt=(.*)$/m.exec(place.record('demo', id))[1])
  await manager.kill(id, { purge: true }).catch(() => undefined)
  return seenAt - asked
}

function print(what, times) {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
  const verdict = `aim ≤ ${AIM_MS}${at(0.95) <= AIM_MS ? '' : '  MISSED'}`
  console.log(
    `  ${what.padEnd(44)} p50 ${String(at(0.5)).padStart(4)} ms  p95 ${String(at(0.95)).padStart(4)} ms  max ${String(at(1)).padStart(4)} ms  n ${times.length}  ${verdict}`,
  )
}

function createPlace() {
  const place = createAoPlace({
    tmux: `sessionPrefix: tm, runtime: tmux, ${GENERIC}`,
    process: `sessionPrefix: pr, runtime: process, ${GENERIC}`,
    demo: 'sessionPrefix: de, runtime: tmux, agent: demo',
  })
  const projectDir = (project) => {
    const root = join(place.home, '.agent-orchestrator')
    return join(root, readdirSync(root).find((name) => name.endsWith(`-${project}`)) ?? 'none')
  }
  const read = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const until = async (condition) => {
    const deadline = performance.now() + 20_000
    while (!condition()) {
      if (performance.now() > deadline) throw new Error('it never happened')
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  return {
    ...place,
    record: (project, id) => read(join(projectDir(project), 'sessions', id)),
    /** When both the event and the record could be read from the disk. */
    async untilStatus(project, id, status) {
      const folder = projectDir(project)
      await until(() => read(join(folder, 'history', `${id}.jsonl`)).includes(`"to":"${status}"`))
      await until(() => read(join(folder, 'sessions', id)).includes(`\nstatus=${status}\n`))
      return Date.now()
    },
  }
}
