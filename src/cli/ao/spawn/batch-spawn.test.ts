import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../../test/support/sample-session.ts'
import { planBatch } from './batch-spawn.ts'

const issue = (issueId: string, projectId = 'app') => ({ projectId, issueId })

describe('planBatch', () => {
  it('skips issues with a running session, whatever their case or #', () => {
    const plan = planBatch(
      [issue('#42'), issue('int-7'), issue('8')],
      [sampleSession({ id: 'app-1', issueId: '42' }), sampleSession({ id: 'app-2', issueId: 'INT-7' })],
    )
    expect(plan.toSpawn).toEqual([issue('8')])
    expect(plan.skipped).toEqual([
      { issue: '#42', reason: 'session app-1 works on it' },
      { issue: 'int-7', reason: 'session app-2 works on it' },
    ])
  })

  it('starts again what has ended', () => {
    expect(planBatch([issue('42')], [sampleSession({ status: 'killed' })]).toSpawn).toEqual([issue('42')])
    expect(planBatch([issue('42')], [sampleSession({ activity: 'exited' })]).toSpawn).toEqual([issue('42')])
  })

  it('starts a repeated issue once, and the same number in another project', () => {
    const plan = planBatch([issue('1'), issue('#1'), issue('1', 'api')], [])
    expect(plan.toSpawn).toEqual([issue('1'), issue('1', 'api')])
    expect(plan.skipped).toEqual([{ issue: '#1', reason: 'named twice' }])
  })
})
