// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillVariables, freeBlock, type PortBlock, sessionVariables } from './session-variables.ts'

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

it('blocks of ports never overlap, whatever sizes were taken before', () => {
  const size = fc.integer({ min: 1, max: 100 })
  fc.assert(
    fc.property(fc.array(size, { maxLength: 60 }), fc.integer({ min: 1_024, max: 60_000 }), (sizes, first) => {
      const taken: PortBlock[] = []
      for (const count of sizes) {
        const block = freeBlock({ first, count }, taken)
        if (block) taken.push(block)
      }
      const ports = taken.flatMap((one) => Array.from({ length: one.count }, (_, index) => one.first + index))
      expect(new Set(ports).size).toBe(ports.length)
      expect(ports.every((port) => port >= first && port <= 65_535)).toBe(true)
    }),
  )
})
