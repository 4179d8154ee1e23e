import { describe, expect, it } from 'vitest'
import { resolveRules, ruleSources } from './resolve-rules.ts'

const config = { reactions: { 'ci-failed': { retries: 5, priority: 'urgent' as const } } }
const project = { reactions: { 'ci-failed': { retries: 9, escalateAfter: '10m' } } }

describe('the effective rules', () => {
  it('takes each value from the nearest level that writes it', () => {
    expect(resolveRules(config, project)['ci-failed']).toMatchObject({
      auto: true,
      action: 'send-to-agent',
      priority: 'urgent',
      retries: 9,
      escalateAfterMs: 600_000,
    })
  })

  it('says where each value comes from', () => {
    expect(ruleSources(config, project)['ci-failed']).toEqual({
      auto: 'default',
      action: 'default',
      priority: 'global',
      retries: 'project',
      escalateAfterAttempts: 'project',
      escalateAfterMs: 'project',
    })
  })

  it('leaves other reactions and other projects alone', () => {
    expect(ruleSources(config, {})['ci-failed'].retries).toBe('global')
    expect(ruleSources(config, project)['agent-stuck']).toEqual({
      auto: 'default',
      action: 'default',
      priority: 'default',
      retries: 'default',
    })
  })
})
