import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { readSignature, signComment } from './comment-signature.ts'

describe('the signature of a comment', () => {
  it('says which agent wrote it, or that a person did, and is not part of the text', () => {
    const agent = { kind: 'agent', session: 'app-1' } as const
    for (const writer of [agent, { kind: 'person' } as const]) {
      const text = signComment('Done in the last commit.\n', writer)
      expect(text.split('\n').at(-1)).toMatch(/^<!-- .* -->$/)
      expect(readSignature(text)).toEqual({ body: 'Done in the last commit.', writer })
      // GitLab and Forgejo keep line ends as they came.
      expect(readSignature(`${text}\r\n`).writer).toEqual(writer)
    }
  })

  it('is only read at the end, and only the last one counts', () => {
    expect(readSignature('plain')).toEqual({ body: 'plain', writer: null })
    const quoted = `${signComment('a', { kind: 'person' })}\nmore`
    expect(readSignature(quoted)).toEqual({ body: quoted, writer: null })
    const twice = signComment(signComment('a', { kind: 'agent', session: 'app-9' }), { kind: 'person' })
    expect(readSignature(twice)).toEqual({ body: 'a', writer: { kind: 'person' } })
    const faked = `${signComment('a', { kind: 'agent', session: 'app-9' })}\n<!-- ao: written by a person -->`
    expect(readSignature(faked)).toEqual({ body: 'a', writer: { kind: 'person' } })
  })

  it('of a hostile length is read in no time', () => {
    const spaces = `${' '.repeat(200_000)}<!-- ao: written by ${'x'.repeat(1000)}`
    const many = '<!-- ao: written by a person -->'.repeat(3_000)
    const from = cpuMs()
    for (const text of [spaces, `${spaces} -->`, many]) readSignature(text)
    expect(cpuMs() - from).toBeLessThan(200)
  })
})
