import { describe, expect, it } from 'vitest'
import type { Keys } from './key-path.ts'
import { limitProjects } from './limit-projects.ts'

function limited(user: Record<string, unknown>, repository: Record<string, unknown>) {
  const overruled: Keys[] = []
  const content = limitProjects(user, repository, overruled)
  return { content, overruled: overruled.map((path) => path.join('.')) }
}
const asks = (permissions: unknown) => ({ agentConfig: { permissions, model: 'x' } })
const user = (permissions: unknown) => ({ defaults: { worker: asks(permissions) } })

describe('permissions of a repository', () => {
  it.each([
    ['skip', 'default', 'default'],
    ['auto-edit', 'default', 'default'],
    ['default', 'default', 'default'],
    ['suggest', 'default', 'suggest'],
    ['whatever', 'auto-edit', 'auto-edit'],
    ['skip', 'whatever', 'skip'],
    [7, 'suggest', 7],
    ['skip', undefined, 'skip'],
  ])('%s, where the user says %s, are %s', (own, allowed, got) => {
    const { content, overruled } = limited(user(allowed), { projects: { app: asks(own) } })
    expect(content).toEqual({ projects: { app: asks(got) } })
    expect(overruled).toEqual(own === got ? [] : ['projects.app.agentConfig.permissions'])
  })

  it('are limited for workers and reviewers, in defaults too, and not for the orchestrator', () => {
    const owner = { ...asks('skip'), worker: asks('skip'), reviewer: asks('skip'), orchestrator: asks('skip') }
    const { content, overruled } = limited(user('suggest'), { port: 1, defaults: owner })
    const got = { ...asks('suggest'), worker: asks('suggest'), reviewer: asks('suggest'), orchestrator: asks('skip') }
    expect(content).toEqual({ port: 1, defaults: got })
    expect(overruled).toEqual(['', 'worker.', 'reviewer.'].map((at) => `defaults.${at}agentConfig.permissions`))
  })
})

describe('variables of a repository', () => {
  const allow = (list: unknown) => ({ environment: { allow: list, deny: ['D'] } })

  it.each([
    [
      ['A', 'B_ONE', 'C'],
      ['A', 'B_*'],
      ['A', 'B_ONE'],
    ],
    [['A'], ['A'], ['A']],
    [['AB'], ['A'], []],
    [['A'], undefined, ['A']],
    ['A', ['B'], 'A'],
  ])('%j, where the user allows %j, are %j', (own, allowed, got) => {
    const { content, overruled } = limited({ defaults: allow(allowed) }, { projects: { app: allow(own) } })
    expect(content).toEqual({ projects: { app: allow(got) } })
    expect(overruled).toEqual(own.length === got.length ? [] : ['projects.app.environment.allow'])
  })
})
