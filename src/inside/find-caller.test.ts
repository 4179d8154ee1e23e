import { describe, expect, it } from 'vitest'
import { findCaller } from './find-caller.ts'

const HOME = '/home/someone'
const PERSON = { HOME }
const WORKER = {
  HOME,
  AO_SESSION: 'app-1',
  AO_CALLER_TYPE: 'agent',
  AO_PROJECT_ID: 'app',
  AO_DATA_DIR: `${HOME}/.agent-orchestrator/0123456789ab-app/sessions`,
}
const ORCHESTRATOR = { ...WORKER, AO_SESSION: 'app-orchestrator', AO_CALLER_TYPE: 'orchestrator' }
const caller = (env: NodeJS.ProcessEnv, ...above: NodeJS.ProcessEnv[]) =>
  findCaller({ env, home: env.AO_HOME ?? env.HOME ?? HOME }, above)

describe('findCaller', () => {
  it('a person is nobody in particular', () => {
    expect(caller(PERSON, PERSON, {})).toBeNull()
  })

  it('an agent is known by its variables', () => {
    expect(caller(WORKER)).toEqual({ sessionId: 'app-1', kind: 'worker', projectId: 'app', token: null })
    expect(caller(ORCHESTRATOR)).toEqual({
      sessionId: 'app-orchestrator',
      kind: 'orchestrator',
      projectId: 'app',
      token: null,
    })
  })

  it.each<[string, NodeJS.ProcessEnv]>([
    ['unset them', PERSON],
    ['emptied them', { ...WORKER, AO_SESSION: '' }],
    ['calls itself an orchestrator', { ...WORKER, AO_CALLER_TYPE: 'orchestrator' }],
    ['took the name of another session', { ...WORKER, AO_SESSION: 'app-2' }],
    ['took the name and the role of the orchestrator', ORCHESTRATOR],
    ['moved the data directory only', { ...PERSON, AO_DATA_DIR: '/elsewhere' }],
    ['moved AO_HOME only', { ...PERSON, AO_HOME: '/elsewhere' }],
    ['moved its HOME only', { HOME: '/elsewhere', AO_DATA_DIR: `${HOME}/.agent-orchestrator` }],
  ])('an agent that %s is still known by the process above', (_what, env) => {
    expect(caller(env, env, WORKER, PERSON)).toMatchObject({ sessionId: 'app-1', kind: 'worker' })
  })

  it('an agent of an AO_HOME that unset it is still known by the process above', () => {
    const worker = {
      ...WORKER,
      AO_HOME: '/srv/ao',
      AO_DATA_DIR: '/srv/ao/.agent-orchestrator/0123456789ab-app/sessions',
    }
    expect(caller(PERSON, worker)).toMatchObject({ sessionId: 'app-1', kind: 'worker' })
    expect(findCaller({ env: worker, home: '/srv/ao' }, [])).toMatchObject({ sessionId: 'app-1' })
  })

  it('who works in a HOME of its own, as tests of ao inside a session do, acts on no session of that ao', () => {
    expect(caller({ HOME: '/tmp/test' }, { HOME: '/tmp/test' }, WORKER)).toBeNull()
  })
})
