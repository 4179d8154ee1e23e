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
  /** With the host of its agent, the turn is cut and repaired; without, it goes on. */
  alsoHost?: boolean
}

const STREAMED = 6_000
const ANSWERS = 3

export async function killAtRandom(
  { rounds, seed, alsoHost = false }: RandomKills,
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
  const { session } = await callDaemon<{ session: SessionView }>(paths.socket, '/api/sessions', {
    method: 'POST',
    body: { workspace_path: agh.workspace },
  })
  // Checked once: later rounds must not take longer and longer.
  let checked = 0
  for (let round = 0; round < rounds; round++) {
    const heard = agh.agentLog().length
    const seen = await promptAndKill(agh, session.id, random() * 300, alsoHost)
    await startDaemon(paths, agh.context.env)
    if (!alsoHost) await idle(agh, session.id)
    const stored = await readAll(agh, session.id, checked)
    expect(seen.map(({ sequence }) => stored[sequence - 1 - checked])).toEqual(seen)
    if (alsoHost) {
      expectWhole(stored, checked)
      expect(processesOf(session.id)).toBe(0)
      await callDaemon(paths.socket, `/api/sessions/${session.id}/resume`, { method: 'POST' })
    } else expectUncut(stored, checked, agh.agentLog().slice(heard))
    checked += stored.length
    survived()
  }
}

/** Nothing lost, nothing doubled, no turn cut: neither in the log nor at the agent. */
function expectUncut(stored: readonly SessionEvent[], after: number, heard: readonly string[]): void {
  expectTurnsWhole(stored, after)
  const turns = ofType(stored, 'user_message').length
  expect(ofType(stored, 'done').map(({ content }) => content.stop_reason)).toEqual(Array(turns).fill('end_turn'))
  // Each streamed word, and what it got to each of its requests.
  expect(ofType(stored, 'agent_message')).toHaveLength(turns * (STREAMED + ANSWERS))
  expect(ofType(stored, 'tool_result')).toHaveLength(turns * 2)
  // A question and its answer, twice in each turn.
  expect(ofType(stored, 'permission')).toHaveLength(turns * 4)
  expect(heard.filter((one) => one === 'session/prompt')).toHaveLength(turns)
  expect(heard.filter((one) => one === 'answer')).toHaveLength(turns * ANSWERS)
}

/** What the reader got before the daemon was gone. */
async function promptAndKill(agh: AghHome, id: string, afterMs: number, alsoHost: boolean): Promise<SessionEvent[]> {
  const { paths } = agh.context
  const { pid } = (await daemonStatus(paths))!
  const host = hostIdentity(paths, id).pid
  const seen: SessionEvent[] = []
  const timer = setTimeout(() => {
    process.kill(pid, 'SIGKILL')
    if (alsoHost) process.kill(host, 'SIGKILL')
  }, afterMs)
  const file = join(agh.workspace, 'README')
  const body = { message: `ask read\ntool a\nread ${file}\nstream ${STREAMED}\nask read\ntool b` }
  try {
    const path = `/api/sessions/${id}/prompt`
    for await (const event of followDaemon(paths.socket, path, { method: 'POST', body })) seen.push(event)
  } catch {
    // Cut off by the kill; what was seen before is what counts.
  }
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
