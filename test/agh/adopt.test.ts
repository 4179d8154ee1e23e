// The daemon is killed with kill -9 while its agents work; the next one continues as if nothing had happened.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { daemonStatus } from '../../src/agh/daemon/daemon-status.ts'
import { observeHealth } from '../../src/agh/daemon/routes/observe-health.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import {
  getSession,
  promptSession,
  resume,
  retryPostponed,
  startRepairs,
  stopSession,
  watchSession,
} from '../../src/agh/runtime.ts'
import type { SessionView } from '../../src/contract/agh/answers.ts'
import type { SessionEvent } from '../../src/contract/agh/events.ts'
import { type ProcessIdentity, parseIdentity, processState } from '../../src/lib/process/process-identity.ts'
import { findBySpawnMarker } from '../../src/lib/process/process-tree.ts'
import { ofType } from '../support/agh-events.ts'
import { callDaemon, followDaemon } from '../support/call-agh.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome, text } from './agh-home.ts'
import { expectTurnsWhole, processesOf } from './check-history.ts'
import { hostDirectoryOf, hostIdentity, hostOf, killHost } from './host-of.ts'

let agh: AghHome
let id: string
const home = () => {
  agh = createAghHome({ agent: 'resume' })
}
async function withDaemon(): Promise<void> {
  home()
  writeFileSync(agh.context.paths.config, '[http]\nport = 0\n[session.timeouts]\ndriver_stop = "200ms"\n')
  await start()
  id = (
    await call<{ session: SessionView }>('', 'POST', { workspace_path: agh.workspace, permissions: 'approve-reads' })
  ).session.id
}
afterEach(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

const start = () => startDaemon(agh.context.paths, agh.context.env)
const call = <T>(path: string, method = 'GET', body?: object) =>
  callDaemon<T>(agh.context.paths.socket, `/api/sessions${path}`, { method, ...(body ? { body } : {}) })
const view = async () => (await call<{ session: SessionView }>(`/${id}`)).session
const events = async () => (await call<{ events: SessionEvent[] }>(`/${id}/events?limit=10000`)).events
const approve = (request_id: string) => call(`/${id}/approve`, 'POST', { request_id, decision: 'allow-once' })

async function kill(): Promise<void> {
  const { pid } = (await daemonStatus(agh.context.paths))!
  process.kill(pid, 'SIGKILL')
  await waitFor('its end', async () => (await daemonStatus(agh.context.paths)) === null)
}

async function restart(): Promise<void> {
  await kill()
  await start()
}

/** Sends a prompt and stays until `seen` says so. */
async function promptUntil(message: string, seen: (event: SessionEvent) => boolean): Promise<SessionEvent[]> {
  const before: SessionEvent[] = []
  for await (const event of followDaemon(agh.context.paths.socket, `/api/sessions/${id}/prompt`, {
    method: 'POST',
    body: { message, queue: true },
  })) {
    before.push(event)
    if (seen(event)) break
  }
  return before
}

/** As a client that reconnects with the number of the last event it saw. */
async function followFrom(sequence: number): Promise<SessionEvent[]> {
  const rest: SessionEvent[] = []
  const headers = { 'last-event-id': String(sequence) }
  for await (const event of followDaemon(agh.context.paths.socket, `/api/sessions/${id}/stream`, { headers })) {
    rest.push(event)
    if (event.type === 'done' || event.type === 'error') break
  }
  return rest
}

const isText = (wanted: string) => (event: SessionEvent) => text([event]) === wanted
const idle = () => waitFor('the end of the turn', async () => (await view()).health.state === 'idle')

describe('an agent whose daemon is killed', () => {
  beforeEach(withDaemon)

  it('ends its turn as if nothing had happened; a reader that reconnects sees no gap', async () => {
    const message = 'tool-open a\nstream 3000\nsleep 300\nsay last'
    const seen = await promptUntil(message, isText('100 '))
    await kill()
    const began = performance.now()
    await start()
    const took = performance.now() - began
    const rest = await followFrom(seen.at(-1)!.sequence)
    const all = await events()
    expectTurnsWhole(all)
    const turn = all.filter(({ turn_id }) => turn_id === seen[0]!.turn_id)
    expect([...seen, ...rest]).toEqual(turn)
    expect(text(turn)).toBe(`${Array.from({ length: 3_000 }, (_, n) => `${n} `).join('')}last`)
    expect(ofType(turn, 'done')[0]?.content).toMatchObject({ stop_reason: 'end_turn', usage: { inputTokens: 10 } })
    expect(await view()).toMatchObject({ state: 'active', stop_reason: null, health: { state: 'idle' } })
    expect(agh.agentLog()).toEqual(['initialize', 'session/new', 'session/prompt'])
    console.log(`the next daemon answered after ${Math.round(took)} ms`)
    // The agent is the same, and has the whole conversation.
    await promptUntil('recall', ({ type }) => type === 'done')
    expect(text(await events())).toContain(`${message}|recall`)
  })

  it('whose turn ended and who left meanwhile is recorded to its last word', async () => {
    await promptUntil('say one\nsleep 400\nsay two', isText('one'))
    await kill()
    const agent = parseIdentity(hostOf(agh.context.paths, id)!.agent!)!
    process.kill(agent.pid, 'SIGUSR2')
    await waitFor('the turn and the agent to end', () => processState(agent) === 'dead')
    await start()
    await waitFor('its end', async () => (await view()).state === 'stopped')
    const all = await events()
    expectTurnsWhole(all)
    expect(text(all)).toBe('onetwo')
    expect(ofType(all, 'done')).toHaveLength(1)
    expect(await view()).toMatchObject({ stop_reason: 'completed', exit: { code: 0, signal: null } })
    expect(hostOf(agh.context.paths, id)).toBeNull()
  })

  it('gets one answer to its open question, which keeps its name', async () => {
    await promptUntil('ask edit\nsay after', ({ type }) => type === 'permission')
    const [request] = (await view()).pending_permissions
    await restart()
    expect((await view()).pending_permissions).toEqual([request])
    await approve(request!.request_id)
    await idle()
    await restart()
    const all = await events()
    expectTurnsWhole(all)
    expect(ofType(all, 'permission').map(({ content }) => [content.request_id, content.decision])).toEqual([
      [request!.request_id, null],
      [request!.request_id, 'allow-once'],
    ])
    expect(text(all)).toBe('answer {"outcome":"selected","optionId":"yes"}after')
    expect(agh.agentLog().filter((one) => one === 'answer')).toHaveLength(1)
  })

  it('is told that its terminals are gone, and works with new ones', async () => {
    await call(`/${id}`, 'DELETE')
    id = (
      await call<{ session: SessionView }>('', 'POST', { workspace_path: agh.workspace, permissions: 'approve-all' })
    ).session.id
    await promptUntil('say go\nrun sleep 600\nrun echo hello', isText('go'))
    const { spawn_id } = (await view()).process!
    await waitFor('the command', () => findBySpawnMarker(spawn_id).length === 2)
    await restart()
    await idle()
    const all = await events()
    expectTurnsWhole(all)
    expect(text(all)).toContain('the terminal ended when agh was restarted; run the command again')
    expect(text(all)).toContain('hello')
    expect(findBySpawnMarker(spawn_id)).toHaveLength(1)
  })

  it('is cancelled by the next daemon when a cancel was under way', async () => {
    await promptUntil('say on\nsleep 60000', isText('on'))
    await restart()
    await call(`/${id}/prompt/cancel`, 'POST')
    await idle()
    expect(ofType(await events(), 'done')[0]?.content).toMatchObject({ stop_reason: 'cancelled', canceled_by: 'user' })
  })

  it('goes on through an orderly restart as well', async () => {
    await promptUntil('say one\nsleep 1000\nsay two', isText('one'))
    expect(await stopDaemon(agh.context.paths, { keepAgents: true })).toBe(true)
    expect(hostOf(agh.context.paths, id)).not.toBeNull()
    await start()
    await idle()
    const all = await events()
    expectTurnsWhole(all)
    expect(text(all)).toBe('onetwo')
    expect(await view()).toMatchObject({ state: 'active', stop_reason: null })
  })

  it('survives any number of them', async () => {
    let isBegun = false
    const turn = promptUntil('stream 3000\nsleep 300\ntool a\nsleep 300\ntool b\nsleep 300\nsay end', () => {
      isBegun = true
      return false
    }).catch(() => [])
    // A prompt that the first daemon never recorded is nobody's turn.
    await waitFor('the turn', () => isBegun)
    for (let times = 0; times < 2; times++) await restart()
    await turn
    await idle()
    const all = await events()
    expectTurnsWhole(all)
    expect(ofType(all, 'agent_message')).toHaveLength(3_001)
  })
})

describe('what cannot be continued is repaired', () => {
  beforeEach(home)
  const paths = () => agh.context.paths
  const begin = async (message: string) => {
    id = (await agh.create()).id
    await promptSession(agh.context, id, message)
    await waitFor('the turn', async () => text(await agh.events(id)) === 'begun')
  }
  const agentIdentity = () => parseIdentity(hostOf(paths(), id)!.agent!)!

  it.each([
    ['host and agent are dead too', () => signalAll([hostIdentity(paths(), id), agentIdentity()])],
    ['its host is dead', () => killHost(paths(), id)],
    ['its host has lost its record', () => writeFileSync(join(hostDirectoryOf(paths(), id)!, 'host.json'), '{}')],
    ['its host no longer listens', () => rmSync(join(hostDirectoryOf(paths(), id)!, 'host.sock'))],
    ['its host belongs to another boot', () => changeRecord({ host: '1:1:another-boot' })],
    ['its bookmark cannot be read', () => setBookmark("'x'")],
    ['its output is no longer kept from there on', () => setBookmark("json_set(value, '$.place', 1)")],
  ])('S4.94 S4.97 S4.98 when %s', async (_what, harm) => {
    await begin('tool-open a\nsay begun\nsleep 60000')
    const [host, agent] = [hostIdentity(paths(), id), agentIdentity()]
    const context = agh.restart()
    await harm()
    await startRepairs(context).ready()
    expect(await getSession(context, id)).toMatchObject({
      state: 'stopped',
      stop_reason: 'agent_crashed',
      stop_detail: 'daemon crashed while session active',
    })
    const all = await agh.events(id)
    expectTurnsWhole(all)
    expect(all.slice(-3).map(({ type }) => type)).toEqual(['tool_result', 'error', 'session_stopped'])
    expect([processesOf(id), processState(agent)]).toEqual([0, 'dead'])
    await waitFor('its host to leave', () => processState(host) === 'dead')
    await resume(context, id)
    expect(text(await agh.prompt(id, 'say again'))).toBe('again')
  })

  it('the last words of an agent that ended with its host are recorded first, once', async () => {
    await begin('say begun\nsleep 300\nsay more\ntool a')
    const agent = agentIdentity()
    const context = agh.restart()
    const kept = () => readFileSync(join(hostDirectoryOf(paths(), id)!, 'out-0'), 'utf8')
    await waitFor('the end of its turn', () => kept().includes('stopReason'))
    await signalAll([hostIdentity(paths(), id), agent])
    await startRepairs(context).ready()
    const all = await agh.events(id)
    expectTurnsWhole(all)
    expect(text(all)).toBe('begunmore')
    expect(all.slice(-2).map(({ type }) => type)).toEqual(['done', 'session_stopped'])
    await startRepairs(agh.restart()).ready()
    expect(await agh.events(id)).toEqual(all)
  })

  it('N12 an end that is in the log already is the one that is listed', async () => {
    await begin('say begun')
    await stopSession(agh.context, id, 'enough')
    const file = join(paths().sessions, id, 'meta.json')
    const meta = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(
      file,
      JSON.stringify({ ...meta, state: 'active', stop_reason: null, stop_detail: null, failure: null }),
    )
    const before = await agh.events(id)
    await startRepairs(agh.restart()).ready()
    const { stop_reason, stop_detail } = await getSession(agh.context, id)
    expect({ stop_reason, stop_detail }).toEqual({ stop_reason: 'user_canceled', stop_detail: 'enough' })
    expect(await agh.events(id)).toEqual(before)
  })

  it('unknown is not dead: a host that does not answer is left alone, and its session continues when it does', async () => {
    await begin('say begun\nsleep 300\nsay end')
    const host = hostIdentity(paths(), id)
    process.kill(host.pid, 'SIGSTOP')
    const context = agh.restart()
    const adopting = startRepairs(context).ready()
    setTimeout(() => process.kill(host.pid, 'SIGCONT'), 300)
    await adopting
    await waitFor('the end of the turn', async () => (await getSession(context, id)).health.state === 'idle')
    expectTurnsWhole(await agh.events(id))
    expect(text(await agh.events(id))).toBe('begunend')
  })
})

describe('a session whose host did not answer when the daemon started', () => {
  it('N6 keeps nobody waiting for another session, and that one comes first when somebody waits for it', async () => {
    home()
    id = (await agh.create()).id
    const others = [(await agh.create()).id, (await agh.create()).id]
    const host = hostIdentity(agh.context.paths, id)
    process.kill(host.pid, 'SIGSTOP')
    const context = agh.restart()
    const repairs = startRepairs(context)
    for (const other of others) {
      await repairs.ready(other)
      expect((await getSession(context, other)).health.state).toBe('idle')
    }
    expect(repairs.left()).toBe(1)
    process.kill(host.pid, 'SIGCONT')
    await repairs.ready(id)
    await repairs.ready()
    expect(repairs.left()).toBe(0)
    expect((await getSession(context, id)).health.state).toBe('idle')
  })

  it('is continued by itself once the host answers', async () => {
    home()
    id = (await agh.create()).id
    await promptSession(agh.context, id, 'say begun\nsleep 300\nsay end')
    await waitFor('the turn', async () => text(await agh.events(id)) === 'begun')
    const host = hostIdentity(agh.context.paths, id)
    process.kill(host.pid, 'SIGSTOP')
    const context = agh.restart()
    await startRepairs(context).ready()
    expect((await getSession(context, id)).health.state).toBe('detached')
    expect(await observeHealth(context)).toMatchObject({ status: 'degraded', postponed: [id] })
    let news = 0
    const watch = watchSession(context, id, () => news++)
    expect(watch.isOver()).toBe(false)
    process.kill(host.pid, 'SIGCONT')
    await retryPostponed(context)
    await waitFor('the end of the turn', async () => (await getSession(context, id)).health.state === 'idle')
    expect(text(await agh.events(id))).toBe('begunend')
    expect(await observeHealth(context)).toMatchObject({ status: 'ok', postponed: [] })
    // Whoever followed it meanwhile was woken, and follows on.
    expect([news, watch.isOver()]).toEqual([1, false])
    watch.close()
  }, 60_000)

  it('is repaired by itself once the host is provably gone', async () => {
    home()
    id = (await agh.create()).id
    const host = hostIdentity(agh.context.paths, id)
    process.kill(host.pid, 'SIGSTOP')
    const context = agh.restart()
    await startRepairs(context).ready()
    const watch = watchSession(context, id, () => undefined)
    process.kill(host.pid, 'SIGKILL')
    await waitFor('its end', () => processState(host) === 'dead')
    await retryPostponed(context)
    expect(await getSession(context, id)).toMatchObject({ state: 'stopped', stop_reason: 'agent_crashed' })
    expect([watch.isOver(), context.postponed.size]).toEqual([true, 0])
    watch.close()
  }, 60_000)
})

async function signalAll(identities: ProcessIdentity[]): Promise<void> {
  for (const one of identities) process.kill(one.pid, 'SIGKILL')
  for (const one of identities) await waitFor('it to be gone', () => processState(one) === 'dead')
}

function changeRecord(changes: object): void {
  const file = join(hostDirectoryOf(agh.context.paths, id)!, 'host.json')
  writeFileSync(file, JSON.stringify({ ...hostOf(agh.context.paths, id), ...changes }))
}

async function setBookmark(value: string): Promise<void> {
  const { default: Database } = await import('better-sqlite3')
  const db = new Database(join(agh.context.paths.sessions, id, 'events.db'), { timeout: 2_000 })
  db.exec(`UPDATE bookmark SET value = ${value} WHERE part = 'now'`)
  db.close()
}
