import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesPairs, RECORD_TABLE, type RecordChange, type RecordName, readRecord, writeRecord } from './record.ts'

const NAMES = Object.keys(RECORD_TABLE) as RecordName[]

describe('the record of a session', () => {
  it.each<[string, RecordName, string, unknown]>([
    ['a status', 'status', 'pr_open', 'pr_open'],
    ['an unknown status', 'status', 'happy', undefined],
    ['a time', 'createdAt', '2024-01-15T10:30:00.000Z', new Date('2024-01-15T10:30:00Z')],
    ['an invalid time', 'createdAt', 'yesterday', undefined],
    ['a number', 'launch', '3', 3],
    ['an invalid number', 'launch', 'many', undefined],
    ['an empty text', 'branch', '', undefined],
    ['a handle', 'runtimeHandle', '{"id":"a","runtimeName":"tmux"}', { id: 'a', runtimeName: 'tmux' }],
    ['the bare tmux name of an old record', 'runtimeHandle', 'abc-app-1', { id: 'abc-app-1', runtimeName: 'tmux' }],
    ['a broken handle', 'runtimeHandle', '{"id":', undefined],
    ['a handle without a runtime', 'runtimeHandle', '{"id":"a"}', undefined],
    ['broken data of an operation', 'operationData', '[', undefined],
    [
      'data of an operation as it was always written',
      'operationData',
      '{"previous":"killed","keepWorkspace":"false","force":"true","place":"","by":"the user","of":"a later version"}',
      { previous: 'killed', keepWorkspace: false, force: true, by: 'the user' },
    ],
    [
      'data of an operation with values of other types',
      'operationData',
      '{"previous":"happy","keepWorkspace":1,"spawnId":{},"endAs":"killed"}',
      {},
    ],
  ])('reads %s', (_what, name, text, value) => {
    expect(readRecord({ [name]: text })[name]).toEqual(value)
  })

  it('is read whatever it contains, and what was understood is written as it was read', () => {
    const pairs = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), fc.string())
    fc.assert(
      fc.property(pairs, (given) => {
        const { status: _derived, ...change } = readRecord(given)
        expect(readRecord(writeRecord(change) as Record<string, string>)).toEqual(change)
      }),
    )
  })

  it('would be another one exactly when what is written differs from what is there', () => {
    const pairs = fc.dictionary(fc.constantFrom(...NAMES, 'plugin'), fc.constantFrom('', 'a', 'yes', '3', 'true', '[]'))
    fc.assert(
      fc.property(pairs, pairs, fc.subarray(NAMES), (there, given, deleted) => {
        const { status: _derived, ...fields } = readRecord(given)
        const { status: _kept, ...gone } = Object.fromEntries(deleted.map((name) => [name, null]))
        const change = { ...fields, ...gone, model: undefined, others: { plugin: given.plugin ?? 'b' } } as RecordChange
        const written = Object.entries(writeRecord(change))
        expect(changesPairs(there, change)).toBe(written.some(([name, value]) => (there[name] ?? null) !== value))
      }),
    )
  })

  it('writes the data of an operation as text, as every version reads it', () => {
    const operationData = {
      previous: 'working',
      keepWorkspace: true,
      pause: false,
      spawnId: 's',
      place: undefined,
    } as const
    expect(writeRecord({ operationData })).toEqual({
      operationData: '{"previous":"working","keepWorkspace":"true","pause":"false","spawnId":"s"}',
    })
  })

  it('lets only the store write the status, which follows from the facts', () => {
    // @ts-expect-error The compiler refuses it, and so does the code.
    const change: RecordChange = { status: 'merged', branch: 'b', others: { status: 'merged', own: 'x' } }
    expect(writeRecord(change)).toEqual({ branch: 'b', own: 'x' })
  })

  it('knows no key that every object has', () => {
    expect(readRecord(JSON.parse('{"__proto__":"x","constructor":"y"}'))).toEqual({})
  })

  it('deletes with null, leaves alone with undefined, and passes on what only a plugin knows', () => {
    expect(writeRecord({ pr: null, branch: undefined, launch: 2, others: { mine: 'x' } })).toEqual({
      mine: 'x',
      pr: null,
      launch: '2',
    })
  })
})

it('docs/records.md lists every key; the list there is what this prints', () => {
  const rows = NAMES.map((name) => {
    const { writer, meaning } = RECORD_TABLE[name]
    return `- \`${name}\`${writer === 'ao' ? '' : '\\*'} ${meaning}`
  })
  const page = readFileSync(new URL('../../docs/records.md', import.meta.url), 'utf8')
  expect(page).toContain(rows.join('\n'))
})

describe('what a session claims of itself', () => {
  const PR = 'https://github.com/o/r/pull/1'
  const facts = (state: string) => JSON.stringify({ url: PR, state, ci: 'none', review: 'none', mergeable: null })

  it.each<[string, Record<string, string>, string]>([
    ['a merge that only the session reports', { pr: PR, mergeReported: 'yes' }, 'pr_open'],
    ['a merge without a pull request', { mergeReported: 'yes' }, 'working'],
    ['a merge that the forge denies', { pr: PR, mergeReported: 'yes', prFacts: facts('open') }, 'pr_open'],
    ['a merge that the forge confirms', { pr: PR, mergeReported: 'yes', prFacts: facts('merged') }, 'merged'],
    ['a merge of another pull request', { pr: `${PR}2`, mergeReported: 'yes', prFacts: facts('merged') }, 'pr_open'],
    ['a merge that ao made', { pr: PR, mergeReported: 'yes', endedAs: 'merged' }, 'merged'],
    ['a person who edited the file', {}, 'merged'],
  ])('%s', (_what, pairs, status) => {
    expect(readRecord({ status: 'merged', ...pairs }).status).toBe(status)
  })

  it.each([
    'javascript:alert(1)',
    '--help',
    '1',
    'javascript://x/y',
    'file:///x',
    'DATA://x/y',
    'https://',
    'https://a/b c',
  ])('%j is not a pull request', (pr) => {
    expect(readRecord({ pr }).pr).toBeUndefined()
  })

  it.each(['--help', '-b', 'a..b', 'a b', 'x.lock', '@', 'HEAD', 'x@{1}', 'a:b', 'a\u001b'])(
    '%j is not a branch',
    (branch) => {
      expect(readRecord({ branch }).branch).toBeUndefined()
    },
  )
})
