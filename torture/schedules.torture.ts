// npm run torture -- schedules: the loop is killed while it starts what is due or was triggered. Each due time and each event has one
// session, whatever was killed in between, and none is lost.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AoWorld } from '../test/support/run-ao.ts'
import { type Campaign, campaign, triesOr } from './campaign.ts'
import { failpointsIn } from './failpoints.ts'
import { act, answerOf, ask, createKiller, createLoopWorld, dataDirectory, type Killer } from './loop-world.ts'

const EACH = 3
const WORK = "prompt: 'demo: finish done', maxPerDay: 1000"
/** Those of an earlier round are gone: what they started may have ended since, and they would start again. */
const config = (round: number) => `port: 0
lifecycle: { pollSeconds: 1 }
defaults: { notifiers: [], runtime: process }
projects:
  app:
    path: .
    agent: demo
    tracker: local
    schedules: { ${namesOf(round)
      .map((name) => `${name}: { when: '* * * * *', ${WORK} }`)
      .join(', ')} }
    triggers: { fix: { label: fix-${round}, ${WORK} } }
`
const namesOf = (round: number) => Array.from({ length: EACH }, (_, index) => `s${round}-${index + 1}`)

const POINTS = failpointsIn([
  'manager/launch/scheduled.ts',
  'manager/launch/triggered.ts',
  'manager/launch/spawn.ts',
  'manager/launch/execute-launch.ts',
]).filter((point) => !/^(?:restore|orchestrator|spawn\.(?:waits|start-announced))/.test(point))

campaign('killed schedules', async (one) => {
  const world = await createLoopWorld(config(1), one)
  const killer = createKiller(world, one, POINTS)
  for (let round = 1; killer.kills < triesOr(60); round++) await liveRound(world, round, one, killer)
})

interface Row {
  name: string
  last: { due: string; state: string; session?: string; why?: string } | null
}

async function liveRound(world: AoWorld, round: number, one: Campaign, killer: Killer): Promise<void> {
  writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), config(round))
  await act(world, ['config', 'trust', '--yes'])
  const names = namesOf(round)
  const { issue } = await ask<{ issue: { id: string } }>(world, ['issue', 'new', 'thing', '--label', `fix-${round}`])
  dueSince(dataDirectory(world), names)
  if (one.random.chance(0.4)) await runByHand(world, names[0]!, one, killer)
  const rows = async () => (await ask<{ schedules: Row[] }>(world, ['schedule', 'ls'])).schedules
  // One that is due again while its session is there is skipped: that it was started is in the history of its runs.
  const isStarted = (name: string) =>
    runsOf(world, name).some(({ state }) => state === 'started') && !runsOf(world, name).some(isOpen)
  await killer.until(`round ${round}: all have started`, async () => [...names, 'trigger fix'].every(isStarted))
  for (const { name, last } of await rows())
    if (last?.state === 'failed') one.broken(`${name} could not start: ${last.why}`)

  const records = recordsOf(world)
  const keys = records.map(({ schedule }) => schedule)
  for (const key of new Set(keys)) {
    const count = keys.filter((other) => other === key).length
    if (count !== 1) one.broken(`${key} has ${count} sessions`)
  }
  for (const name of [...names, 'trigger fix']) {
    for (const { due, of, state, session } of runsOf(world, name)) {
      const started = records.filter(({ schedule }) => schedule === `${name}@${of ?? due}`).map(({ id }) => id)
      const wanted = state === 'started' ? session : ''
      if (started.join() !== wanted)
        one.broken(`${name} at ${due} is ${state} ${session ?? ''}, and has ${started.join()}`)
    }
  }
  if (!keys.includes(`trigger fix@issue ${issue.id}`)) one.broken(`the label of ${issue.id} started nothing`)
  for (const { id } of records) {
    const ended = await answerOf(world, ['session', 'kill', id, '--purge'])
    if (ended.exitCode !== 0) one.broken(`${id} cannot be ended: ${ended.stderr}`)
  }
  one.noted('rounds')
  one.judged()
}

/** At a person's word: killed at once, and completed by the loop. */
async function runByHand(world: AoWorld, name: string, one: Campaign, killer: Killer): Promise<void> {
  const point = one.random.pick(POINTS)
  const { signal } = await world.ao(['schedule', 'run', name], { env: { AO_FAILPOINT: point } })
  if (signal !== 'SIGKILL') return
  killer.kills += 1
  one.tried('kills')
  one.noted(`by hand: ${point}`)
}

interface Run {
  due: string
  of?: string
  state: string
  session?: string
}

const isOpen = ({ state }: Run) => state === 'starting' || state === 'waiting'

/** As if they had been seen for the first time an hour ago. */
function dueSince(directory: string, names: readonly string[]): void {
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const states = Object.fromEntries(names.map((name) => [name, { since, runs: [] }]))
  writeFileSync(join(directory, 'schedules.json'), JSON.stringify(states))
}

function runsOf(world: AoWorld, name: string): Run[] {
  const states = JSON.parse(readFileSync(join(dataDirectory(world), 'schedules.json'), 'utf8')) as Record<
    string,
    { runs: Run[] } | undefined
  >
  return states[name]?.runs ?? []
}

/** Those that a schedule or a trigger started. */
function recordsOf(world: AoWorld): Array<{ id: string; schedule: string }> {
  const directory = join(dataDirectory(world), 'sessions')
  return readdirSync(directory).flatMap((id) => {
    if (!/^app-\d+$/.test(id)) return []
    const schedule = /^schedule=(.*)$/m.exec(readFileSync(join(directory, id), 'utf8'))?.[1]
    return schedule === undefined ? [] : [{ id, schedule }]
  })
}
