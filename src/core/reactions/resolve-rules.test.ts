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

it('by itself, agents are told and people notified; merging and another agent wait for a word', () => {
  const rules = Object.entries(resolveRules({}, {}))
  const off = rules.filter(([, { auto }]) => !auto).map(([key, { action }]) => `${key}: ${action}`)
  expect(off).toEqual(['review: notify', 'approved-and-green: auto-merge'])
  const told = rules.filter(([, { auto, action }]) => auto && action === 'send-to-agent').map(([key]) => key)
  expect(told).toEqual([
    'ci-failed',
    'changes-requested',
    'bugbot-comments',
    'merge-conflicts',
    'review-findings',
    'landing-failed',
    'collision',
    'limit-reset',
  ])
  const others = rules.filter(([key, { auto }]) => auto && !told.includes(key))
  expect(new Set(others.map(([, { action }]) => action))).toEqual(new Set(['notify']))
})

it('by itself, it is this patient, and this urgent', () => {
  const described = Object.entries(resolveRules({}, {})).map(([key, rule]) => {
    const { priority, retries = '-', escalateAfterMs = 0, thresholdMs } = rule
    return `${key}: ${priority}, ${retries}, ${escalateAfterMs / 60_000}, ${thresholdMs / 60_000}`
  })
  expect(described.sort()).toEqual([
    'agent-exited: urgent, 2, 0, 0',
    'agent-idle: action, 2, 0, 5',
    'agent-needs-input: urgent, 5, 0, 0',
    'agent-stuck: urgent, 2, 0, 0',
    'all-complete: info, -, 0, 0',
    'approved-and-green: action, -, 0, 0',
    'bugbot-comments: warning, -, 30, 0',
    'changes-requested: warning, -, 30, 0',
    'ci-failed: warning, 2, 0, 0',
    'collision: info, 5, 0, 0',
    'landing-failed: warning, 2, 15, 0',
    'limit-reached: info, 10, 0, 0',
    'limit-reset: warning, 10, 0, 0',
    'merge-conflicts: warning, 3, 15, 0',
    'over-budget: urgent, -, 0, 0',
    'pr-closed: action, -, 0, 0',
    'review-findings: warning, -, 0, 0',
    'review: warning, 2, 0, 0',
  ])
})

it.each<[object, object]>([
  [{ action: 'off' }, { auto: false, action: 'notify' }],
  [
    { action: 'off', auto: true },
    { auto: false, action: 'notify' },
  ],
  [{ auto: false }, { auto: false }],
  [{ escalateAfter: 3 }, { escalateAfterAttempts: 3, escalateAfterMs: undefined }],
  [{ escalateAfter: '2h' }, { escalateAfterAttempts: undefined, escalateAfterMs: 7_200_000 }],
  [{ escalateAfter: 'soon' }, { escalateAfterMs: undefined }],
  [
    { threshold: '30s', message: 'mine' },
    { thresholdMs: 30_000, message: 'mine' },
  ],
  [{ threshold: '30x' }, { thresholdMs: 0 }],
])('%j means %j', (written, rule) => {
  expect(resolveRules({ reactions: { 'agent-stuck': written } }, {})['agent-stuck']).toMatchObject(rule)
  const sources = ruleSources({ reactions: { 'agent-stuck': { message: 'x', threshold: '1m' } } }, {})['agent-stuck']
  expect(sources).toMatchObject({ message: 'global', thresholdMs: 'global' })
})
