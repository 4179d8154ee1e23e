import { describe, expect, it } from 'vitest'
import { sampleMeta } from '../../../../test/agh/sample-meta.ts'
import { MAX_CHILDREN, MAX_DEPTH, narrowest, planSpawn, requireResumable } from './plan-spawn.ts'

const parent = sampleMeta({ id: 'sess-p', permissions: 'approve-reads' })
const now = Date.parse('2026-01-01T00:00:00Z')
const facts = { parent, liveChildren: 0, now }
const deep = { ...parent, lineage: { ...parent.lineage, spawn_depth: MAX_DEPTH } }

describe('planSpawn', () => {
  it('S4.118 records parent, root, depth, role and end', () => {
    expect(planSpawn(facts, { ttl_seconds: 60, role: 'tester' })).toEqual({
      lineage: {
        parent_session_id: 'sess-p',
        root_session_id: 'sess-1234',
        spawn_depth: 1,
        spawn_role: 'tester',
        ttl_expires_at: '2026-01-01T00:01:00.000Z',
      },
      ceiling: 'approve-reads',
      directories: [],
    })
  })

  it('does not let a child outlive the time of its parent', () => {
    const short = { ...parent, lineage: { ...parent.lineage, ttl_expires_at: '2026-01-01T00:00:10.000Z' } }
    expect(planSpawn({ ...facts, parent: short }, { ttl_seconds: 60 }).lineage.ttl_expires_at).toBe(
      '2026-01-01T00:00:10.000Z',
    )
  })

  it.each([
    [
      'more rights than its parent has',
      facts,
      { ttl_seconds: 1, permissions: 'approve-all' as const },
      'may not have approve-all',
    ],
    ['too deep', { ...facts, parent: deep }, { ttl_seconds: 1 }, 'deep'],
    ['too many', { ...facts, liveChildren: MAX_CHILDREN }, { ttl_seconds: 1 }, 'live children'],
  ])('S4.118 refuses %s', (_name, given, request, message) => {
    expect(() => planSpawn(given, request)).toThrow(message)
  })

  it('lets a child have as much as its parent, to the last depth and the last place', () => {
    const last = { ...parent, lineage: { ...parent.lineage, spawn_depth: MAX_DEPTH - 1 } }
    const plan = planSpawn(
      { parent: last, liveChildren: MAX_CHILDREN - 1, now },
      { ttl_seconds: 1, permissions: 'approve-reads' },
    )
    expect(plan).toMatchObject({ ceiling: 'approve-reads', lineage: { spawn_depth: MAX_DEPTH, spawn_role: 'worker' } })
    expect([MAX_DEPTH, MAX_CHILDREN]).toEqual([3, 5])
  })

  it.each([
    ['has no end and no parent', null, null, false, null],
    ['has time left', now + 1, null, false, null],
    ['was spawned by one that runs', now + 1, 'sess-p', true, null],
    ['has just come to its end', now, null, false, 'time was over'],
    ['was spawned by one that has ended', null, 'sess-p', false, 'its parent sess-p is not running'],
  ])('resumes a session that %s, or says why not', (_which, end, from, parentLives, problem) => {
    const ttl_expires_at = end === null ? null : new Date(end).toISOString()
    const meta = sampleMeta({ lineage: { ...parent.lineage, parent_session_id: from, ttl_expires_at } })
    const resume = () => requireResumable(meta, { now, parentLives })
    if (problem === null) expect(resume).not.toThrow()
    else {
      const hint = expect.stringMatching(/another|agh session resume sess-p/)
      expect(resume).toThrow(
        expect.objectContaining({ code: 'STATE_REFUSED', message: expect.stringContaining(problem), hint }),
      )
    }
  })

  it('narrows', () => {
    expect(narrowest('deny-all', 'deny-all')).toBe('deny-all')
    expect(narrowest('approve-all', 'deny-all')).toBe('deny-all')
    expect(narrowest('approve-reads', 'approve-all')).toBe('approve-reads')
  })
})
