import { describe, expect, it } from 'vitest'
import { isWholeAghId } from '../../contract/ids.ts'
import { matchSession } from './match-session.ts'

const session = (id: string, name: string | null = null, state = 'active') => ({ id, name, state })

describe('the session that a person means', () => {
  const all = [
    session('sess-aaaa000000000001', 'review'),
    session('sess-aaab000000000002', 'docs', 'stopped'),
    session('sess-bbbb000000000003', 'review', 'stopped'),
    session('sess-cccc000000000004', 'twice'),
    session('sess-dddd000000000005', 'twice'),
    session('sess-eeee000000000006', 'aaaa'),
  ]
  it.each([
    ['sess-aaab000000000002', 'sess-aaab000000000002', 'its id'],
    ['sess-b', 'sess-bbbb000000000003', 'the beginning of its id'],
    ['bb', 'sess-bbbb000000000003', 'the beginning without what all ids have'],
    ['docs', 'sess-aaab000000000002', 'its name'],
    ['review', 'sess-aaaa000000000001', 'the name of one that runs and one that is stopped'],
    ['aaaa', 'sess-eeee000000000006', 'a name that is also the beginning of an id'],
  ])('%s is %s: %s', (reference, id) => {
    expect(matchSession(reference, all)).toEqual({ kind: 'one', id })
  })

  it('is not guessed when there are several, and not made up when there is none', () => {
    expect(matchSession('twice', all)).toMatchObject({ kind: 'several', ids: { length: 2 } })
    expect(matchSession('aaa', all)).toMatchObject({ kind: 'several', ids: { length: 2 } })
    expect(matchSession('xyz', all)).toEqual({ kind: 'none' })
    expect(matchSession('', all)).toEqual({ kind: 'none' })
    expect(matchSession('sess-0', [])).toEqual({ kind: 'none' })
  })

  it('is requested immediately when its whole id is given', () => {
    expect(isWholeAghId('sess-aaaa000000000001')).toBe(true)
    expect(isWholeAghId('sess-aaaa')).toBe(false)
    expect(isWholeAghId('..')).toBe(false)
  })
})
