// Real agents under agh, from a new session to one that was stopped and remembers. Their model is scripted.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { aghPaths } from '../../src/agh/paths.ts'
import { openReadOnly } from '../../src/agh/store/database.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { ofType } from '../support/agh-events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { waitFor } from '../support/wait-for.ts'
import { type ModelServer, startModelServer } from './model/model-server.ts'
import { WRITTEN } from './model/script.ts'
import { AGENTS, type RealAgent } from './real-agents.ts'

let temp: TempHome
let model: ModelServer
let env: NodeJS.ProcessEnv
const paths = () => aghPaths(env, temp.home)
const workspace = () => join(temp.home, 'repo')

beforeEach(async () => {
  temp = createTempHome()
  model = await startModelServer()
  mkdirSync(workspace())
})

afterEach(async () => {
  await stopDaemon(paths())
  await model.close()
  expect(await temp.cleanup()).toEqual([])
})

describe.each(AGENTS)('$name $version', (agent) => {
  it('edits a file after a yes, is stopped and resumed, and remembers', async () => {
    await start(agent)
    const { session } = await call<{ session: SessionView }>('/api/sessions', {
      agent_name: agent.name,
      workspace_path: workspace(),
    })
    expect(session).toMatchObject({ state: 'active', started_with: 'new' })
    const { id } = session

    const target = join(workspace(), 'hello.txt')
    const first = await runTurn(id, `TASK:WRITE ${target} and keep in mind: the password is blue-tiger-42`)
    const types = first.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['user_message', 'tool_call', 'permission', 'tool_result', 'done']))
    expect(ofType(first, 'permission').map(({ content }) => content.decision)).toEqual([null, 'allow-once'])
    expect(first.at(-1)).toMatchObject({ type: 'done', content: { stop_reason: 'end_turn' } })
    expect(readFileSync(target, 'utf8')).toBe(WRITTEN)
    expect(await usageOf(id)).toHaveLength(1)

    const stopped = await call<{ session: SessionView }>(`/api/sessions/${id}/stop`, {})
    expect(stopped.session).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled', failure: null })
    const resumed = await call<{ session: SessionView }>(`/api/sessions/${id}/resume`, {})
    expect(resumed.session).toMatchObject({ id, state: 'active', started_with: 'resume' })
    const second = await runTurn(id, 'TASK:RECALL')
    expect(textOf(second)).toContain('It was blue-tiger-42.')
    expect(await usageOf(id)).toHaveLength(2)

    const all = await call<{ events: SessionEvent[] }>(`/api/sessions/${id}/events?limit=10000`)
    expect(all.events.map(({ sequence }) => sequence)).toEqual(all.events.map((_, index) => index + 1))
    expect(all.events.filter(({ type }) => type === 'user_message')).toHaveLength(2)
    console.log(`${agent.name}: ${JSON.stringify(countTypes(all.events))}, usage ${JSON.stringify(await usageOf(id))}`)
  })

  it('is canceled in the middle of an answer, then loses its daemon in the next one, and continues', async () => {
    await start(agent)
    const { session } = await call<{ session: SessionView }>('/api/sessions', {
      agent_name: agent.name,
      workspace_path: workspace(),
    })
    const { id } = session
    const canceled = await runTurn(id, 'TASK:TALK and note: the password is red-whale-7', () =>
      call(`/api/sessions/${id}/prompt/cancel`, {}),
    )
    expect(canceled.at(-1)).toMatchObject({ type: 'done', content: { stop_reason: 'cancelled', canceled_by: 'user' } })

    const { pid } = (await daemonStatus(paths()))!
    await runTurn(id, 'TASK:TALK', async () => process.kill(pid, 'SIGKILL')).catch(() => undefined)
    await waitFor('its end', async () => (await daemonStatus(paths())) === null)
    const events = async () => (await call<{ events: unknown[] }>(`/api/sessions/${id}/events?limit=10000`)).events
    await startDaemon(paths(), env)
    const before = (await events()).length
    await waitFor('more of its answer', async () => (await events()).length > before + 5)
    await call(`/api/sessions/${id}/prompt/cancel`, {})
    await waitFor('the end of the turn', async () => {
      const { session: continued } = await call<{ session: SessionView }>(`/api/sessions/${id}`)
      expect(continued).toMatchObject({ state: 'active', stop_reason: null })
      return continued.health.state === 'idle'
    })
    expect(textOf(await runTurn(id, 'TASK:RECALL'))).toContain('It was red-whale-7.')
  })
})

async function start(agent: RealAgent): Promise<void> {
  const program = join(inject('agentsPrefix'), 'node_modules', '.bin', agent.name)
  expect(existsSync(program)).toBe(true)
  env = { ...temp.env, ...agent.env(model.url, temp.home) }
  agent.prepare(model.url, temp.home, workspace())
  const directory = join(paths().agents, agent.name)
  mkdirSync(directory, { recursive: true })
  const front = [`command: ${JSON.stringify([process.execPath, program])}`, ...agent.settings]
  writeFileSync(join(directory, 'AGENT.md'), `---\n${front.join('\n')}\n---\n`)
  writeFileSync(paths().config, '[http]\nport = 0\n')
  await startDaemon(paths(), env)
}

/** One turn to its end; every question is answered with yes. `interrupt` is called once, when the model has begun to talk. */
async function runTurn(id: string, message: string, interrupt?: () => Promise<unknown>): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  const body = { message }
  let calm = interrupt
  for await (const event of followDaemon(paths().socket, `/api/sessions/${id}/prompt`, { method: 'POST', body })) {
    events.push(event)
    // Codex has a warning of its own to say before it asks the model.
    if (calm && textOf([event]).includes('and then')) {
      void calm()
      calm = undefined
    }
    if (event.type !== 'permission' || event.content.decision !== null) continue
    await call(`/api/sessions/${id}/approve`, { request_id: event.content.request_id, decision: 'allow-once' })
  }
  return events
}

function call<T>(path: string, body?: object): Promise<T> {
  return callDaemon<T>(paths().socket, path, body === undefined ? {} : { method: 'POST', body })
}

async function usageOf(id: string): Promise<unknown[]> {
  const db = await openReadOnly(join(paths().sessions, id, 'events.db'))
  try {
    return db.prepare('SELECT usage FROM token_usage').pluck().all()
  } finally {
    db.close()
  }
}

function textOf(events: readonly SessionEvent[]): string {
  const chunks = ofType(events, 'agent_message')
  return chunks.map(({ content }) => (content.content as { text?: string }).text ?? '').join('')
}

function countTypes(events: readonly SessionEvent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1
  return counts
}
