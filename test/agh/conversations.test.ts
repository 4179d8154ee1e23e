// Conversations that the agent keeps: forked into sessions of their own, listed, closed and deleted, where it advertises that; and
// agents that lie about it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { close, deleteOne, fork, getSession, listOfAgent, resume, stopSession } from '../../src/agh/runtime.ts'
import { ofType } from '../support/agh-events.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, createAghHome, text } from './agh-home.ts'

let agh: AghHome
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

const ALL = 'resume,fork,list,close,delete'

function open(agent = ALL, lies = '') {
  agh = createAghHome({ agent, env: { FAKE_ACP_LIES: lies } })
  agh.context.env.FAKE_ACP_STORE = join(agh.home, 'conversations')
  return agh
}

/** Only once everything has started: on a busy machine that takes longer. */
const beImpatient = () =>
  Object.assign(agh.context.config.session.timeouts, { handshake: '300ms', driver_stop: '300ms' })
const heard = async (id: string) => text((await agh.prompt(id, 'recall')) ?? [])

describe('a fork', () => {
  it('is a session of its own that knows what the other one heard, and from then on neither hears of the other', async () => {
    open()
    const one = await agh.create()
    await agh.prompt(one.id, 'say first')
    const two = await fork(agh.context, one.id, { name: 'second' })
    expect(two).toMatchObject({ state: 'active', name: 'second', started_with: 'fork', workspace_path: agh.workspace })
    expect(two.forked_from).toMatchObject({ session_id: one.id, acp_session_id: one.acp_session_id })
    expect(two.acp_session_id).not.toBe(one.acp_session_id)
    await agh.prompt(one.id, 'say only one')
    const [first] = ofType(await agh.prompt(two.id, 'recall'), 'user_message')
    expect(first!.content.preface).toEqual([{ kind: 'fork', text: agh.workspace }])
    expect(await heard(two.id)).toMatch(/^say first\|<agh-fork>[^|]*\|recall$/)
    // What the agent repeats while it forks is in the log of the other session.
    expect(JSON.stringify(await agh.events(two.id))).not.toContain('old question')
    const again = await stopSession(agh.context, two.id, null).then(() => resume(agh.context, two.id))
    expect(again).toMatchObject({ started_with: 'resume', acp_session_id: two.acp_session_id })
    expect(await heard(two.id)).toMatch(/^say first\|<agh-fork>[^|]*\|recall\|recall$/)
  })

  it('can be made of a stopped session, and with a recap where its agent has lost the conversation', async () => {
    open()
    const one = await agh.create()
    await agh.prompt(one.id, 'say the magic word')
    await stopSession(agh.context, one.id, null)
    const { conversations } = await listAgain(one.id)
    expect(conversations).toHaveLength(1)
    await deleteBehind(one.id)
    const failed = await fork(agh.context, one.id, {}).catch((error) => error)
    expect(failed.message).toContain('Resource not found')
    const id = failed.details.sessionId as string
    expect(await getSession(agh.context, id)).toMatchObject({ state: 'stopped', acp_session_id: null })
    expect(await resume(agh.context, id, { fresh: true })).toMatchObject({ started_with: 'new_with_recap' })
    const [prompt] = ofType(await agh.prompt(id, 'say hello'), 'user_message')
    expect(JSON.stringify(prompt)).toContain('the magic word')
  })

  it('whose agent answers with the conversation of its parent does not start, and can be tried again', async () => {
    open(ALL, 'parent')
    const one = await agh.create()
    const failed = await fork(agh.context, one.id, {}).catch((error) => error)
    expect(failed.message).toContain('the conversation that was to be forked')
    const id = failed.details.sessionId as string
    const left = { state: 'stopped', acp_session_id: null, failure: { kind: 'load_session_failure' } }
    expect(await getSession(agh.context, id)).toMatchObject(left)
    expect(await getSession(agh.context, one.id)).toMatchObject({ state: 'active' })
    agh.context.env.FAKE_ACP_LIES = ''
    expect(await resume(agh.context, id)).toMatchObject({ state: 'active', started_with: 'fork' })
  })

  it('that its agent never answers can be stopped', async () => {
    open(ALL, 'hang')
    const one = await agh.create()
    const forking = fork(agh.context, one.id, {}).catch((error) => error)
    await waitFor('the request', () => agh.agentLog().includes('session/fork'))
    const id = [...agh.context.starting.keys()][0]!
    expect(await stopSession(agh.context, id, null)).toMatchObject({ state: 'stopped', acp_session_id: null })
    expect((await forking).message).toContain('the start was canceled during fork_session')
  })

  it('never has the conversation of another session, whatever its agent says', async () => {
    open()
    const [one, other] = [await agh.create(), await agh.create()]
    agh.context.env.FAKE_ACP_LIES = `owner:${other.acp_session_id}`
    await expect(fork(agh.context, one.id, {})).rejects.toThrow(`the conversation of session ${other.id}`)
  })

  it('is refused before anything is made where the agent does not advertise it', async () => {
    open('resume')
    const one = await agh.create()
    await expect(fork(agh.context, one.id, {})).rejects.toThrow('does not offer session/fork')
    await expect(close(agh.context, one.id)).rejects.toThrow('does not offer session/close')
    await expect(listOfAgent(agh.context, one.id, false)).rejects.toThrow('does not offer session/list')
    await stopSession(agh.context, one.id, null)
    await expect(deleteOne(agh.context, one.id, undefined)).rejects.toThrow('does not offer session/delete')
    expect(agh.agentLog().filter((line) => /fork|close|delete|list/.test(line))).toEqual([])
  })
})

describe('a list', () => {
  it('says which conversation belongs to which session', async () => {
    open()
    const one = await agh.create()
    const two = await fork(agh.context, one.id, {})
    const list = await listOfAgent(agh.context, one.id, true)
    const owners = Object.fromEntries(list.conversations.map(({ id, session_id }) => [id, session_id]))
    expect(owners).toEqual({ [one.acp_session_id!]: one.id, [two.acp_session_id!]: two.id })
    expect(list).toMatchObject({ session_id: one.id, truncated: false })
  })

  it.each([
    ['10 MB', 'huge', { length: 1_000, truncated: true }],
    ['the same page again and again', 'loop', { length: 2, truncated: true }],
  ])('of %s ends', async (_what, lie, { length, truncated }) => {
    open(ALL, lie)
    const list = await listOfAgent(agh.context, (await agh.create()).id, true)
    expect(list.conversations).toHaveLength(length)
    expect(list.truncated).toBe(truncated)
  })

  it('that never comes is an error, and the session goes on', async () => {
    open(ALL, 'hang')
    const one = await agh.create()
    beImpatient()
    await expect(listOfAgent(agh.context, one.id, true)).rejects.toThrow('did not end within 300 ms')
    expect(text(await agh.prompt(one.id, 'say still here'))).toBe('still here')
  })
})

it.each([
  ['', 'its agent closed the conversation'],
  ['fail', 'its agent did not close the conversation: not today'],
  ['hang', 'its agent did not answer session/close within 300 ms'],
])('a close stops the session and says how it went (%s)', async (lie, detail) => {
  open(ALL, lie)
  const one = await agh.create()
  if (lie === 'hang') beImpatient()
  expect(await close(agh.context, one.id)).toMatchObject({ state: 'stopped', stop_detail: detail, failure: null })
  expect(agh.agentLog()).toContain('session/close')
})

describe('a deletion', () => {
  it('leaves the history, and a resume begins with a recap', async () => {
    open()
    const one = await agh.create()
    await agh.prompt(one.id, 'say the magic word')
    await expect(deleteOne(agh.context, one.id, undefined)).rejects.toThrow('it is active')
    await stopSession(agh.context, one.id, null)
    const gone = { state: 'stopped', acp_session_id: null, conversation: 'deleted', failure: null }
    expect(await deleteOne(agh.context, one.id, undefined)).toMatchObject(gone)
    await expect(deleteOne(agh.context, one.id, undefined)).rejects.toThrow('was deleted')
    await expect(fork(agh.context, one.id, {})).rejects.toThrow('was deleted')
    expect(text(await agh.events(one.id))).toContain('the magic word')
    const again = await resume(agh.context, one.id)
    expect(again).toMatchObject({ started_with: 'new_with_recap' })
    expect(again.conversation).toBe(undefined)
  })

  it('that its agent refuses is unfinished, and the session can be resumed', async () => {
    open(ALL, 'fail')
    const one = await agh.create()
    await stopSession(agh.context, one.id, null)
    await expect(deleteOne(agh.context, one.id, undefined)).rejects.toThrow('not today')
    expect(await getSession(agh.context, one.id)).toMatchObject({ state: 'stopped', conversation: 'deleting' })
    expect(await resume(agh.context, one.id)).toMatchObject({ started_with: 'resume' })
  })
})

async function listAgain(sessionId: string) {
  const other = await agh.create()
  const { conversations } = await listOfAgent(agh.context, other.id, true)
  return { conversations: conversations.filter((one) => one.session_id === sessionId) }
}

/** As a person with the agent's own program would. */
async function deleteBehind(sessionId: string): Promise<void> {
  const { acp_session_id } = await getSession(agh.context, sessionId)
  rmSync(join(agh.home, 'conversations', `${acp_session_id}.json`))
}
