// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { describe, expect, it } from 'vitest'
import { fillVariables, sessionVariables } from './agent-environment.ts'

const WORDS = sessionVariables({
  sessionId: 'app-1',
  projectId: 'app',
  projectPath: '/code/app',
  workspacePath: '/w/app-1',
  branch: 'feat/7',
  baseBranch: 'main',
  issue: null,
  ports: { first: 21_000, count: 3 },
})

describe('the words of a session', () => {
  it('name it, its directories and its ports', () => {
    expect(WORDS).toEqual({
      AO_SESSION: 'app-1',
      AO_PROJECT_ID: 'app',
      AO_PROJECT_PATH: '/code/app',
      AO_WORKSPACE_PATH: '/w/app-1',
      AO_BRANCH: 'feat/7',
      AO_BASE_BRANCH: 'main',
      AO_SESSION_PORT: '21000',
      AO_SESSION_PORT_1: '21001',
      AO_SESSION_PORT_2: '21002',
    })
  })

  it.each([
    ['http://localhost:${AO_SESSION_PORT}/', 'http://localhost:21000/'],
    ['${AO_SESSION}-${AO_SESSION_PORT_2}', 'app-1-21002'],
    ['${AO_ISSUE}', ''],
    ['${HOME} $AO_SESSION ${AO_TOKEN}', '${HOME} $AO_SESSION ${AO_TOKEN}'],
  ])('fill %s to %s', (text, filled) => {
    expect(fillVariables(text, WORDS)).toBe(filled)
  })
})
