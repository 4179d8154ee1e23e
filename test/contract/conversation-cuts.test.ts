// Conversations as the real programs wrote them down, up to one of their messages; and records that somebody made up to mislead. Whether
// the programs continue such copies is tested with the programs themselves: test/real/going-back.real.ts.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Session } from '../../src/contract/session.ts'
import { transcriptCut } from '../../src/plugins/agent-claude-code/transcript-cut.ts'
import { rolloutCut } from '../../src/plugins/agent-codex/rollout-cut.ts'
import { type CutRules, copiedText, cutRecords, movedTo } from '../../src/plugins/agent-files/cut-records.ts'
import { forkOfRecords } from '../../src/plugins/agent-files/fork-records.ts'
import { chatCut } from '../../src/plugins/agent-gemini/chat-cut.ts'
import { piRecords } from '../../src/plugins/agent-table/pi-records.ts'
import { qwenRecords } from '../../src/plugins/agent-table/qwen-records.ts'
import type { RecordFormat } from '../../src/plugins/agent-table/record-format.ts'
import type { AgentLaunch } from '../../src/slots/agent.ts'

const telemetry = (name: string) => readFileSync(join(import.meta.dirname, '../fixtures/telemetry', name), 'utf8')
const ofTable = (format: RecordFormat): CutRules => ({ ...format.cut!, enteredText: format.enteredText })
const GEMINI = '02d8ae3316dc8d427442f3e84108f6c05d0d738efa604572c03cf48d54f47183'

interface Sample {
  name: string
  file: string
  rules: CutRules
  heldIn: string
  /** The last of these was entered then; the ones before it stay. */
  messages: string[]
  since: string
}

const SAMPLES: Sample[] = [
  {
    ...{ name: 'Claude Code', file: 'claude-code/transcript.jsonl', rules: transcriptCut },
    ...{ heldIn: '/home/user/repos/claude', since: '2026-11-15T01:08:00Z' },
    messages: ['LAB:WRITE /home/user/repos/claude/perm.txt', 'LAB:SLOW', 'LAB:ERR401', 'LAB:ERR401'],
  },
  {
    ...{ name: 'Codex', file: 'codex/rollout.jsonl', rules: rolloutCut },
    ...{ heldIn: '/home/user/repos/codex', since: '2026-11-15T01:11:30Z' },
    messages: ['LAB:WRITE /home/user/repos/codex/perm.txt', 'LAB:ESC /home/user/repos/codex/esc.txt', 'LAB:SLOW'],
  },
  {
    ...{ name: 'Gemini CLI', file: 'gemini/session.jsonl', rules: chatCut, heldIn: GEMINI },
    messages: ['LAB:WRITE /home/user/repos/gemini/perm.txt', 'LAB:SLOW'],
    since: '2026-11-15T01:15:58Z',
  },
  {
    ...{ name: 'Qwen Code', file: 'qwen/chat.jsonl', rules: ofTable(qwenRecords) },
    ...{ heldIn: '/home/user/repos/qwen', since: '2026-11-15T01:18:55Z' },
    messages: ['LAB:WRITE /home/user/repos/qwen/perm.txt', 'LAB:SLOW', 'LAB:SLOWLAB:ERR401', 'LAB:SLOW'],
  },
  {
    ...{ name: 'pi', file: 'pi/session.jsonl', rules: ofTable(piRecords) },
    ...{ heldIn: '/home/user/repos/pi', since: '2026-11-15T01:17:28Z' },
    messages: ['LAB:HELLO', 'LAB:BASH /home/user/repos/pi/b.txt', 'LAB:ERR401'],
  },
]

const NEW_ID = '77777777-0000-4000-8000-000000000007'

describe.each(SAMPLES)('a conversation of $name', ({ file, rules, heldIn, messages, since }) => {
  const text = telemetry(file)
  const cut = (wanted: string, from = since, more: object = {}) =>
    cutRecords({ text, rules, heldIn: [heldIn], point: { before: { text: wanted, since: new Date(from) } }, ...more })
  const entered = (some: ReturnType<typeof cut>) =>
    'records' in some ? some.records.flatMap((record) => rules.enteredText(record) ?? []) : []

  it('ends before the message that was entered then, and is a copy under another id', () => {
    const found = cut(messages.at(-1)!)
    expect(entered(found)).toEqual(messages.slice(0, -1))
    if (!('records' in found)) throw new Error(found.whyNot)
    const copy = copiedText(found.records, rules, { id: NEW_ID, moved: movedTo('/elsewhere/now', [heldIn]) })
    const original = JSON.parse(text.split('\n')[0]!)
    const ownId = original.payload?.id ?? original.sessionId ?? original.id
    expect(copy).toContain(NEW_ID)
    expect(copy.split('\n').filter((line) => line.includes(`"${ownId}"`))).toEqual([])
    // What it names of its directory has moved along, where the agent looks for it.
    const named = copy
      .trim()
      .split('\n')
      .flatMap((line) => rules.directory(JSON.parse(line)) ?? [])
    expect(new Set(named)).toEqual(new Set([heldIn === GEMINI ? GEMINI : '/elsewhere/now']))
  })

  it('is whole where nothing is to be left out', () => {
    const found = cutRecords({ text, rules, heldIn: [heldIn], point: { id: 'any' } })
    expect('records' in found && found.records.length).toBe(text.trim().split('\n').length)
  })

  it.each([
    ['a message that nobody entered', 'never entered', '2026-11-15T00:00:00Z', 'do not show that message'],
    ['one that was entered earlier', 'LAB:', '2027-01-01T00:00:00Z', 'do not show that message'],
    ['its first message', '', '2026-11-15T00:00:00Z', 'begins with that message'],
  ])('is not cut before %s', (_, wanted, from, why) => {
    expect(cut(wanted || messages[0]!, from)).toEqual({ whyNot: expect.stringContaining(why) })
  })

  it('is not taken when it was held in another directory, whatever that begins with', () => {
    for (const other of ['/home/other', `${heldIn}-2`, '/'])
      expect(cut(messages.at(-1)!, since, { heldIn: [other] })).toEqual({
        whyNot: 'its records name another directory',
      })
  })

  it('survives huge, broken and foreign lines', () => {
    const noise = [
      '{',
      '[]',
      'null',
      '"x"',
      `{"type":"user","cwd":"${'x'.repeat(4_000_000)}`,
      '{"type":"user"}',
      '\u0000',
    ]
    const lines = text.split('\n')
    const noisy = [...lines.slice(0, 1), ...noise, ...lines.slice(1), ...noise].join('\n')
    const found = cut(messages.at(-1)!, since, { text: noisy })
    expect(entered(found)).toEqual(messages.slice(0, -1))
  })
})

const userLine = (uuid: string, parentUuid: string | null, text: string, second: number, more: object = {}) =>
  JSON.stringify({
    ...{ type: 'user', uuid, parentUuid, sessionId: 'somebody-else', cwd: '/work' },
    ...{ timestamp: `2026-11-15T01:00:${second}Z`, message: { role: 'user', content: text }, ...more },
  })
const claude = (lines: string[], text: string) =>
  cutRecords({
    ...{ text: lines.join('\n'), rules: transcriptCut, heldIn: ['/work'] },
    point: { before: { text, since: new Date('2026-11-15T01:00:00Z') } },
  })
const ids = (found: ReturnType<typeof claude>) =>
  'records' in found ? found.records.map(({ uuid }) => uuid) : found.whyNot

describe('records as a tree', () => {
  it('are left out when they were tried and left before that message', () => {
    const lines = [
      userLine('a', null, 'one', 10),
      userLine('b', 'a', 'two', 11),
      userLine('x', 'b', 'tried', 12),
      userLine('c', 'b', 'three', 13),
    ]
    expect(ids(claude(lines, 'three'))).toEqual(['a', 'b'])
  })

  it('are no way back where they name a parent that is not there, or go in circles', () => {
    expect(ids(claude([userLine('a', null, 'one', 10), userLine('c', 'gone', 'three', 13)], 'three'))).toContain(
      'is not there',
    )
    // Nobody follows the circle.
    const circle = [userLine('a', 'b', 'one', 10), userLine('b', 'a', 'two', 11), userLine('c', 'c', 'three', 12)]
    expect(ids(claude(circle, 'three'))).toContain('is not there')
    expect(ids(claude(circle, 'two'))).toEqual(['a'])
  })

  it('count by what a person entered, not by what a sub-agent, a summary or a tool repeats', () => {
    const repeats = [{ isSidechain: true }, { isMeta: true }, { isCompactSummary: true }].map((more, at) =>
      userLine(`r${at}`, 'a', 'three', 11, more),
    )
    const lines = [userLine('a', null, 'one', 10), ...repeats, userLine('c', 'a', 'three', 13)]
    expect(ids(claude(lines, 'three'))).toEqual(['a', 'r0'])
  })
})

describe('files', () => {
  let home: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'cuts-'))
    remembered = []
  })
  afterEach(() => rmSync(home, { recursive: true }))

  const session = { workspacePath: '/work' } as Session
  const point = { before: { text: 'two', since: new Date('2026-11-15T01:00:00Z') } }
  const lines = [userLine('a', null, 'one', 10), userLine('b', 'a', 'two', 11)].join('\n')
  let remembered: string[]
  const forkOf = (...names: string[]) =>
    forkOfRecords({
      rules: transcriptCut,
      find: async () => names.map((name) => ({ id: name, path: join(home, name) })),
      target: async ({ conversationId }) => join(home, 'copies', `${conversationId}.jsonl`),
      remember: async (_, path) => void remembered.push(path),
      command: () => [],
    })
  const launch = { conversationId: NEW_ID, workspacePath: '/work' } as AgentLaunch

  it('are copied, never changed, and never written over', async () => {
    writeFileSync(join(home, 'own'), lines)
    const fork = forkOf('missing', 'own')
    expect(await fork.whyNot(session, '', point)).toBe(null)
    expect(await fork.copy(session, '', launch, point)).toBe(NEW_ID)
    expect(readFileSync(join(home, 'own'), 'utf8')).toBe(lines)
    const copy = join(home, 'copies', `${NEW_ID}.jsonl`)
    expect(
      readFileSync(copy, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ uuid: 'a', sessionId: NEW_ID, cwd: '/work' }])
    await expect(fork.copy(session, '', launch, point)).rejects.toThrow('already exists')
  })

  it('are not read through a link, from a directory or a pipe', async () => {
    writeFileSync(join(home, 'own'), lines)
    symlinkSync(join(home, 'own'), join(home, 'link'))
    mkdirSync(join(home, 'directory'))
    const fork = forkOf('link', 'directory')
    expect(await fork.whyNot(session, '', point)).toMatch(/cannot be read: .* is a directory/)
    expect(await forkOf('link').whyNot(session, '', point)).toMatch(/cannot be read: .* is a symbolic link/)
    expect(await fork.copy(session, '', launch, point)).toBe(null)
  })

  it('end no agent when they are nested more deeply than can be written', async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    writeFileSync(join(home, 'own'), `${deep}\n${lines}`)
    expect(await forkOf('own').whyNot(session, '', point)).toContain('cannot be copied')
  })

  it('are known as the newest conversation only once they are there', async () => {
    writeFileSync(join(home, 'own'), lines)
    const fork = forkOf('own')
    writeFileSync(join(home, 'copies'), '')
    await expect(fork.copy(session, '', launch, point)).rejects.toThrow()
    expect(remembered).toEqual([])
    rmSync(join(home, 'copies'))
    await fork.copy(session, '', launch, point)
    expect(remembered).toEqual([join(home, 'copies', `${NEW_ID}.jsonl`)])
  })

  it('are only the named one where a conversation is named', async () => {
    writeFileSync(join(home, 'own'), lines)
    expect(await forkOf('own').whyNot(session, '', { id: 'other' })).not.toBe(null)
    expect(await forkOf('own').whyNot(session, '', { id: 'own' })).toBe(null)
    expect(dirname(home)).toBe(tmpdir())
  })
})
