// The rehearsal's world behind the plugin slots.
import type { Session } from '../contract/session.ts'
import type { LandingFailure } from '../core/reactions/pull-news.ts'
import type { OwnTrain } from '../landing/own-train.ts'
import { conflictOf } from '../landing/train/train-file.ts'
import type { Agent } from '../slots/agent.ts'
import type { PluginRegistry } from '../slots/registry.ts'
import type { Runtime } from '../slots/runtime.ts'
import type { PrReading, Scm } from '../slots/scm.ts'
import { activityOf, hear } from './agent-life.ts'
import type { Disk, Process } from './memory-disk.ts'
import { merge, type SimAgent, type World } from './world.ts'

/** Assumed, and said in the report: what a minute of work costs, in US dollars and tokens. */
export const COST_PER_MINUTE = 0.1
const TOKENS_PER_MINUTE = { inputTokens: 3_000, outputTokens: 600, cacheReadTokens: 0, cacheWriteTokens: 0 }

export interface PluginWorld {
  world: World
  disk: Disk
  process: Process
}

export function createPlugins(parts: PluginWorld): PluginRegistry {
  const plugins = { runtime: createRuntime(parts), agent: createAgent(parts), scm: createScm(parts) }
  const find = (slot: string) => plugins[slot as keyof typeof plugins] ?? null
  const registry = {
    load: async (slot: string) => find(slot),
    find: async (slot: string) => find(slot),
    get: find,
  }
  // The rest of a registry is about configuration, which a rehearsal has read already.
  return registry as unknown as PluginRegistry
}

function agentOf({ sessions }: World, id: string): SimAgent {
  const found = sessions.get(id)
  if (!found) throw new Error(`${id} has no agent`)
  return found
}

function createRuntime({ world, disk, process }: PluginWorld): Partial<Runtime> {
  // `{hash}-{sessionId}`.
  const sessionOf = (handleId: string) => handleId.slice(handleId.indexOf('-') + 1)
  return {
    name: 'rehearsal',
    async probe(handles) {
      process.live()
      return new Map(handles.map(({ id }) => [id, agentOf(world, sessionOf(id)).runtime]))
    },
    getOutput: async () => '',
    async sendMessage(handle, text, how) {
      const id = sessionOf(handle.id)
      await how?.check?.('', 'text')
      await how?.check?.('', 'enter')
      const agent = agentOf(world, id)
      const queued = disk.histories.get(id)?.findLast((event) => event.type === 'message.queued' && event.text === text)
      const source = queued?.type === 'message.queued' ? queued.source : ''
      process.write(() => {
        if (agent.runtime.state === 'dead') throw new Error('the agent is not running')
        hear(world, agent, source, text)
      })
    },
  }
}

function createAgent({ world, process }: PluginWorld): Partial<Agent> {
  return {
    name: 'rehearsal',
    activitySource: 'native',
    async getActivityState({ id }: Session) {
      process.live()
      const { state, at } = activityOf(world, agentOf(world, id))
      return { state, timestamp: new Date(at), asksInWords: true }
    },
    async getSessionInfo({ id }: Session) {
      const { minutesWorked, habit } = agentOf(world, id)
      const tokens = Object.entries(TOKENS_PER_MINUTE).map(([name, count]) => [name, count * minutesWorked])
      const cost = {
        ...(Object.fromEntries(tokens) as typeof TOKENS_PER_MINUTE),
        estimatedCostUsd: minutesWorked * COST_PER_MINUTE,
      }
      return { summary: `works as ${habit}`, agentSessionId: null, cost }
    },
    detectActivity: () => null,
    hasSeen: async ({ id }: Session, text: string, since: Date) =>
      agentOf(world, id).received.some((one) => one.text === text && one.at >= since.getTime()),
  }
}

function inLetters(number: number): string {
  return [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
}

function createScm({ world, process }: PluginWorld): Partial<Scm> & { train?(): RehearsedTrain } {
  const isDown = () => world.now < world.forgeDownUntil
  return {
    name: 'rehearsal',
    async readPullRequests(queries) {
      process.live()
      // Half of the outages refuse everything, the others answer 429 to some.
      if (isDown() && world.forgeDownUntil % 2 === 0) throw new Error('502 Bad Gateway')
      return new Map(
        queries.map(({ sessionId }): [string, PrReading] => {
          const { pr } = agentOf(world, sessionId)
          if (isDown()) return [sessionId, { kind: 'unknown', why: '429 Too Many Requests' }]
          return [sessionId, pr ? { kind: 'read', snapshot: structuredClone(pr) } : { kind: 'none' }]
        }),
      )
    },
    // Numbers are not compared: another word makes it a failure of its own.
    getCheckLog: async (pr, check) => `${check.name} failed in ${inLetters(pr.number ?? 0)}`,
    async mergePR({ url }, { sha }) {
      if (isDown()) throw new Error('502 Bad Gateway')
      process.write(() => {
        const agent = [...world.sessions.values()].find(({ pr }) => pr?.pr.url === url)
        if (agent?.pr?.state !== 'open' || agent.pr.headSha !== sha) throw new Error('409 the head has moved')
        merge(world, agent)
      })
      return { commit: null }
    },
    ...(world.hasTrain && {
      train: () => ({ departure: ({ pull, headSha }) => departureOf(world, pull, headSha) }),
    }),
  }
}

/** The rehearsal rides its train itself; the tick asks only who left it. */
type RehearsedTrain = Pick<OwnTrain, 'departure'>

/** The train knows heads by the world's own names. */
function departureOf({ code, sessions }: World, pull: number, headSha: string): LandingFailure | null {
  const agent = [...sessions.values()].find((one) => one.pull.number === pull)
  const left = code.disk.state.left.findLast((one) => one.pull === pull)
  if (!left || agent?.pr?.headSha !== headSha || agent.pull.landed || left.headSha !== `h${pull}.${agent.pull.version}`)
    return null
  const conflict = conflictOf(left)
  if (conflict) return conflict
  if (left.why !== 'red') return null
  return {
    why: 'red',
    check: left.check ?? 'test',
    commit: left.commit ?? '',
    ahead: left.ahead ?? [],
    logTail: '',
  }
}
