// Rounds of: prompt, kill the daemon after a random time, start it again, check everything. The seed determines the times.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { daemonStatus, startDaemon, stopDaemon } from '../../src/agh/daemon/start-daemon.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'
import { expectWhole, processesOf } from './check-history.ts'

export interface RandomKills {
  rounds: number
  seed: number
}

export async function killAtRandom(
  { rounds, seed }: RandomKills,
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
  for (let round = 0; round < rounds; round++) {
    const seen = await promptAndKill(agh, session.id, random() * 300)
    await startDaemon(paths, agh.context.env)
    const stored = await readAll(agh, session.id)
    expectWhole(stored)
    expect(seen.map(({ sequence }) => stored[sequence - 1])).toEqual(seen)
    expect(processesOf(session.id)).toBe(0)
    await callDaemon(paths.socket, `/api/sessions/${session.id}/resume`, { method: 'POST' })
    survived()
  }
}

/** What the reader got before the daemon was gone. */
async function promptAndKill(agh: AghHome, id: string, afterMs: number): Promise<SessionEvent[]> {
  const { paths } = agh.context
  const { pid } = (await daemonStatus(paths))!
  const seen: SessionEvent[] = []
  const timer = setTimeout(() => process.kill(pid, 'SIGKILL'), afterMs)
  const body = { message: 'tool a\nstream 6000\ntool b' }
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

async function readAll(agh: AghHome, id: string): Promise<SessionEvent[]> {
  const all: SessionEvent[] = []
  for (;;) {
    const path = `/api/sessions/${id}/events?after=${all.length}&limit=10000`
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
