import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import { summaryOf } from './describe-session.ts'

describe('summaryOf', () => {
  it.each([
    ['what the agent wrote', { summary: 'agent', agentSessionId: null }, { summary: 'file' }, 'agent'],
    [
      'what was recorded before a mere first prompt',
      { summary: 'first prompt', summaryIsFallback: true, agentSessionId: null },
      { summary: 'file' },
      'file',
    ],
    [
      'the first prompt',
      { summary: 'first prompt', summaryIsFallback: true, agentSessionId: null },
      {},
      'first prompt',
    ],
    ['what the user asked for', null, { userPrompt: 'do it\n\nat once' }, 'do it'],
    [
      'what the user asked for before the prompt that ao made of it',
      { summary: 'You work on app', summaryIsFallback: true, agentSessionId: null },
      { userPrompt: 'do it' },
      'do it',
    ],
    [
      'the issue before that prompt',
      { summary: 'You work on app', summaryIsFallback: true, agentSessionId: null },
      { issueTitle: 'Broken login' },
      'Broken login',
    ],
    ['nothing', null, {}, null],
  ])('prefers %s', (_what, agentInfo, metadata, expected) => {
    expect(summaryOf(sampleSession({ agentInfo, metadata: metadata as Record<string, string> }))).toBe(expected)
  })
})
