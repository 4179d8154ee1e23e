import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome } from '../../../test/support/temp-home.ts'
import { testProgram } from '../../../test/support/test-program.ts'
import { createPaths } from '../paths.ts'
import { createFeedbackStore, dedupeKeyOf, type FeedbackStore } from './feedback.ts'
import type { FeedbackInput } from './feedback-schema.ts'

const ADDER = testProgram('add-feedback')

let base: string
let directory: string
let store: FeedbackStore
const clock = { now: () => new Date('2026-03-01T10:30:00.123Z') }

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'ao-feedback-'))
  directory = join(base, 'feedback-reports')
  store = createFeedbackStore({ paths: { feedback: directory }, clock })
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const REPORT: FeedbackInput = {
  tool: 'bug_report',
  title: 'ao send says seen too early',
  body: 'First line\nsecond line = with a sign\r\n\n\ttabbed, 100% sure, %0A stays\n',
  session: 'mya-1',
  source: 'ao send mya-2',
  confidence: 0.8,
  evidence: ['exit code 0', 'two\nlines'],
}

describe('a stored report', () => {
  it('S1.94 S1.96 is a file report_{timestamp}_{uuid8}.kv whose name is its id', async () => {
    const { id, stored } = await store.add(REPORT)
    expect(stored).toBe(true)
    expect(id).toMatch(/^report_2026-03-01T10-30-00-123Z_[0-9a-f]{8}$/)
    expect(readdirSync(directory)).toEqual([`${id}.kv`])
    expect(store.get(id)?.id).toBe(id)
  })

  it('S1.94 S1.95 S1.97 S1.99 S1.101 holds one KEY=VALUE pair a line', async () => {
    const { id } = await store.add(REPORT)
    const lines = readFileSync(join(directory, `${id}.kv`), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines).toEqual([
      'version=1',
      `id=${id}`,
      'tool=bug_report',
      'createdAt=2026-03-01T10:30:00.123Z',
      expect.stringMatching(/^dedupeKey=[0-9a-f]{16}$/),
      'title=ao send says seen too early',
      expect.stringMatching(/^body=First line%0Asecond line = with a sign/),
      'session=mya-1',
      'source=ao send mya-2',
      'confidence=0.8',
      'evidence.0=exit code 0',
      'evidence.1=two%0Alines',
    ])
  })

  it('S1.98 S1.101 is read back intact, several lines included', async () => {
    const { id } = await store.add(REPORT)
    expect(store.get(id)).toEqual({
      ...REPORT,
      version: '1',
      id,
      createdAt: '2026-03-01T10:30:00.123Z',
      dedupeKey: dedupeKeyOf(REPORT),
    })
    expect(store.list()).toEqual({ reports: [store.get(id)], damaged: [] })
  })

  it('S1.98 is read back intact whatever an agent writes', async () => {
    const wild = fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }).filter((text) => text.trim() !== '')
    await fc.assert(
      fc.asyncProperty(wild, wild, fc.array(wild, { maxLength: 12 }), async (title, body, evidence) => {
        const { id } = await store.add({ ...REPORT, title, body, evidence })
        // Equal but for case or blanks to an earlier one: then that one was kept.
        expect(dedupeKeyOf(store.get(id)!)).toBe(dedupeKeyOf({ ...REPORT, title, body, evidence }))
        const report = store.get(id)!
        if (report.title === title) expect(report).toMatchObject({ title, body, evidence })
      }),
      { numRuns: 60 },
    )
  })

  it('S1.102 stays when others come', async () => {
    for (let n = 0; n < 5; n++) await store.add({ ...REPORT, title: `Report ${n}` })
    expect(
      store
        .list()
        .reports.map((report) => report.title)
        .sort(),
    ).toEqual([0, 1, 2, 3, 4].map((n) => `Report ${n}`))
  })

  it('S1.103 is listed by the ls line of the documents', async () => {
    const temp = createTempHome()
    const paths = createPaths({
      configPath: join(temp.home, 'agent-orchestrator.yaml'),
      home: temp.home,
      env: temp.env,
    })
    const { id } = await createFeedbackStore({ paths: paths.project('myapp'), clock }).add(REPORT)
    const ls = execFileSync('bash', ['-c', 'ls ~/.agent-orchestrator/*-myapp/feedback-reports/'], { env: temp.env })
    expect(ls.toString()).toBe(`${id}.kv\n`)
    expect(await temp.cleanup()).toEqual([])
  })
})

describe('what was already reported', () => {
  it.each<[string, Partial<FeedbackInput>]>([
    ['word for word', {}],
    ['with other confidence', { confidence: 0.1 }],
    ['in other case and with other blanks', { title: '  AO send\n says   seen too early ' }],
    ['with evidence in another order', { evidence: ['two\nlines', 'exit code 0'] }],
  ])('S1.97 is not stored a second time: %s', async (_how, change) => {
    const first = await store.add(REPORT)
    expect(await store.add({ ...REPORT, ...change })).toEqual({ id: first.id, stored: false, duplicateOf: first.id })
    expect(readdirSync(directory)).toHaveLength(1)
  })

  it.each<[string, Partial<FeedbackInput>]>([
    ['tool', { tool: 'improvement_suggestion' }],
    ['title', { title: 'Another' }],
    ['body', { body: 'Another' }],
    ['session', { session: 'mya-2' }],
    ['source', { source: 'ao status' }],
    ['evidence', { evidence: [] }],
  ])('S1.97 is another report with another %s', async (_field, change) => {
    await store.add(REPORT)
    expect((await store.add({ ...REPORT, ...change })).stored).toBe(true)
    expect(readdirSync(directory)).toHaveLength(2)
  })

  it('S1.97 is stored once when several processes say it at the same time', async () => {
    const run = promisify(execFile)
    const runs = await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, [ADDER, directory, '10'])))
    const answers = runs.flatMap(({ stdout }) => stdout.trim().split('\n')).map((line) => JSON.parse(line))
    expect(answers).toHaveLength(40)
    expect(answers.filter((answer) => answer.stored)).toHaveLength(10)
    expect(readdirSync(directory)).toHaveLength(10)
  })
})

describe('what is refused', () => {
  it.each([-0.01, 1.01, Number.NaN, Number.POSITIVE_INFINITY, '0.5', undefined])(
    'S1.100 is a confidence of %s',
    async (confidence) => {
      await expect(store.add({ ...REPORT, confidence })).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringContaining('confidence'),
      })
    },
  )

  it.each([0, 0.5, 1])('S1.100 is not a confidence of %s', async (confidence) => {
    const { id } = await store.add({ ...REPORT, confidence })
    expect(store.get(id)?.confidence).toBe(confidence)
  })

  it.each<[string, Record<string, unknown>]>([
    ['an empty title', { title: '  ' }],
    ['a title as long as a body', { title: 'x'.repeat(201) }],
    ['a body without end', { body: 'x'.repeat(20_001) }],
    ['too much evidence', { evidence: Array.from({ length: 21 }, () => 'x') }],
    ['another tool', { tool: 'complaint' }],
    ['a session that is a path', { session: '../../etc' }],
    ['a field that does not exist', { severity: 'high' }],
  ])('is %s', async (_what, change) => {
    await expect(store.add({ ...REPORT, ...change })).rejects.toMatchObject({ code: 'USAGE' })
  })
})

describe('reading', () => {
  it('finds nothing where nothing was reported', () => {
    expect(store.list()).toEqual({ reports: [], damaged: [] })
    expect(store.get('report_x_00000000')).toBeNull()
  })

  it('does not leave its directory', () => {
    writeFileSync(join(base, 'secret.kv'), 'version=1\n')
    expect(store.get('../secret')).toBeNull()
  })

  it('names a damaged file and continues with the others', async () => {
    const { id } = await store.add(REPORT)
    const broken = 'report_2026-03-02T00-00-00-000Z_00000000'
    writeFileSync(join(directory, `${broken}.kv`), 'version=1\ntitle=half')
    writeFileSync(join(directory, 'notes.txt'), 'by hand')
    const { reports, damaged } = store.list()
    expect(reports.map((report) => report.id)).toEqual([id])
    expect(damaged).toEqual([{ file: join(directory, `${broken}.kv`), why: expect.stringContaining('body') }])
    expect(() => store.get(broken)).toThrow(expect.objectContaining({ code: 'METADATA_DAMAGED' }))
  })

  it('keeps a report that somebody added keys to, and lists the newest first', async () => {
    const { id } = await store.add(REPORT)
    writeFileSync(join(directory, `${id}.kv`), `${readFileSync(join(directory, `${id}.kv`), 'utf8')}triaged=yes\n`)
    const later = createFeedbackStore({ paths: { feedback: directory }, clock: { now: () => new Date('2026-03-02') } })
    const second = await later.add({ ...REPORT, title: 'Later' })
    expect(store.list().reports.map((report) => report.id)).toEqual([second.id, id])
  })
})
