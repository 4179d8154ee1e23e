import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AoError } from '../../contract/errors.ts'
import { readProposal } from './read-proposal.ts'

const NAMES = { project: 'app', isProject: (id: string) => id === 'app' || id === 'web' }
const part = (key: string, more: object = {}) => ({ key, title: `Do ${key}`, ...more })
const read = (...children: unknown[]) => readProposal(JSON.stringify({ children }), NAMES)

describe('a proposal', () => {
  it('comes out in an order in which each part follows what it needs', () => {
    const children = read(part('ui', { needs: ['api', 'api'] }), part('api', { project: 'web', body: 'x' }))
    expect(children).toEqual([
      { key: 'api', title: 'Do api', body: 'x', project: 'web', needs: [] },
      { key: 'ui', title: 'Do ui', body: '', project: 'app', needs: ['api'] },
    ])
  })

  it('has twenty parts at most', () => {
    expect(read(...Array.from({ length: 20 }, (_, at) => part(`p${at}`)))).toHaveLength(20)
  })

  it.each<[string, unknown[], string]>([
    ['none', [], '0 parts'],
    ['one part too many', Array.from({ length: 21 }, (_, at) => part(`p${at}`)), '21 parts, and 1 to 20'],
    ['ten thousand', Array.from({ length: 10_000 }, (_, at) => part(`p${at}`)), '10000 parts'],
    ['a key twice', [part('a'), part('a')], 'the same key'],
    ['a key that is a path', [part('../../etc')], 'is not a word'],
    ['a key of every object', [part('__proto__')], 'is not a word'],
    ['a part that is not there', [part('a', { needs: ['b'] })], 'a needs b, which is not one'],
    ['a circle', [part('a', { needs: ['b'] }), part('b', { needs: ['a'] })], 'a needs b needs a'],
    ['itself', [part('a', { needs: ['a'] })], 'a needs a'],
    ['a title of two lines', [part('a', { title: 'x\ny' })], 'not one line'],
    ['a title that acts on a terminal', [part('a', { title: '\u001b]0;x\u0007' })], 'not one line'],
    ['a title that runs backwards', [part('a', { title: 'x\u202ey' })], 'not one line'],
    ['a book', [part('a', { body: 'x'.repeat(30_000) })], 'at most 20000'],
    ['a project that is not configured', [part('a', { project: 'constructor' })], 'which is not configured'],
    ['a session of its own choice', [part('a', { session: 'app-1' })], 'a field "session"'],
    ['a number', [7], 'is not a word'],
  ])('is refused with %s', (_, children, why) => {
    expect(() => read(...children)).toThrow(why)
  })

  it('is read or refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          readProposal(text, NAMES)
        } catch (error) {
          expect(error).toBeInstanceOf(AoError)
        }
      }),
    )
  })
})
