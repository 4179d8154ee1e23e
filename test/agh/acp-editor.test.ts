// Editors drive sessions with `agh acp`: the protocol's own client against the real daemon, and an editor that is killed.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type ClientConnection,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionOutcome,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Call, callDaemon } from '../../src/agh/client.ts'
import { startDaemon } from '../../src/agh/daemon/start-daemon.ts'
import { stopDaemon } from '../../src/agh/daemon/stop-daemon.ts'
import { testProgram } from '../support/test-program.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome } from './agh-home.ts'

const PROGRAM = join(import.meta.dirname, '..', '..', 'dist', 'agh.js')
const CANCELLED: RequestPermissionOutcome = { outcome: 'cancelled' }
let agh: AghHome
const editors: Editor[] = []

beforeAll(async () => {
  agh = createAghHome({ agent: 'options,load', files: { 'config.toml': '[http]\nport = 0\n' } })
  await startDaemon(agh.context.paths, agh.context.env)
})
afterEach(async () => {
  for (const editor of editors.splice(0)) await editor.quit()
})
afterAll(async () => {
  await stopDaemon(agh.context.paths)
  expect(await agh.cleanup()).toEqual([])
})

interface Editor {
  agent: ClientConnection['agent']
  child: ChildProcess
  updates: SessionUpdate[]
  questions: RequestPermissionRequest[]
  open(): Promise<string>
  load(sessionId: string): Promise<unknown>
  prompt(sessionId: string, text: string): Promise<{ stopReason: string }>
  quit(): Promise<void>
}

async function openEditor(answer: () => RequestPermissionOutcome = () => CANCELLED): Promise<Editor> {
  const child = spawn(process.execPath, [PROGRAM, 'acp'], { env: agh.context.env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const updates: SessionUpdate[] = []
  const questions: RequestPermissionRequest[] = []
  const output = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>
  const input = Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>
  const { agent } = client({ name: 'editor' })
    .onNotification('session/update', ({ params }) => void updates.push(params.update))
    .onRequest('session/request_permission', ({ params }) => {
      questions.push(params)
      return { outcome: answer() }
    })
    .connect(ndJsonStream(output, input))
  const { agentCapabilities } = await agent.request('initialize', { protocolVersion: PROTOCOL_VERSION })
  expect(agentCapabilities).toMatchObject({ loadSession: true, promptCapabilities: { embeddedContext: true } })
  const editor: Editor = {
    ...{ agent, child, updates, questions },
    open: async () => (await agent.request('session/new', { cwd: agh.workspace, mcpServers: [] })).sessionId,
    load: (sessionId) => agent.request('session/load', { sessionId, cwd: agh.workspace, mcpServers: [] }),
    prompt: (sessionId, text) => agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    quit: () => {
      child.stdin.end()
      return ended
    },
  }
  editors.push(editor)
  return editor
}

/** What the editor shows of a conversation, chunks joined. */
function shown(updates: readonly SessionUpdate[]): string[] {
  const lines: string[] = []
  let last = ''
  for (const update of updates) {
    const kind = update.sessionUpdate
    if (kind === 'user_message_chunk' || kind === 'agent_message_chunk') {
      const text = update.content.type === 'text' ? update.content.text : ''
      const who = kind === 'user_message_chunk' ? 'you' : 'agent'
      if (last === kind) lines.push(`${lines.pop()}${text}`)
      else lines.push(`${who}: ${text}`)
    } else if (kind === 'tool_call' || kind === 'tool_call_update') lines.push(`${kind} ${update.toolCallId}`)
    last = kind
  }
  return lines
}
const call: Call = (name, ...ask) => callDaemon(agh.context.paths.socket, name, ...ask)
const view = async (id: string) => (await call('GET /api/sessions/:id', { params: { id } })).session
const send = (id: string, message: string) =>
  call('POST /api/driver/sessions/:id/messages', { params: { id }, body: { message, message_id: message } })

describe('an editor that drives a session of agh', () => {
  it('sees its turns as they happen, answers for them, and ends them', async () => {
    const editor = await openEditor(() => ({ outcome: 'selected', optionId: 'yes' }))
    const id = await editor.open()
    expect(await editor.prompt(id, 'say one\ntool t1\nsay two')).toEqual({ stopReason: 'end_turn' })
    expect(shown(editor.updates)).toEqual(['agent: one', 'tool_call t1', 'tool_call_update t1', 'agent: two'])

    await editor.prompt(id, 'ask edit')
    expect(editor.questions).toMatchObject([{ sessionId: id, toolCall: { title: 'may I edit', toolCallId: 'ask-1' } }])
    expect(shown(editor.updates).at(-1)).toContain('"optionId":"yes"')

    await editor.agent.request('session/set_mode', { sessionId: id, modeId: 'plan' })
    const { configOptions } = await editor.agent.request(methods.agent.session.setConfigOption, {
      ...{ sessionId: id, configId: 'effort', value: 'high' },
    })
    expect(configOptions).toContainEqual(expect.objectContaining({ id: 'effort', currentValue: 'high' }))
    await editor.prompt(id, 'chosen')
    expect(shown(editor.updates).at(-1)).toContain('{"mode":"plan","model":"small","effort":"high"}')

    const other = await openEditor()
    for (const [method, more] of [
      ['session/set_mode', { modeId: 'default' }],
      ['session/set_config_option', { configId: 'effort', value: 'low' }],
    ] as const)
      await expect(other.agent.request(method, { sessionId: id, ...more } as never)).rejects.toThrow('not found')

    await expect(editor.prompt(id, 'fail -32000 no quota')).rejects.toThrow('no quota')
    const turn = editor.prompt(id, 'say begun\nsleep 60000')
    await waitFor('its first words', () => shown(editor.updates).at(-1)?.endsWith('begun'))
    await editor.agent.notify('session/cancel', { sessionId: id })
    expect(await turn).toEqual({ stopReason: 'cancelled' })
    expect(shown(editor.updates).some((line) => line.startsWith('you:'))).toBe(false)
  })

  it('leaves to agh what it does not answer, and never ends the turn of somebody else', async () => {
    const editor = await openEditor()
    const id = await editor.open()
    await send(id, 'ask edit')
    await waitFor('the question', () => editor.questions.length === 1)
    const waiting = editor.prompt(id, 'say never')
    await waitFor('the queue', async () => {
      const { queue } = await call('GET /api/sessions/:id/queue', { params: { id } })
      return queue.length === 1
    })
    await editor.agent.notify('session/cancel', { sessionId: id })
    expect(await waiting).toEqual({ stopReason: 'cancelled' })

    const [question] = (await view(id)).pending_permissions
    expect(question).toMatchObject({ title: 'may I edit' })
    const body = { request_id: question!.request_id, decision: 'reject-once' as const }
    await call('POST /api/sessions/:id/approve', { params: { id }, body })
    await waitFor('the end of that turn', () => shown(editor.updates).at(-1)?.includes('"optionId":"no"'))
    expect(shown(editor.updates)[0]).toBe('you: ask edit')
    expect(editor.questions).toHaveLength(1)
  })

  it('is killed in the middle of a turn, comes back, and sees everything once', async () => {
    const released = join(agh.home, 'released')
    const text = `say one\nwait-for ${released}\nask edit\nsay two`
    const dying = spawn(process.execPath, [testProgram('acp-editor'), PROGRAM, agh.workspace, text], {
      env: agh.context.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    dying.stdout.on('data', (chunk) => (printed += chunk))
    await waitFor('the first words', () => printed.includes('"text":"one"'))
    const { sessionId, pid } = JSON.parse(printed.split('\n').find((line) => line.includes('"pid"'))!)
    dying.kill('SIGKILL')
    await waitFor('the end of its agh acp', () => !isAlive(pid))
    expect((await view(sessionId)).health.state).toBe('prompting')

    const editor = await openEditor(() => ({ outcome: 'selected', optionId: 'yes' }))
    const { sessions } = await editor.agent.request('session/list', { cwd: agh.workspace })
    expect(sessions[0]).toMatchObject({ sessionId, cwd: agh.workspace })
    await editor.load(sessionId)
    expect(shown(editor.updates)).toEqual([`you: ${text}`, 'agent: one'])
    writeFileSync(released, '')
    await waitFor('the rest of the turn', () => shown(editor.updates).at(-1)?.endsWith('two'))
    expect(editor.questions).toHaveLength(1)

    editor.child.kill('SIGKILL')
    await call('POST /api/sessions/:id/stop', { params: { id: sessionId }, body: {} })
    const third = await openEditor()
    await third.load(sessionId)
    expect(shown(third.updates)).toEqual(shown(editor.updates))
    expect(await third.prompt(sessionId, 'say three')).toEqual({ stopReason: 'end_turn' })
    expect(shown(third.updates).slice(-1)).toEqual([expect.stringMatching(/three$/)])
    expect((await view(sessionId)).state).toBe('active')
  })

  it('is refused what it cannot have: an unknown session, an attachment that is none, a session that it did not open', async () => {
    const editor = await openEditor()
    await expect(editor.load('sess-0123456789abcdef')).rejects.toMatchObject({ code: -32_002 })
    await expect(editor.prompt('sess-0123456789abcdef', 'hello')).rejects.toMatchObject({ code: -32_002 })
    const id = await editor.open()
    // A program, whatever it is called.
    const data = Buffer.from('\u007fELF\u0002\u0001\u0001\u0000', 'latin1').toString('base64')
    const picture = { type: 'image' as const, data, mimeType: 'image/png' }
    const refused = editor.agent.request('session/prompt', { sessionId: id, prompt: [picture] })
    await expect(refused).rejects.toThrow('is a program')
  })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
