// npm run torture -- interrupt: spawn, send, kill, restore, cleanup and move, several at once, each ended at one of its failpoints or
// at any moment. Other commands settle what was left; then every session has its work, nothing is left that belongs to none, and a
// message has arrived whole and once, or not at all and is not called delivered.
import { spawn } from 'node:child_process'
import type { SessionEvent } from '../src/contract/events.ts'
import { gitWithHome, interrupt, WAYS } from '../test/support/interrupt-command.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { campaign, type Try, triesOr } from './campaign.ts'
import { failpointsIn } from './failpoints.ts'
import {
  changeWork,
  createWorld,
  heardBy,
  type Kind,
  leaksOf,
  lossOf,
  observe,
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
const SESSIONS = 6
const AT_ONCE = 3

/** Names of the points at which each of them may be killed, by their beginnings. */
const POINTS = {
  spawn: ['spawn.', 'store.reserve', 'store.history', 'worktree.create', 'clone.create'],
  send: ['send.', 'store.history'],
  kill: ['kill.', 'store.', 'rescue.save', 'workspace.remove', 'worktree.destroy', 'clone.destroy', 'vault.'],
  cleanup: ['cleanup.', 'store.', 'rescue.save', 'workspace.remove', 'worktree.destroy', 'clone.destroy', 'vault.'],
  restore: ['restore.', 'store.', 'rescue.', 'worktree.create', 'clone.create', 'vault.'],
  move: ['kill.announced', 'kill.runtime', 'restore.', 'store.history'],
}
type Command = keyof typeof POINTS

const NAMES = failpointsIn(['manager', 'store', 'git', 'plugins'])

interface Deed {
  command: Command
  args: string[]
  session: WorkSession | null
  text?: string
}

interface Learnt {
  /** How long each takes when nothing interrupts it. */
  durations: Record<Command, number>
  /** `<command> <point>`: not on its way. */
  elsewhere: Set<string>
}

for (const [name, { tries, ...kind }] of Object.entries(KINDS)) {
  campaign(`interrupted commands, ${name}`, async (one) => {
    const world = await createWorld(kind, one)
    const learnt: Learnt = {
      durations: { spawn: 500, send: 500, kill: 500, cleanup: 500, restore: 500, move: 700 },
      elsewhere: new Set(),
    }
    for (let n = 0; n < SESSIONS; n++) world.ao.spawn()
    observe(world)
    for (const session of world.sessions) changeWork(world, session)
    const wanted = triesOr(tries)
    let done = 0
    for (let round = 0; done < wanted && round < wanted; round++) done += await playRound(world, learnt, round)
    world.ao.run(['doctor', '--fix'])
    const { checks } = JSON.parse(world.ao.run(['doctor', '--json']).stdout) as {
      checks: Array<Record<string, string>>
    }
    for (const { level, name: what, detail } of checks)
      if (level === 'warn' && what === 'left behind') one.broken(`at the end: ${detail}`)
    observe(world)
    for (const session of world.sessions) bringBack(world, session)
  })
}

/** How many commands were interrupted. */
async function playRound(world: World, learnt: Learnt, round: number): Promise<number> {
  const { ao, one } = world
  const deeds = chooseDeeds(world, round)
  const waiting = [...deeds]
  const attempts: Array<{ deed: Deed; attempt: Try | null }> = []
  const work = async (): Promise<void> => {
    for (let deed = waiting.shift(); deed !== undefined; deed = waiting.shift())
      attempts.push({ deed, attempt: await interrupted(world, learnt, deed) })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  await waitFor('git to end', () => gitWithHome(ao.home).length === 0).catch(() => one.broken('git runs on'))
  ao.run(one.random.chance(0.1) ? ['session', 'cleanup'] : ['doctor', '--fix'])
  observe(world)
  const all = attempts.map(({ attempt }) => attempt).filter((attempt) => attempt !== null)
  const blame = one.random.pick(all.length > 0 ? all : [null])
  for (const leak of await leaksOf(world)) (blame ?? one).broken(`round ${round}: ${leak}`)
  for (const session of world.sessions) checkWork(world, session)
  await Promise.all(attempts.map((one) => checkMessage(world, one.deed, one.attempt)))
  retire(world)
  return all.length
}

function chooseDeeds(world: World, round: number): Deed[] {
  const { random } = world.one
  let cleanups = 0
  const deeds = world.sessions.map((session): Deed => {
    const { id, state } = session
    if (state === 'ended' && cleanups === 0 && random.chance(0.8)) {
      cleanups++
      return { command: 'cleanup', args: ['session', 'cleanup'], session }
    }
    if (state !== 'live') return { command: 'restore', args: ['session', 'restore', id], session }
    const command = random.pick(['send', 'kill', 'move'] as const)
    if (command === 'kill')
      return { command, args: ['session', 'kill', id, ...(random.chance(0.3) ? ['--purge'] : [])], session }
    if (command === 'move') return { command, args: ['session', 'move', id, '--here'], session }
    const text = `message ${round} ${random.below(1e9)}`
    return { command, args: ['send', id, text, '--no-wait'], session, text }
  })
  return [...deeds, { command: 'spawn', args: ['spawn', '--prompt', 'work'], session: null }]
}

/** null: it ended before anything could end it. */
async function interrupted(world: World, learnt: Learnt, { command, args, session }: Deed): Promise<Try | null> {
  const { ao, one } = world
  const { random } = one
  const beginnings = POINTS[command]
  const points = NAMES.filter((name) => beginnings.some((start) => name.startsWith(start))).filter(
    (name) => !learnt.elsewhere.has(`${command} ${name}`),
  )
  const point = random.chance(0.6) && points.length > 0 ? random.pick(points) : null
  const way = random.pick(WAYS)
  const afterMs = random.below(Math.ceil(learnt.durations[command] * 1.1))
  const started = performance.now()
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
  if (point !== null && !isEnded && child.signalCode !== 'SIGKILL') learnt.elsewhere.add(`${command} ${point}`)
  if (!isEnded && child.signalCode !== 'SIGKILL') {
    learnt.durations[command] = (learnt.durations[command] + performance.now() - started) / 2
    return null
  }
  one.noted(point ?? way)
  const attempt = one.tried(command)
  if (session) session.last = attempt
  return attempt
}

function checkWork(world: World, session: WorkSession): void {
  const { one } = world
  if (session.state === 'archived') return
  const loss = lossOf(world, session)
  if (loss) (session.last ?? one).broken(`${session.id}: ${loss}`)
  if (loss || (session.state === 'live' && one.random.chance(0.4))) changeWork(world, session)
}

/** Another message arrives alone in its line, and the first one whole and once, or not at all. */
async function checkMessage(world: World, { command, text, session }: Deed, attempt: Try | null): Promise<void> {
  if (command !== 'send' || session?.state !== 'live' || text === undefined) return
  const { ao, one } = world
  const { id } = session
  const broken = (what: string) => (attempt ?? one).broken(`${id}: ${what}`)
  const next = `next ${one.random.below(1e9)}`
  const { exitCode, stderr } = ao.run(['send', id, next, '--no-wait'])
  if (exitCode !== 0) broken(`the next message was refused: ${stderr}`)
  const isThere = () => heardBy(world, id).some((line) => line.includes(next))
  await waitFor('the next message', isThere, 20_000).catch(() => broken('the next message never arrived'))
  const lines = heardBy(world, id)
  const count = lines.filter((line) => line === text).length
  if (count > 1) broken(`the agent got it ${count} times`)
  if (attempt === null && count !== 1) broken(`sent, and the agent got it ${count} times`)
  if (lines.filter((line) => line === next).length !== 1) broken('the next message is not alone in its line')
  if (count === 0 && lines.some((line) => line.includes(text.slice(0, -3)))) broken('half of it arrived')
  if (count === 0 && isCalledDelivered(ao.ok(['events', id, '--last', '60', '--json']), text))
    broken('the history says that it was delivered')
}

function isCalledDelivered(json: string, text: string): boolean {
  const { events } = JSON.parse(json) as { events: SessionEvent[] }
  const queued = events.find((event) => event.type === 'message.queued' && JSON.stringify(event).includes(text))
  if (queued === undefined || !('messageId' in queued)) return false
  const of = (type: string) =>
    events.some((event) => event.type === type && 'messageId' in event && event.messageId === queued.messageId)
  return of('message.handed_over') || of('message.seen')
}

/** One goes whose work was just compared, when spawns have made too many. */
function retire(world: World): void {
  const ready = world.sessions.find(({ state }) => state === 'live')
  if (world.sessions.length <= SESSIONS || ready === undefined) return
  world.ao.ok(['session', 'kill', ready.id, '--purge'])
  world.sessions = world.sessions.filter((other) => other !== ready)
}

function bringBack(world: World, session: WorkSession): void {
  if (session.state === 'live') return
  const { exitCode, stderr } = world.ao.run(['session', 'restore', session.id])
  const loss = exitCode === 0 ? lossOf(world, session) : `it is not restorable: ${stderr}`
  if (loss) (session.last ?? world.one).broken(`${session.id}: ${loss}`)
}
