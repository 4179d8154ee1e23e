import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { sampleSession } from '../../../test/support/sample-session.ts'
import { type Blocker, type ObservedBlocker, parseBlocker, type Stand, writeBlocker } from '../../contract/blocker.ts'
import { decideStart } from './decide-start.ts'
import { connectedTo, drawStack } from './draw-stack.ts'
import { findCycle } from './find-cycle.ts'
import { stackOf } from './find-stacks.ts'
import {
  type BlockerNames,
  blockerName,
  blockersIn,
  MOST_BLOCKERS,
  readBlocker,
  relatedIssue,
} from './read-blockers.ts'

const NAMES: BlockerNames = {
  project: 'app',
  findProject: (name) => (['api', 'acme/tools/api'].includes(name) ? 'api' : null),
  isSession: (id) => id === 'app-3',
}

describe('what a reference means', () => {
  it.each<[string, Blocker | null]>([
    ['app-3', { kind: 'session', id: 'app-3' }],
    ['app-4', { kind: 'issue', project: 'app', id: 'app-4' }],
    ['12', { kind: 'issue', project: 'app', id: '12' }],
    ['#12', { kind: 'issue', project: 'app', id: '12' }],
    ['INT-7', { kind: 'issue', project: 'app', id: 'INT-7' }],
    ['api/12', { kind: 'issue', project: 'api', id: '12' }],
    ['pr:7', { kind: 'pull', project: 'app', number: 7 }],
    ['!7', { kind: 'pull', project: 'app', number: 7 }],
    ['api/pr:7', { kind: 'pull', project: 'api', number: 7 }],
    ['acme/tools/api#12', { kind: 'issue', project: 'api', id: '12' }],
    ['acme/elsewhere#12', null],
    ['web/12', null],
    ['pr:0', null],
    ['the login page', null],
    ['--help', null],
    ['../../etc/passwd', null],
    ['https://example.com/12', null],
    ['', null],
  ])('%s', (text, expected) => {
    expect(readBlocker(text, NAMES)).toEqual(expected)
  })

  it('keeps an issue that a tracker names in a repository that is no project', () => {
    expect(relatedIssue('acme/tools/api#12', NAMES)).toEqual({ kind: 'issue', project: 'api', id: '12' })
    expect(relatedIssue('acme/elsewhere#12', NAMES)).toEqual({ kind: 'issue', project: 'acme/elsewhere', id: '12' })
    for (const other of ['12', 'INT-7', 'api/12', 'acme/api#0', 'a b/c#1', '/c#1'])
      expect(relatedIssue(other, NAMES)).toBeNull()
  })

  it('reads Depends-On and Blocked-By lines of an issue, and nothing else of it', () => {
    const text = 'Fix it like #9.\n\nDepends-On: #12, api/3 and INT-7\n> blocked by: app-3\nDepends-On: the weather #x'
    expect(blockersIn(text, NAMES).map((one) => blockerName(one, 'app'))).toEqual(['#12', 'api/3', 'INT-7', 'app-3'])
  })

  it('takes no more than a few, whatever an issue says', () => {
    const text = `Depends-On: ${Array.from({ length: 90 }, (_, index) => index + 1).join(' ')}`
    expect(blockersIn(text, NAMES)).toHaveLength(MOST_BLOCKERS)
    let lookups = 0
    const counting = { ...NAMES, isSession: () => ++lookups < 0 }
    blockersIn('Depends-On: a b c d e f g h\n'.repeat(10_000), counting)
    expect(lookups).toBeLessThanOrEqual(100)
  })

  it('reads an issue of a megabyte in an instant, however it is written', () => {
    const long = 'x'.repeat(401)
    const texts = [
      `Depends-On:${' '.repeat(1e6)}${long}`,
      `${' '.repeat(1e6)}x`,
      `Depends-On${'\t'.repeat(1e6)}x`,
      '>*-'.repeat(3e5),
      `Depends-On: ${'a/'.repeat(5e5)}#1`,
    ]
    const began = cpuMs()
    for (const text of texts) expect(blockersIn(text, NAMES)).toEqual([])
    expect(cpuMs() - began).toBeLessThan(1_000)
    expect(blockersIn(`Depends-On: ${'#12 '.repeat(200)}`, NAMES)).toHaveLength(1)
  })

  it('survives a record word for word', () => {
    const id = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' })
    const blocker = fc.oneof(
      fc.record({ kind: fc.constant('issue' as const), project: id, id }),
      fc.record({ kind: fc.constant('pull' as const), project: id, number: fc.integer({ min: 1, max: 1e9 }) }),
    )
    fc.assert(
      fc.property(blocker, (one) => {
        const word = writeBlocker(one)
        expect(word).not.toMatch(/\s/)
        expect(parseBlocker(word)).toEqual(one)
      }),
    )
  })

  it.each(['', 'issue:', 'issue:app', 'pull:app:x', 'pull:app:0', 'session:a:b', 'issue:%:1', 'other:app:1'])(
    'is not read from %j',
    (word) => {
      expect(parseBlocker(word)).toBeNull()
    },
  )
})

describe('whether waiting work starts', () => {
  const needs = (...states: Array<[ObservedBlocker['state'], string]>): ObservedBlocker[] =>
    states.map(([state, detail], index) => ({ blocker: { kind: 'session', id: `app-${index + 1}` }, state, detail }))

  it.each<[string, ObservedBlocker[], ReturnType<typeof decideStart>]>([
    ['everything landed', needs(['landed', 'has landed']), { act: 'start', on: null }],
    ['nothing is needed', [], { act: 'start', on: null }],
    [
      'one of two is open',
      needs(['landed', 'has landed'], ['open', 'is working']),
      { act: 'wait', reason: 'it waits for app-2, which is working' },
    ],
    [
      'one could not be asked',
      needs(['unknown', 'could not be read']),
      { act: 'wait', reason: 'it waits for app-1, which could not be read' },
    ],
    [
      'one failed, whatever the others do',
      needs(['open', 'is working'], ['failed', 'was killed']),
      { act: 'ask', reason: 'it needs app-2, which was killed' },
    ],
  ])('%s', (_, observed, expected) => {
    expect(decideStart(observed, { project: 'app', speculate: false })).toEqual(expected)
  })

  describe('where it need not wait for work that it can stand on', () => {
    const stand = (session: string, ...under: string[]): Stand => ({ session, branch: `work/${session}`, under })
    const open = (session: string, on?: Stand): ObservedBlocker => ({
      blocker: { kind: 'session', id: session },
      state: 'open',
      detail: 'is working',
      stand: on,
    })
    const start = (...observed: ObservedBlocker[]) => decideStart(observed, { project: 'app', speculate: true })

    it('starts on the branch of the one that is open, whatever has landed in another repository', () => {
      const on = stand('app-2')
      expect(start(open('app-2', on))).toEqual({ act: 'start', on })
      const elsewhere = { blocker: { kind: 'issue', project: 'api', id: '12' }, state: 'landed', detail: '' } as const
      expect(start(elsewhere, open('app-2', on))).toEqual({ act: 'start', on })
    })

    it('starts on the top of a stack that holds all of them', () => {
      const top = stand('app-3', 'app-2', 'app-1')
      expect(start(open('app-1', stand('app-1')), open('app-3', top))).toEqual({ act: 'start', on: top })
    })

    it.each<[string, ObservedBlocker[]]>([
      ['two branches that do not hold each other', [open('app-1', stand('app-1')), open('app-2', stand('app-2'))]],
      ['one that has no branch yet', [open('app-1')]],
      [
        'the rest when one has landed, which the branch of the other may not hold',
        [...needs(['landed', 'has landed']), open('app-2', stand('app-2'))],
      ],
      ['one that could not be asked', [...needs(['unknown', 'could not be read']), open('app-2', stand('app-2'))]],
    ])('waits for %s', (_, observed) => {
      expect(start(...observed)).toMatchObject({ act: 'wait' })
    })

    it('asks a person about one that failed, whatever it could stand on', () => {
      expect(start(open('app-2', stand('app-2')), ...needs(['failed', 'was killed']))).toMatchObject({ act: 'ask' })
    })

    it('needs no permission for the base that a person named', () => {
      const on = stand('app-2', 'app-1')
      const decide = (...observed: ObservedBlocker[]) => decideStart(observed, { project: 'app', speculate: false, on })
      expect(decide(open('app-1', stand('app-1')))).toEqual({ act: 'start', on })
      expect(decide(open('app-9', stand('app-9')))).toMatchObject({ act: 'wait' })
    })
  })
})

describe('work that waits for itself', () => {
  const graph = (edges: Record<string, string[]>) => (key: string) => edges[key] ?? []

  it('is found with its way', () => {
    expect(findCycle('a', graph({ a: ['b', 'c'], b: ['d'], c: ['e'], e: ['a'] }))).toEqual(['a', 'c', 'e', 'a'])
    expect(findCycle('a', graph({ a: ['a'] }))).toEqual(['a', 'a'])
  })

  it('is not seen in a diamond, nor in a cycle of others', () => {
    expect(findCycle('a', graph({ a: ['b', 'c'], b: ['d'], c: ['d'] }))).toBeNull()
    expect(findCycle('a', graph({ a: ['b'], b: ['c'], c: ['b'] }))).toBeNull()
  })

  it('is found exactly when a walk leads back, and every step of it is an edge', () => {
    const nodes = ['a', 'b', 'c', 'd', 'e']
    const edges = fc.array(fc.tuple(fc.constantFrom(...nodes), fc.constantFrom(...nodes)), { maxLength: 12 })
    fc.assert(
      fc.property(edges, (list) => {
        const next = (key: string) => list.filter(([from]) => from === key).map(([, to]) => to)
        const reached = new Set(next('a'))
        for (const key of reached) for (const one of next(key)) reached.add(one)
        const cycle = findCycle('a', next)
        expect(cycle !== null).toBe(reached.has('a'))
        cycle?.slice(1).forEach((key, index) => {
          expect(next(cycle[index]!)).toContain(key)
        })
      }),
    )
  })
})

describe('the drawing of what waits for what', () => {
  const waits = (id: string, blockers: string, more: Record<string, string> = {}) =>
    sampleSession({ id, status: 'spawning', metadata: { blockers, waitsSince: '2026-01-01T00:00:00Z', ...more } })
  const lines = (...sessions: Parameters<typeof stackOf>[0][number][]) =>
    drawStack(stackOf(sessions)).map(({ prefix, node, isRepeated }) => `${prefix}${node.name}${isRepeated ? ' …' : ''}`)

  it('has a chain, a diamond and a stack on a branch, and leaves out what stands alone', () => {
    const first = sampleSession({ id: 'app-1', branch: 'feat/1' })
    expect(
      lines(
        first,
        waits('app-2', 'session:app-1'),
        waits('app-3', 'session:app-1'),
        waits('app-4', 'session:app-2 session:app-3'),
        sampleSession({ id: 'app-5', metadata: { stack: JSON.stringify({ on: 'app-1' }) } }),
        sampleSession({ id: 'app-6' }),
        waits('app-7', 'issue:app:12'),
      ),
    ).toEqual(['app-1', '├─ app-2', '│  └─ app-4', '├─ app-3', '│  └─ app-4 …', '└─ app-5', '#12', '└─ app-7'])
  })

  it('says what starts next, and what is connected with one of them', () => {
    const nodes = stackOf([
      sampleSession({ id: 'app-1' }),
      waits('app-2', 'session:app-1'),
      waits('app-3', 'session:app-2'),
      waits('app-9', 'issue:app:12'),
    ])
    expect(nodes.flatMap(({ name, next }) => (next ? [[name, next]] : []))).toEqual([
      ['app-2', ['app-1']],
      ['app-9', ['#12']],
    ])
    expect(connectedTo(nodes, 'app-3').map(({ name }) => name)).toEqual(['app-1', 'app-2', 'app-3'])
    expect(connectedTo(nodes, 'app-7')).toEqual([])
  })

  it('leaves out what has landed, unless something still needs it', () => {
    const merged = sampleSession({ id: 'app-2', status: 'merged', metadata: { stack: '{"on":"app-1"}' } })
    expect(lines(sampleSession({ id: 'app-1', status: 'merged' }), merged)).toEqual([])
    expect(lines(merged, waits('app-3', 'session:app-2'))).toEqual(['app-2', '└─ app-3'])
  })

  it('draws a stack of 50 in 50 lines', () => {
    const of = (index: number) => ({ stack: JSON.stringify({ on: `app-${index - 1}` }) })
    const stacked = Array.from({ length: 50 }, (_, index) => {
      return sampleSession({ id: `app-${index}`, metadata: index === 0 ? {} : of(index) })
    })
    expect(lines(...stacked)).toHaveLength(50)
  })

  it('shows records that lead in a circle, and ends', () => {
    expect(lines(waits('app-1', 'session:app-2'), waits('app-2', 'session:app-1'))).toHaveLength(3)
  })
})
