import { describe, expect, it } from 'vitest'
import { fillFrom } from './pr-create.ts'

const commit = (subject: string, body = '') => ({ sha: '', subject, body, name: '', email: '', at: '' })

describe('gh pr create --fill', () => {
  it('takes title and text from the only commit', () => {
    expect(fillFrom([commit('Add a', 'Because.')], 'feat/x', 'fill')).toEqual({ title: 'Add a', body: 'Because.' })
  })

  it('takes the branch and a list of several', () => {
    const filled = fillFrom([commit('one', 'x'), commit('two')], 'feat/issue-1_b', 'fill')
    expect(filled).toEqual({ title: 'feat/issue 1 b', body: '- one\n- two' })
  })

  it('takes the first with --fill-first, and everything with --fill-verbose', () => {
    const commits = [commit('one', 'x'), commit('two')]
    expect(fillFrom(commits, 'b', 'fill-first')).toEqual({ title: 'one', body: 'x' })
    expect(fillFrom(commits, 'b', 'fill-verbose').body).toBe('- **one**\n  x\n- **two**')
  })

  it('has nothing to say about no commits', () => {
    expect(() => fillFrom([], 'b', 'fill')).toThrow(/no commits/)
  })
})
