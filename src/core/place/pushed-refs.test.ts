import { describe, expect, it } from 'vitest'
import { parsePushedRef, refusePush } from './pushed-refs.ts'

describe('a push from a place', () => {
  const rule = { own: ['session/app-1', 'topic'], defaultBranch: 'main' }
  const [old, now] = ['a'.repeat(40), 'b'.repeat(40)]

  it.each(['session/app-1', 'topic'])('passes on the session’s own branch %s', (branch) => {
    expect(refusePush({ old, now, ref: `refs/heads/${branch}` }, rule)).toBeNull()
  })

  it.each([
    ['the default branch', { old, now, ref: 'refs/heads/main' }],
    ['a branch of somebody else', { old, now, ref: 'refs/heads/release' }],
    ['a tag', { old, now, ref: 'refs/tags/v1' }],
    ['any other ref', { old, now, ref: 'refs/ao/rescue/x/1' }],
    ['a deletion', { old, now: '0'.repeat(40), ref: 'refs/heads/topic' }],
  ])('refuses %s', (_what, pushed) => expect(refusePush(pushed, rule)).not.toBeNull())

  it('reads git’s own lines and no others', () => {
    expect(parsePushedRef(`${old} ${now} refs/heads/x`)).toEqual({ old, now, ref: 'refs/heads/x' })
    for (const line of ['', 'x y z', `${old} ${now}`, `--upload-pack=x ${now} refs/heads/x`]) {
      expect(parsePushedRef(line)).toBeNull()
    }
  })
})
