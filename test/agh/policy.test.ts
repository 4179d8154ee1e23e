import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { approve, cancelPrompt, getSession, promptSession, readRules, revokeRule } from '../../src/agh/runtime.ts'
import type { Decision } from '../../src/contract/agh/session-terms.ts'
import { CUT, describeRequest, HIDES } from '../../src/core/queue/describe-request.ts'
import { ofType } from '../support/agh-events.ts'
import { waitFor } from '../support/wait-for.ts'
import { type AghHome, type AghHomeOptions, createAghHome, text } from './agh-home.ts'

let agh: AghHome
const open = (options?: AghHomeOptions) => {
  agh = createAghHome(options)
  return agh
}
afterEach(async () => expect(await agh.cleanup()).toEqual([]))

/** One turn whose questions get these answers, in their order; its events. */
async function answer(id: string, prompt: string, ...decisions: Decision[]) {
  const turn = await promptSession(agh.context, id, prompt)
  for (const decision of decisions) {
    const question = await waitFor(
      'the question',
      async () => (await getSession(agh.context, id)).pending_permissions[0],
    )
    await approve(agh.context, id, { request_id: question.request_id, decision })
  }
  await turn.ended
  return (await agh.events(id)).filter(({ turn_id }) => turn_id === turn.turnId)
}

const decisionsIn = (events: Awaited<ReturnType<typeof answer>>) =>
  ofType(events, 'permission')
    .filter(({ content }) => content.decision !== null)
    .map(({ content }) => [content.decision, content.decided_by, content.granted_by ?? null])

describe('approve-reads, the default', () => {
  it('S4.3 S4.110 asks a person about a write and a command that carry no question, and does what they say', async () => {
    open()
    const { id } = await agh.create()
    const written = await answer(id, 'write x.txt hello', 'allow-once')
    expect(text(written)).toBe('{}')
    expect(readFileSync(join(agh.workspace, 'x.txt'), 'utf8')).toBe('hello')
    expect(decisionsIn(written)).toEqual([['allow-once', 'user', null]])
    const refused = await answer(id, 'write y.txt no', 'reject-once')
    expect(text(refused)).toContain('was not allowed')
    expect(existsSync(join(agh.workspace, 'y.txt'))).toBe(false)
    expect(text(await answer(id, 'run echo hi', 'allow-once'))).toContain('"output":"hi\\n"')
    expect(text(await answer(id, 'run touch z.txt', 'reject-once'))).toContain('was not allowed')
    expect(existsSync(join(agh.workspace, 'z.txt'))).toBe(false)
  })

  it('S4.3 S4.110 lets a permission that a person granted cover the write that was shown, once, and says so', async () => {
    open()
    const { id } = await agh.create()
    const events = await answer(
      id,
      'ask-edit x.txt one\nwrite x.txt one\nwrite x.txt one more',
      'allow-once',
      'reject-once',
    )
    expect(readFileSync(join(agh.workspace, 'x.txt'), 'utf8')).toBe('one')
    expect(decisionsIn(events)).toEqual([
      ['allow-once', 'user', null],
      ['allow-once', 'user', 'perm-1'],
      ['reject-once', 'user', null],
    ])
  })

  it('covers no other file, no other text, no file of another turn, and nothing after a no', async () => {
    open()
    const { id } = await agh.create()
    await answer(id, 'ask-edit x.txt no\nwrite y.txt no', 'allow-once', 'reject-once')
    await answer(id, 'ask-edit x.txt no\nwrite x.txt evil', 'allow-once', 'reject-once')
    // Whatever the agent's own "always" means to it.
    await answer(id, 'ask-edit x.txt no\nwrite x.txt evil', 'allow-always', 'reject-once')
    await answer(id, 'write x.txt no', 'reject-once')
    await answer(id, 'ask-edit x.txt no\nwrite x.txt no', 'reject-once', 'reject-once')
    expect(existsSync(join(agh.workspace, 'x.txt')) || existsSync(join(agh.workspace, 'y.txt'))).toBe(false)
  })

  it('is asked with the path and what changes, hidden characters spelled out', async () => {
    open()
    const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index}`)
    writeFileSync(join(agh.workspace, 'long.txt'), lines.join('\n'))
    const { id } = await agh.create()
    const turn = await promptSession(agh.context, id, `write long.txt safe\u202e${'x'.repeat(9)}`)
    const request = await waitFor(
      'the question',
      async () => (await getSession(agh.context, id)).pending_permissions[0],
    )
    const shown = describeRequest({ ...request, isCut: request.input_cut, diffsOmitted: request.diffs_omitted })
    expect(shown.join('\n')).toContain(join(agh.workspace, 'long.txt'))
    expect(shown).toEqual(expect.arrayContaining(['- line 0', '- line 2999', '+ safe⟨U+202E⟩xxxxxxxxx', HIDES]))
    expect(shown).not.toContain(CUT)
    await cancelPrompt(agh.context, id)
    await turn.ended
  })

  it('covers every write of the session when a person said always, until that is revoked, and no command', async () => {
    open()
    const { id } = await agh.create()
    await answer(id, 'write x.txt one', 'allow-always')
    await answer(id, 'write y.txt two')
    expect(readFileSync(join(agh.workspace, 'y.txt'), 'utf8')).toBe('two')
    expect(text(await answer(id, 'run touch z.txt', 'reject-once'))).toContain('was not allowed')
    const [rule] = readRules(agh.context, id)
    expect(rule).toMatchObject({ rule: 'write files of its workspace through agh without asking' })
    await revokeRule(agh.context, id, rule!.id)
    expect(readRules(agh.context, id)).toEqual([])
    await expect(revokeRule(agh.context, id, rule!.id)).rejects.toMatchObject({ code: 'RULE_NOT_FOUND' })
    await answer(id, 'write y.txt three', 'reject-once')
    expect(readFileSync(join(agh.workspace, 'y.txt'), 'utf8')).toBe('two')
  })

  it('is asked for each time, when it was given for once', async () => {
    open()
    const { id } = await agh.create()
    await answer(id, 'write x.txt one\nwrite x.txt two', 'allow-once', 'reject-once')
    expect(readFileSync(join(agh.workspace, 'x.txt'), 'utf8')).toBe('one')
    expect(text(await answer(id, 'run echo hi\nrun echo hi', 'allow-once', 'reject-once'))).toContain('was not allowed')
  })

  it.each([
    ['a write', 'write box/x.txt evil'],
    ['a command', 'run-in box touch x.txt'],
  ])(
    'does %s where it was shown, or not at all, when a link is put there while the question is open',
    async (_, act) => {
      open()
      const [box, moved, other] = ['box', 'moved', 'other'].map((name) => join(agh.workspace, name)) as [
        string,
        string,
        string,
      ]
      for (const one of [box, other]) mkdirSync(one)
      const { id } = await agh.create()
      const turn = await promptSession(agh.context, id, act)
      const question = await waitFor(
        'the question',
        async () => (await getSession(agh.context, id)).pending_permissions[0],
      )
      renameSync(box, moved)
      symlinkSync(other, box)
      await approve(agh.context, id, { request_id: question.request_id, decision: 'allow-once' })
      await turn.ended
      expect(text(await agh.events(id))).toContain('now leads elsewhere')
      expect([moved, other].flatMap((one) => readdirSync(one))).toEqual([])
    },
  )

  it('names the directory of a command as it is, not by a link to it, and refuses one outside unasked', async () => {
    open()
    mkdirSync(join(agh.workspace, 'real'))
    symlinkSync('real', join(agh.workspace, 'harmless'))
    const { id } = await agh.create()
    const events = await answer(id, 'run-in harmless touch x.txt', 'allow-once')
    expect(JSON.stringify(ofType(events, 'permission')[0]?.content)).toContain(join(agh.workspace, 'real'))
    const outside = await answer(id, 'run-in / ls')
    expect([text(outside), ofType(outside, 'permission')]).toEqual([
      expect.stringContaining('outside of the workspace'),
      [],
    ])
  })

  it('withdraws its question with the turn, and the write does not happen', async () => {
    open()
    const { id } = await agh.create()
    const turn = await promptSession(agh.context, id, 'write x.txt late')
    await waitFor('the question', async () => (await getSession(agh.context, id)).pending_permissions[0])
    await cancelPrompt(agh.context, id)
    await turn.ended
    expect((await agh.events(id)).filter(({ type }) => type === 'permission').at(-1)?.content).toMatchObject({
      decision: 'cancelled',
    })
    expect(existsSync(join(agh.workspace, 'x.txt'))).toBe(false)
  })
})

describe('deny-all', () => {
  it('S4.3 refuses everything without a question, and records it', async () => {
    open({ config: { permissions: { mode: 'deny-all' } } })
    writeFileSync(join(agh.workspace, 'x.txt'), 'x')
    const { id } = await agh.create()
    const events = await answer(id, 'read x.txt\nwrite x.txt y\nrun ls')
    expect(text(events).match(/does not allow (read_file|write_file|run_command)/g)).toHaveLength(3)
    expect(decisionsIn(events)).toEqual(Array(3).fill(['reject-once', 'policy', null]))
  })
})

describe('files through agh', () => {
  it('that are missing are not found, by the code of the protocol, so that an agent can create them', async () => {
    open()
    const { id } = await agh.create()
    const result = JSON.parse(text(await agh.prompt(id, 'read missing/new.txt')))
    expect(result).toMatchObject({ code: -32_002, error: expect.stringContaining('Resource not found') })
    expect(JSON.parse(text(await agh.prompt(id, 'read /etc/passwd')))).toMatchObject({ code: -32_602 })
  })

  it.each([
    [[], { fs: { readTextFile: true, writeTextFile: true }, terminal: true }],
    [['client_fs: false'], { fs: { readTextFile: false, writeTextFile: false }, terminal: true }],
    [['client_fs: write'], { fs: { readTextFile: false, writeTextFile: true }, terminal: true }],
    [['client_terminal: false'], { fs: { readTextFile: true, writeTextFile: true }, terminal: false }],
  ])('and commands are offered as the agent definition says: %j', async (front, offered) => {
    open({ front })
    const { id } = await agh.create()
    expect(JSON.parse(text(await agh.prompt(id, 'client')))).toEqual(offered)
    if (!offered.fs.readTextFile) expect(text(await agh.prompt(id, 'read x.txt'))).toContain('Method not found')
  })
})
