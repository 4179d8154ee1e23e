// What is done to the sessions of an interrupted world next: mostly what was tried least, with sessions brought to where that has
// something to do.
import { lossOf, type WorkSession, type World } from './interrupted-world.ts'

export const COMMANDS = ['spawn', 'send', 'kill', 'cleanup', 'restore', 'move'] as const
export type Command = (typeof COMMANDS)[number]
const NEEDS_LIVE: ReadonlySet<Command> = new Set(['send', 'kill', 'move'])

/** With work; those that spawns make beside them come and go. */
export const SESSIONS = 9
const DEEDS = 11
const MOST_BESIDE = 4
const MOST_CLEANUPS = 2

export interface Deed {
  command: Command
  /** The same steps each time: a purge has others than what keeps the work. */
  doing: string
  args: string[]
  session: WorkSession | null
  text?: string
}

export async function chooseDeeds(world: World, tried: ReadonlyMap<Command, number>, round: number): Promise<Deed[]> {
  const { random } = world.one
  await endSurplus(world)
  const ready = shuffled(world.sessions, random)
  const sessionsOf = new Map<number, WorkSession>()
  const commands = takeCommands(random, tried)
  for (const fits of [isReady, () => true])
    for (const [at, command] of commands.entries()) {
      if (command === 'spawn' || sessionsOf.has(at)) continue
      const found = ready.findIndex((session) => fits(command, session))
      if (found !== -1) sessionsOf.set(at, ready.splice(found, 1)[0]!)
    }
  await Promise.all([...sessionsOf].map(([at, session]) => prepare(world, session, commands[at]!)))
  const deeds = commands.flatMap((command, at) => {
    const session = sessionsOf.get(at) ?? null
    return session === null && command !== 'spawn' ? [] : [deedOf(world, { command, session, round })]
  })
  return shuffled(deeds, random)
}

function takeCommands(random: World['one']['random'], tried: ReadonlyMap<Command, number>): Command[] {
  const chosen = new Map(tried)
  let cleanups = 0
  return Array.from({ length: DEEDS }, () => {
    // Several at once are a race too, but most would find nothing left to do.
    const open = COMMANDS.filter((command) => command !== 'cleanup' || cleanups < MOST_CLEANUPS)
    const [least] = open.toSorted((a, b) => (chosen.get(a) ?? 0) - (chosen.get(b) ?? 0))
    const command = random.chance(0.7) ? least! : random.pick(open)
    chosen.set(command, (chosen.get(command) ?? 0) + 1)
    if (command === 'cleanup') cleanups++
    return command
  })
}

function isReady(command: Command, { state }: WorkSession): boolean {
  if (command === 'restore') return state !== 'live'
  return state === (NEEDS_LIVE.has(command) ? 'live' : 'ended')
}

/** Of those that spawns have left. */
async function endSurplus({ sessions, manager, one }: World): Promise<void> {
  const beside = sessions.filter(({ work }) => work === null).slice(MOST_BESIDE)
  await Promise.all(
    beside.map(({ id, last }) =>
      manager.kill(id).catch((error: Error) => (last ?? one).broken(`${id}: ${error.message}`)),
    ),
  )
  for (const session of beside) sessions.splice(sessions.indexOf(session), 1)
}

/** By another ao, which nobody interrupts: it succeeds, and loses nothing. */
async function prepare(world: World, session: WorkSession, command: Command): Promise<void> {
  if (isReady(command, session)) return
  if (session.state !== 'live') {
    await bringBack(world, session)
    session.state = 'live'
  }
  if (NEEDS_LIVE.has(command)) return
  await world.manager
    .kill(session.id, { keepWorkspace: true })
    .catch((error: Error) => (session.last ?? world.one).broken(`${session.id} cannot be ended: ${error.message}`))
  session.state = 'ended'
}

function deedOf(
  world: World,
  { command, session, round }: { command: Command; session: WorkSession | null; round: number },
): Deed {
  const { random } = world.one
  if (session === null) return { command, doing: command, args: ['spawn', '--prompt', 'work'], session }
  const { id, work, state } = session
  switch (command) {
    case 'kill': {
      const isPurged = work === null || random.chance(0.3)
      const args = ['session', 'kill', id, ...(isPurged ? ['--purge'] : [])]
      return { command, doing: isPurged ? 'purge' : command, args, session }
    }
    case 'move':
      return { command, doing: command, args: ['session', 'move', id, '--here'], session }
    case 'send': {
      const text = `message ${round} ${random.below(1e9)}`
      return { command, doing: command, args: ['send', id, text, '--no-wait'], session, text }
    }
    case 'cleanup':
      return { command, doing: command, args: ['session', 'cleanup'], session }
    default:
      return { command, doing: `restore ${state}`, args: ['session', 'restore', id], session }
  }
}

function shuffled<T>(list: readonly T[], random: World['one']['random']): T[] {
  return list
    .map((item) => ({ item, at: random.below(1e9) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

export async function bringBack(world: World, session: WorkSession): Promise<void> {
  if (session.state === 'live') return
  const loss = await world.manager.restore(session.id).then(
    () => lossOf(world, session),
    (error: Error) => `it is not restorable: ${error.message}`,
  )
  if (loss) (session.last ?? world.one).broken(`${session.id}: ${loss}`)
}
