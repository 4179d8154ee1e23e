// npm run torture -- interrupt: spawn, send, kill, restore, cleanup and move, several at once, each ended at one of its failpoints or
// at any moment. Other commands settle what was left; then every session has its work, nothing is left that belongs to none, and a
// message has arrived whole and once, or not at all and is not called delivered.
import { spawn } from 'node:child_process'
import type { SessionEvent } from '../src/contract/events.ts'
import { runHere } from '../test/support/ao-here.ts'
import { gitWithHome, interrupt, WAYS } from '../test/support/interrupt-command.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { campaign, learntBefore, type Try, triedBefore, triesOr } from './campaign.ts'
import { failpointsIn, MOST_MISSED, nextLongest, ON_THE_WAY } from './failpoints.ts'
import { bringBack, type Command, chooseDeeds, type Deed, SESSIONS } from './interrupt-deeds.ts'
import {
  changeWork,
  createWorld,
  heardBy,
  type Kind,
  leaksOf,
  lossOf,
  observe,
  settle,
  type WorkSession,
  type World,
} from './interrupted-world.ts'

const KINDS: Record<string, Kind & { tries: number }> = {
  tmux: { runtime: 'tmux', workspace: 'worktree', files: 50, tries: 120 },
  process: { runtime: 'process', workspace: 'worktree', files: 50, tries: 120 },
  acp: { runtime: 'acp', workspace: 'worktree', files: 50, tries: 120 },
  'large worktrees': { runtime: 'tmux', workspace: 'worktree', files: 2_500, tries: 60 },
  'large clones': { runtime: 'tmux', workspace: 'clone', files: 2_500, tries: 60 },
}
const AT_ONCE = 5

/** Names of the points at which each of them may be killed, by their beginnings. */
const POINTS: Record<Command, string[]> = {
  spawn: ['spawn.', 'store.reserve', 'store.history', 'worktree.create', 'clone.create'],
  send: ['send.', 'store.history'],
  kill: ['kill.', 'store.', 'rescue.save', 'workspace.remove', 'worktree.destroy', 'clone.destroy', 'vault.'],
  cleanup: ['cleanup.', 'store.', 'rescue.save', 'workspace.remove', 'worktree.destroy', 'clone.destroy', 'vault.'],
  restore: ['restore.', 'store.', 'rescue.', 'worktree.create', 'clone.create', 'vault.'],
  move: ['kill.announced', 'kill.runtime', 'restore.', 'store.history'],
}
const OTHER = { worktree: 'clone', clone: 'worktree' }

const NAMES = failpointsIn(['manager', 'store', 'git', 'plugins'])

interface Learnt {
  /** By what is done, from how many milliseconds on it has mostly ended by itself. */
  lasts: Record<string, number>
  /** `<what is done> <point>`: how often it was not on its way. */
  missed: Record<string, number>
}

const FIRST_MS = 500
/** How often a point is tried that did not seem to be on the way: it may depend on what was done before. */
const STILL = 0.03

for (const [name, { tries, ...kind }] of Object.entries(KINDS)) {
  campaign(`interrupted commands, ${name}`, async (one) => {
    const world = await createWorld(kind, one)
    const { learnt, keep } = learntBefore<Learnt>(one.name, { lasts: {}, missed: {} })
    const spawned = Array.from({ length: SESSIONS }, () => world.manager.spawn({ projectId: 'app', prompt: 'work' }))
    await Promise.all(spawned)
    await observe(world)
    for (const session of world.sessions) changeWork(world, session)
    const tried = new Map(Object.entries(triedBefore()) as Array<[Command, number]>)
    const before = sumOf(tried)
    for (let round = 0; sumOf(tried) - before < triesOr(tries) && round < tries * 10; round++) {
      await playRound(world, { learnt, tried }, round)
      keep()
    }
    await runHere(['doctor', '--fix'], world.ao)
    const { checks } = JSON.parse((await runHere(['doctor', '--json'], world.ao)).stdout) as {
      checks: Array<Record<string, string>>
    }
    for (const { level, name: what, detail } of checks)
      if (level === 'warn' && what === 'left behind') one.broken(`at the end: ${detail}`)
    await observe(world)
    for (const session of world.sessions) await bringBack(world, session)
  })
}

const sumOf = (counts: ReadonlyMap<unknown, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0)

interface Progress {
  learnt: Learnt
  /** On this code. */
  tried: Map<Command, number>
}

async function playRound(world: World, progress: Progress, round: number): Promise<void> {
  const { ao, one } = world
  const waiting = await chooseDeeds(world, progress.tried, round)
  const attempts: Array<{ deed: Deed; attempt: Try | null }> = []
  const work = async (): Promise<void> => {
    for (let deed = waiting.shift(); deed !== undefined; deed = waiting.shift())
      attempts.push({ deed, attempt: await interrupted(world, progress, deed) })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  await waitFor('git to end', () => gitWithHome(ao.home).length === 0).catch(() => one.broken('git runs on'))
  const command = one.random.pick([['doctor', '--fix'], ['session', 'cleanup'], null, null, null, null, null, null])
  if (command === null) await settle(world)
  else await runHere(command, ao)
  await observe(world)
  const all = attempts.map(({ attempt }) => attempt).filter((attempt) => attempt !== null)
  const blame = one.random.pick(all.length > 0 ? all : [null])
  for (const leak of await leaksOf(world)) (blame ?? one).broken(`round ${round}: ${leak}`)
  for (const session of world.sessions) checkWork(world, session)
  await Promise.all(attempts.map((one) => checkMessage(world, one.deed, one.attempt)))
  // Nothing is lost with those that never had work.
  world.sessions = world.sessions.filter(({ state, work }) => state !== 'archived' || work !== null)
  one.judged()
}

/** null: it ended before anything could end it. */
async function interrupted(world: World, { learnt, tried }: Progress, deed: Deed): Promise<Try | null> {
  const { command, doing, args, session } = deed
  const { ao, one } = world
  const { random } = one
  const beginnings = POINTS[command]
  const points = NAMES.filter((name) => beginnings.some((start) => name.startsWith(start))).filter(
    (name) =>
      ((learnt.missed[`${doing} ${name}`] ?? 0) < MOST_MISSED || random.chance(STILL)) &&
      !name.startsWith(`${OTHER[world.workspace]}.`),
  )
  const point = random.chance(0.6) && points.length > 0 ? random.pick(points) : null
  const way = random.pick(WAYS)
  const lasts = learnt.lasts[doing] ?? FIRST_MS
  const afterMs = random.below(Math.ceil(lasts))
  const child = spawn(process.execPath, [ao.program, ...args], {
    ...{ cwd: ao.repo, stdio: 'ignore', detached: true },
    env: point === null ? ao.env : { ...ao.env, AO_FAILPOINT: point },
  })
  let isEnded = false
  const timer = setTimeout(
    () => {
      isEnded = child.exitCode === null && child.signalCode === null
      if (isEnded) interrupt(child.pid!, way)
    },
    point === null ? afterMs : 60_000,
  )
  await new Promise((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  if (point !== null && isEnded) one.broken(`${command}: it takes more than a minute`)
  const isWhole = !isEnded && child.signalCode !== 'SIGKILL'
  const key = `${doing} ${point}`
  if (point !== null) learnt.missed[key] = isWhole ? (learnt.missed[key] ?? 0) + 1 : ON_THE_WAY
  else learnt.lasts[doing] = nextLongest(lasts, isWhole)
  if (isWhole) {
    one.noted(`${command}: nothing ended it`)
    return null
  }
  one.noted(point ?? way)
  tried.set(command, (tried.get(command) ?? 0) + 1)
  const attempt = one.tried(command)
  if (session) session.last = attempt
  return attempt
}

function checkWork(world: World, session: WorkSession): void {
  const { one } = world
  if (session.state === 'archived') return
  const loss = lossOf(world, session)
  if (loss) (session.last ?? one).broken(`${session.id}: ${loss}`)
  const isNew = session.work === null && world.sessions.filter(({ work }) => work !== null).length >= SESSIONS
  if (loss || (session.state === 'live' && !isNew && one.random.chance(0.25))) changeWork(world, session)
}

/** Another message arrives alone in its line, and the first one whole and once, or not at all. */
async function checkMessage(world: World, { command, text, session }: Deed, attempt: Try | null): Promise<void> {
  if (command !== 'send' || session?.state !== 'live' || text === undefined) return
  const { ao, one } = world
  const { id } = session
  const broken = (what: string) => (attempt ?? one).broken(`${id}: ${what}`)
  const next = `next ${one.random.below(1e9)}`
  await world.manager
    .deliver(id, next, { timeoutMs: 0 })
    .catch((error: Error) => broken(`the next message was refused: ${error.message}`))
  const isThere = () => heardBy(world, id).some((line) => line.includes(next))
  await waitFor('the next message', isThere, 20_000).catch(() => broken('the next message never arrived'))
  const lines = heardBy(world, id)
  const count = lines.filter((line) => line === text).length
  if (count > 1) broken(`the agent got it ${count} times`)
  if (attempt === null && count !== 1) broken(`sent, and the agent got it ${count} times`)
  if (lines.filter((line) => line === next).length !== 1) broken('the next message is not alone in its line')
  if (count === 0 && lines.some((line) => line.includes(text.slice(0, -3)))) broken('half of it arrived')
  if (count === 0 && isCalledDelivered(ao.history(id), text)) broken('the history says that it was delivered')
}

function isCalledDelivered(events: readonly SessionEvent[], text: string): boolean {
  const queued = events.find((event) => event.type === 'message.queued' && JSON.stringify(event).includes(text))
  if (queued === undefined || !('messageId' in queued)) return false
  const of = (type: string) =>
    events.some((event) => event.type === type && 'messageId' in event && event.messageId === queued.messageId)
  return of('message.handed_over') || of('message.seen')
}
