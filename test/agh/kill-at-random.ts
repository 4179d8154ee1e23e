// Rounds of: prompt, kill the daemon after a random time, start it again, check everything. The seed determines the times.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { ofType } from '../support/agh-events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'
import { expectTurnsWhole, expectWhole, processesOf } from './check-history.ts'
import { hostIdentity } from './host-of.ts'

export interface RandomKills {
  rounds: number
  seed: number
  /** With the hosts of the agents, turns are cut and repaired; without, they go on. */
  alsoHost?: boolean
  /** How many have a turn at the same time. */
  sessions?: number
  /** Words in a turn. */
  streamed?: number
  /** No further round is played then. */
  isTimeUp?: () => boolean
}

const ANSWERS = 3

export async function killAtRandom(
  { rounds, seed, alsoHost = false, sessions = 1, streamed = 6_000, isTimeUp = () => false }: RandomKills,
  afterwards: (clean: () => Promise<void>) => void,
  survived: () => void = () => undefined,
): Promise<void> {
  const cache = mkdtempSync(join(tmpdir(), 'agh-cache-'))
  // It stays when its input ends and when it is asked to go: only a kill ends it.
  const agh = createAghHome({ agent: 'resume,stay', env: { NODE_COMPILE_CACHE: cache } })
  afterwards(async () => {
    await stopDaemon(agh.context.paths)
    expect(await agh.cleanup()).toEqual([])
    rmSync(cache, { recursive: true, force: true })
  })
  writeFileSync(agh.context.paths.config, '[http]\nport = 0\n[session.timeouts]\ndriver_stop = "200ms"\n')
  const random = createRandom(seed)
  const paths = agh.context.paths
  await startDaemon(paths, agh.context.env)
  // Checked once: later rounds must not take longer and longer.
  const checked = new Map<string, number>()
  for (let n = 0; n < sessions; n++) {
    const body = { workspace_path: agh.workspace }
    const request = { method: 'POST', body }
    checked.set((await callDaemon<{ session: SessionView }>(paths.socket, '/api/sessions', request)).session.id, 0)
  }
  for (let round = 0; round < rounds && !isTimeUp(); round++) {
    const heard = agh.agentLog().length
    const seen = await promptAndKill(agh, { ids: [...checked.keys()], afterMs: random() * 300, alsoHost, streamed })
    await startDaemon(paths, agh.context.env)
    let turns = 0
    for (const [id, after] of checked) {
      if (!alsoHost) await idle(agh, id)
      const stored = await readAll(agh, id, after)
      const itsSeen = seen.get(id)!
      expect(itsSeen.map(({ sequence }) => stored[sequence - 1 - after])).toEqual(itsSeen)
      if (alsoHost) {
        expectWhole(stored, after)
        expect(processesOf(id)).toBe(0)
        await callDaemon(paths.socket, `/api/sessions/${id}/resume`, { method: 'POST' })
      } else turns += expectUncut(stored, after, streamed)
      checked.set(id, after + stored.length)
      survived()
    }
    if (alsoHost) continue
    const lines = agh.agentLog().slice(heard)
    expect(lines.filter((one) => one === 'session/prompt')).toHaveLength(turns)
    expect(lines.filter((one) => one === 'answer')).toHaveLength(turns * ANSWERS)
  }
}

/** Nothing lost, nothing doubled, no turn cut. How many there were. */
function expectUncut(stored: readonly SessionEvent[], after: number, streamed: number): number {
  expectTurnsWhole(stored, after)
  const turns = ofType(stored, 'user_message').length
  expect(ofType(stored, 'done').map(({ content }) => content.stop_reason)).toEqual(Array(turns).fill('end_turn'))
  // Each streamed word, and what it got to each of its requests.
  expect(ofType(stored, 'agent_message')).toHaveLength(turns * (streamed + ANSWERS))
  expect(ofType(stored, 'tool_result')).toHaveLength(turns * 2)
  // A question and its answer, twice in each turn.
  expect(ofType(stored, 'permission')).toHaveLength(turns * 4)
  return turns
}

interface Killing {
  ids: readonly string[]
  afterMs: number
  alsoHost: boolean
  streamed: number
}

/** What the reader of each session got before the daemon was gone. */
async function promptAndKill(agh: AghHome, { ids, afterMs, alsoHost, streamed }: Killing) {
  const { paths } = agh.context
  const { pid } = (await daemonStatus(paths))!
  const hosts = alsoHost ? ids.map((id) => hostIdentity(paths, id).pid) : []
  const timer = setTimeout(() => {
    for (const one of [pid, ...hosts]) process.kill(one, 'SIGKILL')
  }, afterMs)
  const file = join(agh.workspace, 'README')
  const body = { message: `ask read\ntool a\nread ${file}\nstream ${streamed}\nask read\ntool b` }
  const follow = async (id: string): Promise<[string, SessionEvent[]]> => {
    const seen: SessionEvent[] = []
    try {
      const path = `/api/sessions/${id}/prompt`
      for await (const event of followDaemon(paths.socket, path, { method: 'POST', body })) seen.push(event)
    } catch {
      // Cut off by the kill; what was seen before is what counts.
    }
    return [id, seen]
  }
  const seen = new Map(await Promise.all(ids.map(follow)))
  await waitFor('its end', async () => (await daemonStatus(paths)) === null)
  clearTimeout(timer)
  return seen
}

function idle(agh: AghHome, id: string): Promise<unknown> {
  return waitFor('the end of its turn', async () => {
    const { session } = await callDaemon<{ session: SessionView }>(agh.context.paths.socket, `/api/sessions/${id}`)
    expect(session.state).toBe('active')
    return session.health.state === 'idle'
  })
}

async function readAll(agh: AghHome, id: string, after: number): Promise<SessionEvent[]> {
  const all: SessionEvent[] = []
  for (;;) {
    const path = `/api/sessions/${id}/events?after=${after + all.length}&limit=10000`
    const { events } = await callDaemon<{ events: SessionEvent[] }>(agh.context.paths.socket, path)
    if (events.length === 0) return all
    all.push(...events)
  }
}

export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
