// The world behind the plugin slots. Every question may go unanswered and every act may fail, until all is quiet.
import type { ReactionKey, ReactionMemory } from '../../src/contract/reactions.ts'
import type { RuntimeHandle, Session } from '../../src/contract/session.ts'
import type { Disk, Process } from '../../src/rehearsal/memory-disk.ts'
import type { Agent } from '../../src/slots/agent.ts'
import type { PluginRegistry } from '../../src/slots/registry.ts'
import type { Liveness, Runtime } from '../../src/slots/runtime.ts'
import type { PrReading, Scm } from '../../src/slots/scm.ts'
import type { Seen } from './simulation-oracle.ts'
import { type Inhabitant, reasonFor, rebase, showActivity, showPr, type World } from './simulation-world.ts'

export interface Interruption {
  interfered: boolean
  mayHold: boolean
  /** Messages that hang, and how each continues. */
  held: Array<() => void>
  onHold(): void
}

export interface PluginsRequest {
  world: World
  disk: Disk
  process: Process
  seen: Seen
  interruption: Interruption
  /** What is queried while a decision is carried out is not a basis of that decision. */
  isActing(id: string): boolean
}

export function createPlugins(request: PluginsRequest): {
  registry: PluginRegistry
  restart(sessionId: string): Promise<void>
} {
  const plugins = { runtime: createRuntime(request), agent: createAgent(request), scm: createScm(request) }
  const find = (slot: string) => plugins[slot as keyof typeof plugins] ?? null
  return {
    registry: {
      load: async (slot: string) => find(slot),
      find: async (slot: string) => find(slot),
      get: find,
    } as unknown as PluginRegistry,
    restart: (sessionId) => restart(request, sessionId),
  }
}

function person({ inhabitants }: World, id: string): Inhabitant {
  const one = inhabitants.get(id)
  if (!one) throw new Error(`nobody is called ${id}`)
  return one
}

function fails({ isQuiet, random }: World, p: number): boolean {
  return !isQuiet && random.chance(p)
}

/** How often the work had moved when this was decided: by a loop that has died since, it may have been at an earlier view. */
function movesWhenDecided({ disk }: PluginsRequest, one: Inhabitant, key: ReactionKey): number {
  const { progress } = (JSON.parse(disk.memories.get(one.id) ?? '{}') as ReactionMemory)[key] ?? {}
  return progress?.pr === undefined ? one.moved.length : one.views.lastIndexOf(progress.pr) + 1
}

function createRuntime(request: PluginsRequest): Partial<Runtime> {
  const { world, disk, process, seen, interruption, isActing } = request
  return {
    name: 'sim',
    async probe(handles) {
      process.live()
      return new Map(
        handles.map((handle) => {
          const id = sessionOf(handle)
          const answer = fails(world, 0.05) ? ({ state: 'unknown', why: 'busy' } as const) : person(world, id).runtime
          if (!isActing(id)) noteRuntime(seen, id, answer.state)
          return [handle.id, answer]
        }),
      )
    },
    getOutput: async () => '',
    async sendMessage(handle, text, how) {
      const id = sessionOf(handle)
      await how?.check?.('', 'text')
      await how?.check?.('', 'enter')
      const one = person(world, id)
      if (fails(world, 0.2)) throw new Error('the screen is locked')
      const queued = disk.histories.get(id)?.findLast((event) => event.type === 'message.queued' && event.text === text)
      if (queued?.type !== 'message.queued') throw new Error('sent without a note')
      const key = queued.source as ReactionKey
      const reason = reasonFor(one, key)
      const moves = movesWhenDecided(request, one, key)
      if (interruption.mayHold && fails(world, 0.5)) {
        interruption.onHold()
        await new Promise<void>((resolve) => interruption.held.push(resolve))
      }
      process.write(() => {
        if (one.runtime.state === 'dead') throw new Error('it is dead')
        one.received.push({ key, text, at: world.now, reason, epoch: one.epochs[key]?.number ?? 0, moves })
        if (key === 'merge-conflicts' && !world.isQuiet && world.random.chance(0.5)) rebase(world, one)
        // Most agents answer, whether they have anything to say or not.
        if (!world.isQuiet && world.random.chance(0.7)) one.activity = { state: 'active', at: world.now }
      })
    },
  }
}

/** `{hash}-{sessionId}`. */
function sessionOf({ id }: RuntimeHandle): string {
  return id.slice(id.indexOf('-') + 1)
}

/** Probed more than once in a tick: it is proven dead only if every answer says so. */
function noteRuntime(seen: Seen, id: string, state: Liveness['state']): void {
  const before = seen.get(id)
  if (before?.runtime === undefined || before.runtime === 'dead') seen.set(id, { ...before, runtime: state })
}

function createAgent({ world, process, seen, isActing }: PluginsRequest): Partial<Agent> {
  const { shownAfterMs } = world
  return {
    name: 'sim',
    activitySource: 'native',
    async getActivityState(session: Session) {
      process.live()
      const one = person(world, session.id)
      const activity = isActing(session.id) ? one.activity : showActivity(world, one)
      if (!isActing(session.id)) seen.set(session.id, { ...seen.get(session.id), activity })
      // Its questions are in words: what is held for a dialog is another test's.
      return activity && { state: activity.state, timestamp: new Date(activity.at), asksInWords: true }
    },
    getSessionInfo: async () => null,
    detectActivity: () => null,
    ...(shownAfterMs === null
      ? {}
      : {
          hasSeen: async (session: Session, text: string, since: Date) =>
            person(world, session.id).received.some(
              (one) => one.text === text && one.at >= since.getTime() && world.now - one.at >= shownAfterMs,
            ),
        }),
  }
}

function createScm({ world, process, seen, isActing }: PluginsRequest): Partial<Scm> {
  return {
    name: 'sim',
    async readPullRequests(queries) {
      process.live()
      if (fails(world, 0.1)) throw new Error('503')
      return new Map(
        queries.map(({ sessionId }): [string, PrReading] => {
          if (fails(world, 0.05)) return [sessionId, { kind: 'unknown', why: '429' }]
          const snapshot = showPr(world, person(world, sessionId))
          // One that is being acted on is decided about in the next tick.
          if (!isActing(sessionId)) seen.set(sessionId, { ...seen.get(sessionId), pr: snapshot })
          return [sessionId, snapshot ? { kind: 'read', snapshot } : { kind: 'none' }]
        }),
      )
    },
    async getCheckLog(pr, check) {
      const one = [...world.inhabitants.values()].find((each) => each.pr?.pr.url === pr.url)
      // Now and then everybody fails in the same way.
      const isShared = /[02468]a/.test(one?.pr?.headSha ?? '')
      return `${check.name} breaks${isShared ? '' : ` in ${'x'.repeat(pr.number ?? 0)}`}`
    },
    async mergePR(pr, { sha }) {
      if (fails(world, 0.2)) throw new Error('500')
      process.write(() => {
        const one = [...world.inhabitants.values()].find((each) => each.pr?.pr.url === pr.url)
        if (one?.pr?.state !== 'open' || one.pr.headSha !== sha) throw new Error('409')
        const { review, ci, mergeable } = one.pr
        if (review !== 'approved' || ci === 'failing' || ci === 'pending' || mergeable !== true)
          world.wrongs.push(`merged ${sha} though it is ${review}, ${ci}, ${mergeable}`)
        one.pr.state = 'merged'
        one.merges.push(sha)
      })
      return { commit: null }
    },
  }
}

/** As kill and restore do it: another launch of a living agent. */
async function restart({ world, disk, process }: PluginsRequest, id: string): Promise<void> {
  if (fails(world, 0.2)) throw new Error('it does not start')
  process.write(() => {
    const one = person(world, id)
    if (one.restarts.includes(one.launch)) world.wrongs.push(`launch ${one.launch} was restarted twice`)
    one.restarts.push(one.launch)
    one.restartMoves.push(one.moved.length)
    one.launch += 1
    one.runtime = { state: 'alive' }
    one.activity = { state: 'active', at: world.now }
    const pairs = disk.records.get(id)
    disk.records.set(id, { ...pairs, status: 'working', launch: String(one.launch) })
  })
}
