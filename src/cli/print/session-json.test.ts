import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import { sortedById, toSessionJson } from './session-json.ts'

describe('toSessionJson', () => {
  it('S0.9 holds no name of the runtime', () => {
    expect(JSON.stringify(toSessionJson(sampleSession()))).not.toContain('a3b4c5d6e7f8')
  })

  it('has the documented keys and null for what is unknown', () => {
    expect(toSessionJson(sampleSession())).toEqual({
      id: 'app-1',
      projectId: 'app',
      role: 'worker',
      status: 'working',
      activity: 'active',
      branch: 'feat/42',
      issueId: '42',
      pr: null,
      title: 'app-1',
      summary: null,
      agent: 'claude-code',
      account: null,
      place: null,
      runtime: 'tmux',
      workspacePath: '/home/someone/.worktrees/app/app-1',
      cost: null,
      createdAt: '2026-03-04T10:00:00.000Z',
      lastActivityAt: '2026-03-04T11:55:00.000Z',
      restoredAt: null,
    })
  })

  it.each([
    [{ id: 'app-orchestrator' }, 'orchestrator'],
    [{ metadata: { role: 'orchestrator' } }, 'orchestrator'],
    [{}, 'worker'],
  ])('knows the role of %j', (overrides, role) => {
    expect(toSessionJson(sampleSession(overrides)).role).toBe(role)
  })

  it('reads the number of a pull request from its URL', () => {
    const pr = { url: 'https://github.com/acme/app/pull/42' }
    expect(toSessionJson(sampleSession({ pr })).pr).toEqual({ ...pr, number: 42 })
    expect(toSessionJson(sampleSession({ pr: { url: 'local:7' } })).pr).toEqual({ url: 'local:7', number: null })
  })
})

describe('sortedById', () => {
  it('sorts by project, then by number, orchestrators last', () => {
    const ids = ['app-10', 'app-orchestrator', 'app-2', 'app-1'].map((id) => sampleSession({ id }))
    const other = sampleSession({ id: 'api-3', projectId: 'api' })
    expect(sortedById([...ids, other]).map(({ id }) => id)).toEqual([
      'api-3',
      'app-1',
      'app-2',
      'app-10',
      'app-orchestrator',
    ])
  })
})
