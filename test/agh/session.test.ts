import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import {
  approve,
  cancelPrompt,
  getSession,
  listSessions,
  newSession,
  promptSession,
  repairTranscript,
  resume,
  stopSession,
} from '../../src/agh/runtime.ts'
import { historyFile } from '../../src/agh/store/meta-file.ts'
import { ofType } from '../support/agh-events.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, type AghHomeOptions, createAghHome, text } from './agh-home.ts'

let agh: AghHome
const open = (options?: AghHomeOptions) => {
  agh = createAghHome(options)
  return agh
}
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

describe('creating a session', () => {
  it('S4.6 S4.7 S4.20 S4.21 S4.22 S4.23 S4.105 S4.106 takes the six steps and leaves an active session', async () => {
    open()
    const session = await agh.create()
    expect(session).toMatchObject({ state: 'active', agent_name: 'general', type: 'user', started_with: 'new' })
    const directory = join(agh.context.paths.sessions, session.id)
    expect(readdirSync(directory)).toEqual(expect.arrayContaining(['meta.json', 'events.db']))
    const meta = JSON.parse(readFileSync(join(directory, 'meta.json'), 'utf8'))
    expect(meta).toMatchObject({ state: 'active', workspace_path: agh.workspace, stop_reason: null, failure: null })
    expect(meta.acp_session_id).toMatch(/^acp-/)
    expect(agh.agentLog()).toEqual(['initialize', 'session/new'])
  })

  it('S4.1 S4.2 gives each session a process, a workspace and a history of its own', async () => {
    open()
    const [one, two] = await Promise.all([agh.create(), agh.create()])
    expect(one.process?.identity).not.toBe(two.process?.identity)
    expect(agh.agentLog().filter((line) => line === 'session/new')).toHaveLength(2)
    await agh.prompt(one.id, 'say only here')
    expect(text(await agh.events(one.id))).toBe('only here')
    expect(text(await agh.events(two.id))).toBe('')
  })

  it.each([
    ['S4.18 a relative path', { workspace_path: 'repo' }, 'must be absolute'],
    ['S4.20 an unknown workspace', { workspace: 'nowhere' }, 'There is no workspace nowhere'],
    ['S4.20 an unknown agent', { workspace_path: '/', agent_name: 'nobody' }, 'There is no agent nobody'],
  ])('refuses %s before anything is made', async (_name, request, message) => {
    open()
    await expect(newSession(agh.context, request)).rejects.toThrow(message)
    expect(readdirSync(agh.context.paths.sessions)).toEqual([])
  })

  it.each([
    ['S4.80 S4.65', 'init-exit', 'handshake_failure'],
    ['S4.80', 'init-fail', 'handshake_failure'],
    ['S4.80 S4.58', 'init-hang', 'handshake_failure'],
    ['S4.82 S4.75', 'new-fail', 'protocol_failure'],
  ])('%s classifies a start of an agent that does %s', async (_id, agent, kind) => {
    open({ agent, config: { session: { timeouts: { handshake: agent === 'init-hang' ? '1s' : '30s' } } } })
    await expect(agh.create()).rejects.toThrow('could not be started')
    const [session] = (await listSessions(agh.context)).sessions
    expect(session).toMatchObject({ state: 'stopped', stop_reason: 'error', failure: { kind } })
    expect(session?.failure?.summary).not.toContain('abcd-secret-1234')
    expect((await agh.events(session!.id)).at(-1)).toMatchObject({
      type: 'session_stopped',
      content: { failure: { kind } },
    })
  })

  it('S4.79 S4.73 S4.90 keeps the evidence of a program that cannot be run', async () => {
    open()
    const program = join(agh.home, 'broken')
    writeFileSync(program, '#!/nonexistent/interpreter\n', { mode: 0o755 })
    writeFileSync(join(agh.context.paths.agents, 'general', 'AGENT.md'), `---\ncommand: ${program}\n---\n`)
    await expect(agh.create()).rejects.toThrow('could not be started')
    const [session] = (await listSessions(agh.context)).sessions
    expect(session).toMatchObject({ stop_reason: 'error', failure: { kind: 'startup_failure' } })
    expect(session?.failure?.crash_bundle_path).toContain(agh.context.paths.crashBundles)
  })

  it('S4.84 ends a start that is called off as canceled', async () => {
    open({ agent: 'init-hang' })
    const creating = agh.create().catch((error: Error) => error)
    const session = await waitFor('a starting session', () =>
      [...agh.context.live.values()].find(({ process }) => process),
    )
    const stopped = await stopSession(agh.context, session.meta.id, null)
    expect(stopped).toMatchObject({ stop_reason: 'user_canceled', failure: { kind: 'cancellation' } })
    expect(await creating).toBeInstanceOf(Error)
  })
})

describe('a turn', () => {
  it('S4.24 S4.26 S4.109 records the prompt first, then everything the agent sends, in its order and whole', async () => {
    open()
    const { id } = await agh.create()
    const events = await agh.prompt(id, 'think hm\nplan\ntool t1\nimage\nsay hello')
    expect(events.map(({ type }) => type)).toEqual([
      'user_message',
      'thought',
      'plan',
      'tool_call',
      'tool_result',
      'agent_message',
      'agent_message',
      'done',
    ])
    expect(events[2]?.content).toMatchObject({ entries: [{ content: 'first', priority: 'high' }] })
    expect(events[4]?.content).toMatchObject({ content: [{ type: 'diff', newText: 'b' }], locations: [{ path: '/x' }] })
    expect(events[5]?.content).toMatchObject({ content: { type: 'image', data: 'aGk=' } })
    expect(events.at(-1)?.content).toMatchObject({ stop_reason: 'end_turn', usage: { inputTokens: 10 } })
  })

  it('keeps every one of many updates, without gap or repeat', async () => {
    open()
    const { id } = await agh.create()
    const events = await agh.prompt(id, 'stream 5000')
    expect(text(events)).toBe(Array.from({ length: 5_000 }, (_, index) => `${index} `).join(''))
    const all = await agh.events(id)
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, index) => index + 1))
  })

  it('keeps updates between turns, and gives none of them to a turn', async () => {
    open()
    const { id } = await agh.create()
    await agh.prompt(id, 'say a\nlate after')
    const late = await waitFor('the late update', async () =>
      (await agh.events(id)).find((event) => text([event]) === 'after'),
    )
    expect(late.turn_id).toBeNull()
    expect((await agh.events(id)).some(({ type, turn_id }) => type === 'system' && turn_id === null)).toBe(true)
  })

  it('S4.27 refuses a second prompt while one runs, and leaves no trace of it', async () => {
    open()
    const { id } = await agh.create()
    const first = await promptSession(agh.context, id, 'sleep 60000')
    await expect(promptSession(agh.context, id, 'say me too')).rejects.toMatchObject({ code: 'TURN_IN_PROGRESS' })
    await cancelPrompt(agh.context, id)
    await first.ended
    const events = await agh.events(id)
    expect(events.filter(({ type }) => type === 'user_message')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'done', content: { stop_reason: 'cancelled', canceled_by: 'user' } })
    expect(await getSession(agh.context, id)).toMatchObject({ state: 'active', failure: null })
  })

  it('S4.27 runs queued prompts one after the other, in their order', async () => {
    open()
    const { id } = await agh.create()
    const first = await promptSession(agh.context, id, 'sleep 300')
    const second = promptSession(agh.context, id, 'say b', { queue: true })
    const third = promptSession(agh.context, id, 'say c', { queue: true })
    await Promise.all([first.ended, (await second).ended, (await third).ended])
    const types = (await agh.events(id)).map(({ type, content }) => ('text' in content ? content.text : type))
    expect(types.slice(2)).toEqual([
      'sleep 300',
      'done',
      'say b',
      'agent_message',
      'done',
      'say c',
      'agent_message',
      'done',
    ])
  })

  it('S4.83 S4.26 survives a prompt that the agent refuses, and says why without its secrets', async () => {
    open()
    const { id } = await agh.create()
    const events = await agh.prompt(id, 'fail -32603')
    expect(events.map(({ type }) => type)).toEqual(['user_message', 'error'])
    const failed = await waitFor('the failure', async () => {
      const session = await getSession(agh.context, id)
      return session.failure ? session : null
    })
    expect(failed).toMatchObject({ state: 'active', failure: { kind: 'prompt_failure' } })
    expect(failed.failure?.summary).not.toContain('abcd1234efgh')
    await agh.prompt(id, 'say fine')
    expect((await getSession(agh.context, id)).failure).toBeNull()
  })

  it('continues after lines that are not messages', async () => {
    open()
    const { id } = await agh.create()
    const events = await agh.prompt(id, 'garbage Warning: this is not JSON\ngarbage [1]\nsay fine')
    expect(text(events)).toBe('fine')
    expect(ofType(events, 'system').map(({ content }) => content.garbage)).toEqual(['Warning: this is not JSON', '[1]'])
  })

  it('S4.39 S4.40 S4.37 shows what the turn is doing', async () => {
    open()
    const { id } = await agh.create()
    const turn = await promptSession(agh.context, id, 'tool-open t9\nsleep 60000')
    const session = await waitFor('the tool', async () => {
      const view = await getSession(agh.context, id)
      return view.activity?.tool_call_id === 't9' ? view : null
    })
    expect(session.activity).toMatchObject({
      turn_id: turn.turnId,
      turn_source: 'user',
      current_tool: 'run t9',
      idle_seconds: 0,
    })
    expect(session.health).toMatchObject({ state: 'prompting', health: 'healthy', eligible_for_wake: false })
  })
})

describe('permissions', () => {
  it.each([
    ['deny-all', 'read', 'no', 'policy'],
    ['approve-reads', 'read', 'yes', 'policy'],
    ['approve-all', 'execute', 'yes', 'policy'],
  ])('S4.3 S4.110 %s answers a request to %s with %s', async (mode, kind, option, by) => {
    open({ config: { permissions: { mode } } })
    const { id } = await agh.create()
    const events = await agh.prompt(id, `ask ${kind}`)
    expect(text(events)).toContain(`"optionId":"${option}"`)
    const [question, answered] = events.filter(({ type }) => type === 'permission')
    expect(question?.content).toMatchObject({ title: `may I ${kind}`, decision: null })
    expect(answered?.content).toMatchObject({ decided_by: by })
  })

  it('S4.110 S4.12 waits for a person and records the answer', async () => {
    open()
    const { id } = await agh.create()
    const turn = await promptSession(agh.context, id, 'ask execute')
    const pending = await waitFor(
      'the question',
      async () => (await getSession(agh.context, id)).pending_permissions[0],
    )
    expect(pending).toMatchObject({ title: 'may I execute', kind: 'execute' })
    await expect(approve(agh.context, id, { request_id: 'perm-99', decision: 'allow-once' })).rejects.toMatchObject({
      code: 'PERMISSION_NOT_FOUND',
    })
    await approve(agh.context, id, { request_id: pending.request_id, decision: 'allow-once' })
    await turn.ended
    expect(text(await agh.events(id))).toContain('"optionId":"yes"')
    await stopSession(agh.context, id, null)
    await expect(approve(agh.context, id, { decision: 'allow-once' })).rejects.toMatchObject({
      code: 'SESSION_NOT_ACTIVE',
    })
  })

  it('refuses when nobody answers in time', async () => {
    open({ config: { session: { timeouts: { permission: '100ms' } } } })
    const { id } = await agh.create()
    expect(text(await agh.prompt(id, 'ask execute'))).toContain('"optionId":"no"')
  })

  it('takes its question back with the turn, as the protocol wants it', async () => {
    open()
    const { id } = await agh.create()
    const turn = await promptSession(agh.context, id, 'ask execute')
    await waitFor('the question', async () => (await getSession(agh.context, id)).pending_permissions[0])
    await cancelPrompt(agh.context, id)
    await turn.ended
    expect(text(await agh.events(id))).toContain('{"outcome":"cancelled"}')
  })

  it('confines files and commands to the workspace', async () => {
    open({ config: { permissions: { mode: 'approve-all' } } })
    const { id } = await agh.create()
    expect(text(await agh.prompt(id, 'write a/b.txt hello'))).toBe('{}')
    expect(readFileSync(join(agh.workspace, 'a/b.txt'), 'utf8')).toBe('hello')
    expect(text(await agh.prompt(id, `read ${join(agh.workspace, 'a/b.txt')}`))).toBe('{"content":"hello"}')
    expect(text(await agh.prompt(id, 'read /etc/passwd'))).toContain('outside of the workspace')
    expect(text(await agh.prompt(id, 'write ../escaped.txt x'))).toContain('outside of the workspace')
    expect(existsSync(join(agh.home, 'escaped.txt'))).toBe(false)
    expect(text(await agh.prompt(id, 'run pwd'))).toContain(`"output":"${agh.workspace}\\n"`)
  })
})

describe('stopping', () => {
  it('S4.9 S4.10 S4.13 S4.49 S4.50 S4.51 S4.52 S4.53 S4.60 ends an idle session gently and keeps everything', async () => {
    open()
    const { id } = await agh.create()
    await agh.prompt(id, 'say hi')
    const stopped = await stopSession(agh.context, id, null)
    expect(stopped).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled', failure: null, process: null })
    expect((await agh.events(id)).at(-1)).toMatchObject({
      type: 'session_stopped',
      content: { stop_reason: 'user_canceled' },
    })
    expect(agh.agentLog().slice(-3)).toEqual(['session/prompt', 'session/cancel', 'EOF'])
    expect(await stopSession(agh.context, id, null)).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled' })
    await expect(promptSession(agh.context, id, 'say more')).rejects.toMatchObject({ code: 'SESSION_NOT_ACTIVE' })
  })

  it('S4.28 S4.50 S4.84 cancels the turn that runs, then ends the session', async () => {
    open()
    const { id } = await agh.create()
    await promptSession(agh.context, id, 'sleep 60000')
    const stopped = await stopSession(agh.context, id, 'loop_detected: same edit again')
    expect(stopped).toMatchObject({ stop_reason: 'loop_detected', failure: { kind: 'cancellation' } })
    const types = (await agh.events(id)).map(({ type }) => type)
    expect(types.slice(-2)).toEqual(['done', 'session_stopped'])
    expect(agh.agentLog().slice(-3)).toEqual(['session/prompt', 'session/cancel', 'EOF'])
  })

  it('S4.51 S4.57 forces an agent that ignores everything, and what it detached', async () => {
    open({ agent: 'stay', config: { session: { timeouts: { driver_stop: '200ms' } } } })
    const { id } = await agh.create()
    await agh.prompt(id, 'fork\nsay forked')
    const turn = await promptSession(agh.context, id, 'ignore-cancel\nsleep 60000')
    const stopped = await stopSession(agh.context, id, null)
    expect(stopped).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled' })
    await turn.ended
    expect(agh.agentLog()).toEqual(expect.arrayContaining(['EOF', 'SIGTERM']))
    expect((await agh.events(id)).map(({ type }) => type).slice(-2)).toEqual(['error', 'session_stopped'])
  })

  it('S4.58 ends in time, though a hook and the agent hang', async () => {
    const timeouts = { driver_stop: '100ms', lifecycle: '300ms' }
    open({
      agent: 'stay',
      config: { session: { timeouts }, hooks: [{ event: 'session.stopped', command: 'sleep 60', timeout: '60s' }] },
    })
    const { id } = await agh.create()
    await promptSession(agh.context, id, 'hang')
    const began = performance.now()
    expect(await stopSession(agh.context, id, null)).toMatchObject({ state: 'stopped', stop_reason: 'user_canceled' })
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  it('S4.89 ends a session whose history cannot be written, and says so', async () => {
    open()
    const { id } = await agh.create()
    const { store } = agh.context.live.get(id)!
    const append = store.appendDurable
    const { ended } = await promptSession(agh.context, id, 'sleep 200')
    store.appendDurable = (draft) => {
      store.appendDurable = append
      throw new Error(`no space is left for ${draft.type}`)
    }
    await ended
    expect(await agh.stopped(id)).toMatchObject({
      state: 'stopped',
      stop_reason: 'error',
      failure: { kind: 'unknown_failure', summary: expect.stringContaining('no space is left for done') },
    })
  })

  it.each([
    ['S4.61', 'max_iterations'],
    ['S4.62', 'loop_detected'],
    ['S4.63', 'budget_exceeded'],
  ])('%s takes %s from the detail of a stop', async (_id, reason) => {
    open()
    const { id } = await agh.create()
    expect(await stopSession(agh.context, id, `${reason}: 50`)).toMatchObject({
      stop_reason: reason,
      stop_detail: `${reason}: 50`,
      failure: null,
    })
  })

  it('S4.70 stops all sessions at once with the daemon', async () => {
    open({ agent: 'stay', config: { session: { timeouts: { driver_stop: '500ms' } } } })
    const ids = (await Promise.all([agh.create(), agh.create(), agh.create()])).map(({ id }) => id)
    const { shutdown } = await import('../../src/agh/runtime.ts')
    const began = performance.now()
    const ended = await shutdown(agh.context)
    expect(ended.map(({ stop_reason }) => stop_reason)).toEqual(['shutdown', 'shutdown', 'shutdown'])
    expect(ended.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect(performance.now() - began).toBeLessThan(8_000)
  })
})

describe('an agent that ends on its own', () => {
  it('S4.59 S4.66 S4.67 S4.86 S4.90 S4.91 S4.92 is distinguished by how and when it ended', async () => {
    open()
    const crashed = await agh.create()
    await agh.prompt(crashed.id, 'stderr last words, token=abcdefgh12345\ntool-open t1\nfork\nexit 7')
    const view = await agh.stopped(crashed.id)
    expect(view).toMatchObject({
      stop_reason: 'agent_crashed',
      stop_detail: 'the agent exited with code 7',
      failure: { kind: 'process_exit' },
    })
    const path = view.failure!.crash_bundle_path!
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const bundle = JSON.parse(readFileSync(path, 'utf8'))
    expect(bundle).toMatchObject({
      schema: 'agh.session_crash_bundle.v1',
      session: { id: crashed.id },
      provider: { agent_name: 'general' },
      failure: { kind: 'process_exit' },
      process: { exit_code: 7, signal: null },
    })
    expect(bundle.stderr).toContain('last words')
    expect(JSON.stringify(bundle)).not.toContain('abcdefgh12345')
    expect(bundle.events.length).toBeGreaterThan(2)
    const inTurn = await agh.create()
    await agh.prompt(inTurn.id, 'exit 0')
    expect(await agh.stopped(inTurn.id)).toMatchObject({ stop_reason: 'error', failure: { kind: 'process_exit' } })
    const idle = await agh.create()
    agh.context.live.get(idle.id)!.process!.endInput()
    await waitFor('its end', async () => (await getSession(agh.context, idle.id)).state === 'stopped')
    expect(await getSession(agh.context, idle.id)).toMatchObject({ stop_reason: 'completed', failure: null })
  })

  it('S4.87 whose output closes or overflows cannot continue', async () => {
    open()
    const closed = await agh.create()
    await agh.prompt(closed.id, 'close-stdout')
    expect(await agh.stopped(closed.id)).toMatchObject({ stop_reason: 'error', failure: { kind: 'transport_failure' } })
    const flood = await agh.create()
    await agh.prompt(flood.id, `flood ${40 * 1024 * 1024}\nsleep 60000`)
    expect(await agh.stopped(flood.id)).toMatchObject({ failure: { kind: 'transport_failure' } })
  })
})

describe('a damaged history', () => {
  it('S4.101 S4.108 is salvaged by a repair, says so, and the session can be resumed', async () => {
    open({ agent: 'resume' })
    const { id } = await agh.create()
    await agh.prompt(id, 'stream 2000')
    const { last_sequence } = await stopSession(agh.context, id, null)
    const file = historyFile(agh.context.paths, id)
    const bytes = readFileSync(file)
    bytes.fill(0xff, 4_096 * 20, 4_096 * 22)
    writeFileSync(file, bytes)
    const hint = expect.stringContaining(`agh session repair ${id}`)
    await expect(agh.events(id)).rejects.toMatchObject({ code: 'METADATA_DAMAGED', hint })
    await repairTranscript(agh.context, id, { dryRun: false })
    const events = await agh.events(id)
    const { kept_events, lost_events, damaged_file } = events.at(-1)!.content as Record<string, number | string>
    expect(events.at(-1)).toMatchObject({ type: 'store_salvaged', sequence: last_sequence + 1 })
    expect(Number(kept_events) + Number(lost_events)).toBe(last_sequence)
    expect(Number(kept_events)).toBeGreaterThan(1_800)
    expect(existsSync(String(damaged_file))).toBe(true)
    await resume(agh.context, id)
    expect(text(await agh.prompt(id, 'say on'))).toBe('on')
  })
})

describe('resuming', () => {
  it.each([
    ['resume', 'resume', true],
    ['load', 'load', true],
    ['load-lost', 'new_with_recap', false],
    ['', 'new_with_recap', false],
  ])('S4.4 S4.6 S4.102 S4.108 an agent that can do %j is brought back with %s', async (agent, method, keepsAcpId) => {
    open({ agent })
    const first = await agh.create()
    await agh.prompt(first.id, 'say one')
    await stopSession(agh.context, first.id, null)
    agh.restart()
    const again = await resume(agh.context, first.id)
    expect(again).toMatchObject({ id: first.id, state: 'active', started_with: method, stop_reason: null })
    expect(again.acp_session_id === first.acp_session_id).toBe(keepsAcpId)
    const events = await agh.events(first.id)
    // The old conversation is not repeated, though session/load replays it.
    expect(events.filter(({ type }) => type === 'user_message_echo')).toEqual([])
    expect(events.at(-1)?.type === 'session_started' || events.at(-2)?.type === 'session_started').toBe(true)
    const heard = text(await agh.prompt(first.id, 'recall'))
    expect(heard.includes('You: one')).toBe(method === 'new_with_recap')
    expect(await resume(agh.context, first.id)).toMatchObject({ id: first.id, state: 'active' })
  })

  it('S4.81 reports an agent that fails to load its session', async () => {
    open({ agent: 'load-fail' })
    const { id } = await agh.create()
    await stopSession(agh.context, id, null)
    await expect(resume(agh.context, id)).rejects.toThrow('could not be started')
    expect(await getSession(agh.context, id)).toMatchObject({
      state: 'stopped',
      failure: { kind: 'load_session_failure' },
    })
  })
})
