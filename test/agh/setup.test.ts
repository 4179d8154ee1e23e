import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { getSession, newSession, resume, stopSession } from '../../src/agh/runtime.ts'
import { changeSettings } from '../../src/agh/session/start/apply-settings.ts'
import { addWorkspace } from '../../src/agh/setup/workspaces.ts'
import { ofType } from '../support/agh-events.ts'
import { type AghHome, createAghHome, text } from './agh-home.ts'

let agh: AghHome
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

async function again(id: string) {
  await stopSession(agh.context, id, null)
  return resume(agh.context, id)
}
const prefaces = async (id: string) =>
  ofType(await agh.events(id), 'user_message').map(({ content }) => content.preface?.map(({ kind }) => kind) ?? [])

describe('instructions', () => {
  it('reach the agent as a marked block before the first prompt, once, and are recorded with it', async () => {
    agh = createAghHome({ instructions: 'Answer in Latin.' })
    const { id } = await agh.create()
    const heard = text(await agh.prompt(id, 'recall'))
    expect(heard).toMatch(/^<agh-instructions>\n.*\n\nAnswer in Latin\.\n<\/agh-instructions>\nrecall$/)
    await agh.prompt(id, 'say hi')
    expect(await prefaces(id)).toEqual([['instructions'], []])
    const [first] = (await agh.events(id)).filter(({ type }) => type === 'user_message')
    expect(first?.content).toMatchObject({ text: 'recall', preface: [{ text: 'Answer in Latin.' }] })
  })

  it('are the system prompt of an agent that takes one, at each start, and of no prompt', async () => {
    agh = createAghHome({ instructions: 'Answer in Latin.', agent: 'system,resume' })
    const { id } = await agh.create()
    const begun = async () => JSON.parse(text(await agh.prompt(id, 'begun')))
    const systemPrompt = { mode: 'append', content: [{ type: 'text', text: 'Answer in Latin.' }] }
    expect(await begun()).toMatchObject({ systemPrompt })
    await again(id)
    expect(await begun()).toMatchObject({ sessionId: expect.any(String), systemPrompt })
    expect(await prefaces(id)).toEqual([[], []])
  })

  it('are not sent again to an agent that still has its session', async () => {
    agh = createAghHome({ instructions: 'Answer in Latin.', agent: 'resume' })
    const { id } = await agh.create()
    await agh.prompt(id, 'say hi')
    expect(await again(id)).toMatchObject({ started_with: 'resume' })
    await agh.prompt(id, 'say hi')
    expect(await prefaces(id)).toEqual([['instructions'], []])
  })

  it('are sent again, with the conversation, to one that starts anew', async () => {
    agh = createAghHome({ instructions: 'Answer in Latin.' })
    const { id } = await agh.create()
    await agh.prompt(id, 'say salve')
    expect(await again(id)).toMatchObject({ started_with: 'new_with_recap' })
    const heard = text(await agh.prompt(id, 'recall'))
    expect(heard).toContain('Answer in Latin.')
    expect(heard).toContain('<agh-recap>')
    expect(heard).toContain('You: salve')
    expect(await prefaces(id)).toEqual([['instructions'], ['instructions', 'recap']])
  })

  it('wait for a first prompt that succeeds, also across a restart of the session', async () => {
    agh = createAghHome({ instructions: 'Answer in Latin.', agent: 'resume' })
    const { id } = await agh.create()
    await agh.prompt(id, 'fail -32603')
    await again(id)
    await agh.prompt(id, 'say hi')
    await agh.prompt(id, 'say hi')
    expect(await prefaces(id)).toEqual([['instructions'], ['instructions'], []])
  })
})

describe('MCP servers', () => {
  const config = {
    mcp_servers: [
      { name: 'files', command: 'mcp-files', args: ['--all'], env: { ROOT: '/' } },
      { name: 'web', url: 'http://127.0.0.1:9/mcp', headers: { 'x-key': 'k' } },
    ],
  }
  const files = { name: 'files', command: 'mcp-files', args: ['--all'], env: [{ name: 'ROOT', value: '/' }] }

  it('of the configuration are passed to the agent, as far as it can reach them, at each start', async () => {
    agh = createAghHome({ config, agent: 'resume' })
    const { id } = await agh.create()
    const begun = async () => JSON.parse(text(await agh.prompt(id, 'begun')))
    expect((await begun()).mcpServers).toEqual([files])
    const [started] = await agh.events(id).then((all) => all.filter(({ type }) => type === 'session_started'))
    expect(started?.content).toMatchObject({ mcp_servers: ['files'], mcp_skipped: ['web'] })
    await again(id)
    expect((await begun()).mcpServers).toEqual([files])
  })

  it('of an agent replace those with the same name', async () => {
    const front = ['mcp_servers:', '  - name: files', '    command: other-files']
    agh = createAghHome({ config, front, agent: 'mcp-http' })
    const { id } = await agh.create()
    expect(JSON.parse(text(await agh.prompt(id, 'begun'))).mcpServers).toEqual([
      { name: 'files', command: 'other-files', args: [], env: [] },
      { name: 'web', type: 'http', url: 'http://127.0.0.1:9/mcp', headers: [{ name: 'x-key', value: 'k' }] },
    ])
  })
})

describe('additional directories', () => {
  async function open(agent: string) {
    agh = createAghHome({ agent, config: { permissions: { mode: 'approve-all' } } })
    const docs = join(agh.home, 'docs')
    mkdirSync(docs)
    writeFileSync(join(docs, 'a.txt'), 'from docs')
    writeFileSync(join(agh.home, 'secret.txt'), 'secret')
    symlinkSync(join(agh.home, 'secret.txt'), join(docs, 'link.txt'))
    return docs
  }

  it('are open to the agent, and nothing else is, links resolved', async () => {
    const docs = await open('dirs')
    const { id } = await newSession(agh.context, { workspace_path: agh.workspace, additional_directories: [docs] })
    expect(text(await agh.prompt(id, `read ${docs}/a.txt`))).toBe('{"content":"from docs"}')
    expect(text(await agh.prompt(id, `read ${docs}/link.txt`))).toContain('outside of the workspace')
    expect(text(await agh.prompt(id, `read ${agh.home}/secret.txt`))).toContain('outside of the workspace')
    expect(text(await agh.prompt(id, `write ${docs}/b.txt new`))).toBe('{}')
    expect(JSON.parse(text(await agh.prompt(id, 'begun'))).additionalDirectories).toEqual([docs])
  })

  it('come with a registered workspace, and are not passed to agents that do not support them', async () => {
    const docs = await open('')
    addWorkspace(agh.context.paths, { path: agh.workspace, name: 'app', additional_directories: [docs, docs] })
    const made = await newSession(agh.context, { workspace: 'app' })
    expect(made.additional_directories).toEqual([docs])
    expect(JSON.parse(text(await agh.prompt(made.id, 'begun')))).not.toHaveProperty('additionalDirectories')
    expect(text(await agh.prompt(made.id, `read ${docs}/a.txt`))).toContain('from docs')
    await expect(
      newSession(agh.context, { workspace: 'app', additional_directories: [join(agh.home, 'none')] }),
    ).rejects.toMatchObject({ code: 'WORKSPACE_NOT_FOUND' })
  })
})

describe('modes, models and other options', () => {
  const chosen = async (id: string) => JSON.parse(text(await agh.prompt(id, 'chosen')))

  it('are chosen as the definition says, by id or name, and chosen again after a resume', async () => {
    agh = createAghHome({ agent: 'options', front: ['mode: Mode Plan', 'model: large'] })
    const { id } = await agh.create()
    expect(await chosen(id)).toEqual({ mode: 'plan', model: 'large', effort: 'low' })
    expect(await getSession(agh.context, id)).toMatchObject({
      settings: { mode: 'Mode Plan', model: 'large' },
      offers: { current_mode: 'plan', options: [{ id: 'model', current: 'large' }, { id: 'effort' }] },
    })
    await again(id)
    expect(await chosen(id)).toMatchObject({ mode: 'plan', model: 'large' })
  })

  it('change while the session is live or stopped, and stay changed', async () => {
    agh = createAghHome({ agent: 'options' })
    const { id } = await agh.create()
    const change = (wanted: object) => changeSettings(agh.context, id, wanted)
    await change({ model: 'large', options: { effort: 'high' } })
    await change({ mode: 'plan' })
    await expect(change({ model: 'huge' })).rejects.toMatchObject({ code: 'USAGE', hint: 'It offers: small, large' })
    await expect(change({ options: { colour: 'red' } })).rejects.toThrow('no setting colour')
    await again(id)
    expect(await chosen(id)).toEqual({ mode: 'plan', model: 'large', effort: 'high' })
    await stopSession(agh.context, id, null)
    await change({ mode: 'ask' })
    await resume(agh.context, id)
    expect(await chosen(id)).toEqual({ mode: 'ask', model: 'large', effort: 'high' })
  })

  it('that the agent changes on its own are shown', async () => {
    agh = createAghHome({ agent: 'options' })
    const { id } = await agh.create()
    await agh.prompt(id, 'switch plan')
    expect((await getSession(agh.context, id)).offers?.current_mode).toBe('plan')
  })

  it('that the agent does not offer let no session start with others instead', async () => {
    agh = createAghHome({ agent: 'options', front: ['model: huge'] })
    const failed = await agh.create().catch((error) => error)
    expect(failed).toMatchObject({
      code: 'AGENT_FAILED',
      details: { failure: { kind: 'protocol_failure', summary: expect.stringContaining('It offers: small, large') } },
    })
  })
})
