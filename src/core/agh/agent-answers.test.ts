import { describe, expect, it } from 'vitest'
import { daemonLeft } from './daemon-left.ts'
import { fillOlderAnswer } from './older-answer.ts'
import { describeRpcError } from './session/describe-rpc-error.ts'
import { prefaceAfterStart } from './session/preface.ts'
import { readAbilities } from './transcript/read-abilities.ts'

const NO_FILES = { image: false, embeddedContext: false }

describe('what agents answer', () => {
  it.each([
    [{ message: 'Internal error' }, 'Internal error'],
    [{ message: 'Internal error', data: { details: 'the disk is full' } }, 'Internal error: the disk is full'],
    [{ message: 'Internal error', data: 'the disk is full' }, 'Internal error: the disk is full'],
    [{ message: 'Internal error', data: { errno: 28 } }, 'Internal error: {"errno":28}'],
    [{ message: 'the disk is full', data: { message: 'disk is full' } }, 'the disk is full'],
    [{}, 'no reason was given'],
  ])('an error %j says: %s', (error, text) => {
    expect(describeRpcError(error)).toBe(text)
  })

  it('keeps long details short', () => {
    expect(describeRpcError({ message: 'x', data: 'y'.repeat(10_000) }).length).toBeLessThan(600)
  })

  it.each([
    [{}, { systemPrompt: false, authMethods: [], agentName: null, conversations: [], prompts: NO_FILES }],
    [
      {
        agentCapabilities: {
          sessionCapabilities: { systemPrompt: {}, fork: {}, list: { _meta: {} }, delete: true, close: null },
          promptCapabilities: { image: true, embeddedContext: 'yes', audio: true },
        },
        authMethods: [{ id: 'a', name: 'API Key' }, { id: 'b' }],
        agentInfo: { name: 'Copilot', version: '1.0.102' },
      },
      {
        systemPrompt: true,
        authMethods: ['API Key', 'b'],
        agentName: 'Copilot',
        conversations: ['fork', 'list'],
        prompts: { image: true, embeddedContext: false },
      },
    ],
    [
      { agentCapabilities: { sessionCapabilities: { systemPrompt: null } }, agentInfo: 'x' },
      { systemPrompt: false, authMethods: [], agentName: null, conversations: [], prompts: NO_FILES },
    ],
  ])('abilities %j', (result, abilities) => {
    expect(readAbilities(result)).toEqual(abilities)
  })

  it.each([
    ['new', [], false, ['instructions']],
    ['new_with_recap', [], false, ['instructions', 'recap']],
    ['new_with_recap', [], true, ['recap']],
    ['new', [], true, []],
    ['resume', ['instructions'], false, ['instructions']],
    ['fork', ['instructions'], false, ['instructions', 'fork']],
    ['fork', [], true, ['fork']],
    ['fork', ['fork'], true, ['fork']],
    ['resume', ['fork'], false, ['fork']],
    ['load', [], false, []],
    ['resume', ['instructions', 'recap'], true, ['recap']],
  ] as const)(
    'after %s with %j left, and a system prompt: %s, the next prompt brings %j',
    (method, before, takesSystemPrompt, brings) => {
      expect(prefaceAfterStart({ method, before, takesSystemPrompt })).toEqual(brings)
    },
  )
})

describe('the daemon', () => {
  it('that ends says that nothing was done and what to do', () => {
    expect(daemonLeft()).toMatchObject({
      code: 'DAEMON_NOT_RUNNING',
      message: expect.stringContaining('nothing was done'),
      hint: expect.stringContaining('next daemon'),
    })
    expect(daemonLeft('half was done').message).toMatch(/half was done$/)
  })

  it.each([
    ['GET /api/sessions', { sessions: [1] }, { damaged: [], sessions: [1] }],
    ['GET /api/sessions', { sessions: [1], damaged: ['x'] }, { damaged: ['x'], sessions: [1] }],
    [
      'GET /api/observe/health',
      { sessions: [{ id: 'a' }, { id: 'b', pending_permissions: [1] }] },
      {
        damaged: [],
        sessions: [
          { id: 'a', pending_permissions: [] },
          { id: 'b', pending_permissions: [1] },
        ],
      },
    ],
    ['GET /api/sessions/:id', { id: 'a' }, { id: 'a' }],
  ])('of before answers %s, and what it left out is added', (route, answer, whole) => {
    expect(fillOlderAnswer(route, answer)).toEqual(whole)
  })
})
