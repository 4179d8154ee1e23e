// The red button over agents in the middle of turns on every runtime, with the real `ao start` beside them and an approved pull request on
// the train: from `ao pause` until the last turn has stopped, and from `ao resume` until the last one goes on. The raw limit is an `ao`
// that only lists them: what reads every record, and asks every runtime.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAoPlace } from './home.mjs'
import { report } from './measure.mjs'

const RUNTIMES = ['tmux', 'process', 'acp']
const EACH = 3
/** In tmux nobody can be stopped: the turn is ended, and the agent is asked to continue. */
const STOPPED = RUNTIMES.length - 1
const FREE = 'agentConfig: { permissions: skip }'
const ROUNDS = 3
const AIM_MS = 1_000
/** A turn that is under way writes a line this often. */
const BEAT_MS = 50
const QUIET_MS = 400
const HELD_MS = 3_000

export async function run() {
  console.log(`pause and resume: ${EACH} agents in a turn on each of ${RUNTIMES.join(', ')}; a train under way`)
  const place = createPlace()
  try {
    place.ao('start')
    await place.openPull()
    for (const runtime of RUNTIMES) for (let n = 1; n <= EACH; n++) place.start(runtime)
    await place.until('every turn', () => place.beating().length === RUNTIMES.length * EACH)
    place.ao('pr', 'review', '1', '-p', 'land', '--approve')
    const times = { status: [], stopped: [], resumed: [] }
    for (let round = 0; round < ROUNDS; round++) {
      times.status.push(timed(() => place.ao('status', '--json')))
      await measureRound(place, times, round === 0)
    }
    const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
    const raw = median(times.status)
    report('ao status', raw, raw)
    report('ao pause until the last turn has stopped', median(times.stopped), raw)
    report('ao resume until the last turn goes on', median(times.resumed), raw)
    console.log(`  ${median(times.stopped) <= AIM_MS ? 'within' : 'MISSED:'} ${AIM_MS} ms`)
  } finally {
    place.remove()
  }
}

async function measureRound(place, times, isFirst) {
  let began = Date.now()
  const paused = JSON.parse(place.ao('pause', '--json'))
  const returned = Date.now()
  if (paused.notStopped.length > 0) throw new Error(JSON.stringify(paused.notStopped))
  place.ao('send', `${RUNTIMES[1]}-1`, 'one more thing')
  await sleep(QUIET_MS)
  const [last, before] = [place.lastBeat(), place.base()]
  times.stopped.push(Math.max(0, last - began))
  if (isFirst) console.log(`  ao pause itself: ${returned - began} ms`)
  // Nothing moves meanwhile: no turn, no message, no pull request.
  await sleep(isFirst ? HELD_MS : QUIET_MS)
  const moved = [
    ...(place.lastBeat() > last ? ['a turn'] : []),
    ...(place.sent(`${RUNTIMES[1]}-1`) ? ['a message'] : []),
    ...(place.base() === before ? [] : ['the train']),
  ]
  if (moved.length > 0) throw new Error(`While it was paused, ${moved.join(' and ')} went on`)
  began = Date.now()
  const { continued } = JSON.parse(place.ao('resume', '--json'))
  if (continued.length < RUNTIMES.length * EACH) throw new Error(`Only ${continued.join(', ')} went on`)
  await place.until('every turn again', () => place.beatingSince(began).length >= STOPPED * EACH)
  times.resumed.push(Date.now() - began)
  if (isFirst && before === place.first) await place.until('the train', () => place.base() !== before)
}

function timed(work) {
  const began = performance.now()
  work()
  return performance.now() - began
}

function createPlace() {
  const forge = 'tracker: local, scm: { plugin: local, ci: { commands: [ { name: test, run: sleep 5 } ] } }'
  const place = createAoPlace({
    ...Object.fromEntries(
      RUNTIMES.map((runtime) => [
        runtime,
        `sessionPrefix: ${runtime}, runtime: ${runtime}, agent: demo, ${FREE}, tracker: local, scm: local`,
      ]),
    ),
    land: `sessionPrefix: land, runtime: process, agent: demo, ${FREE}, ${forge}, landing: { mode: train }`,
  })
  const root = join(place.home, '.agent-orchestrator')
  // Each turn is one command that beats until it is killed, so a stopped turn is one that no longer beats.
  const beat = `while :; do echo >> $HOME/beats-$$; sleep ${BEAT_MS / 1000}; done`
  const beats = () => globSync('beats-*', { cwd: place.home }).map((file) => statSync(join(place.home, file)).mtimeMs)
  return {
    ...place,
    start: (runtime) => place.ao('spawn', '-p', runtime, '--prompt', `demo: run sh -c "${beat}"`),
    beating: () => beats().filter((at) => Date.now() - at < QUIET_MS),
    beatingSince: (began) => beats().filter((at) => at > began),
    lastBeat: () => Math.max(...beats()),
    base: () => execFileSync('git', ['rev-parse', 'main'], { cwd: place.cwd, env: place.env }).toString(),
    sent: (id) =>
      globSync(`*/history/${id}.jsonl`, { cwd: root }).some((file) =>
        readFileSync(join(root, file), 'utf8').includes('"message.handed_over"'),
      ),
    first: execFileSync('git', ['rev-parse', 'main'], { cwd: place.cwd, env: place.env }).toString(),
    async openPull() {
      place.ao(
        'spawn',
        '-p',
        'land',
        '--prompt',
        'demo: write landed.txt x\ndemo: commit\ndemo: pr Land it\ndemo: finish',
      )
      await this.until('its checks', () => place.ao('pr', 'ls', '-p', 'land', '--json').includes('"passing"'))
    },
    async until(what, condition) {
      const deadline = Date.now() + 120_000
      while (!condition()) {
        if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}`)
        await sleep(5)
      }
    },
  }
}
