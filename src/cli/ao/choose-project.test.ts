import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createFakeIo } from '../../../test/support/fake-io.ts'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import { chooseProject, splitIssue } from './choose-project.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'aot-')))
afterAll(() => rmSync(home, { recursive: true }))
for (const path of ['app/src', 'app/packages/web', 'api', 'elsewhere', '.worktrees/api/api-1/src']) {
  mkdirSync(join(home, path), { recursive: true })
}
symlinkSync(join(home, 'app'), join(home, 'link'))

function project(id: string, path: string, sessionPrefix = id): ProjectConfig {
  return { id, name: id, path: join(home, path), sessionPrefix, defaultBranch: 'main' } as ProjectConfig
}

function config(...projects: ProjectConfig[]): OrchestratorConfig {
  const byId = Object.fromEntries(projects.map((one) => [one.id, one]))
  return { configPath: join(home, 'agent-orchestrator.yaml'), projects: byId } as unknown as OrchestratorConfig
}

const app = project('app', 'app')
const web = project('web', 'app/packages/web', 'w')
const api = project('api', 'api')
const all = config(app, web, api)

function choose(options: { named?: string; cwd?: string; env?: NodeJS.ProcessEnv; config?: OrchestratorConfig }) {
  const { io } = createFakeIo({ home, cwd: join(home, options.cwd ?? 'elsewhere'), env: options.env ?? {} })
  return chooseProject(options.config ?? all, options.named, io).id
}

describe('chooseProject', () => {
  it.each([
    ['the named one', { named: 'api', cwd: 'app' }, 'api'],
    ['the only one', { config: config(api) }, 'api'],
    ['the one of AO_PROJECT_ID', { env: { AO_PROJECT_ID: 'api' }, cwd: 'app' }, 'api'],
    ['the one around the directory', { cwd: 'app/src' }, 'app'],
    ['the innermost one', { cwd: 'app/packages/web' }, 'web'],
    ['the one behind a symbolic link', { cwd: 'link/src' }, 'app'],
    ['the one whose worktree this is', { cwd: '.worktrees/api/api-1/src' }, 'api'],
  ])('takes %s', (_what, options, expected) => {
    expect(choose(options)).toBe(expected)
  })

  it('asks and lists them when nothing says so', () => {
    expect(() => choose({})).toThrowError(
      expect.objectContaining({
        code: 'PROJECT_AMBIGUOUS',
        message: 'Which project? The configuration has: app, web, api',
      }),
    )
  })

  it('suggests the nearest name', () => {
    expect(() => choose({ named: 'wbe' })).toThrowError(
      expect.objectContaining({ code: 'PROJECT_NOT_FOUND', hint: 'Did you mean web?' }),
    )
  })

  it('finds no project by the name of something every object has', () => {
    expect(() => choose({ named: 'constructor' })).toThrowError(expect.objectContaining({ code: 'PROJECT_NOT_FOUND' }))
  })
})

describe('splitIssue', () => {
  it.each([
    ['42', { issueId: '42' }],
    ['#42', { issueId: '#42' }],
    ['api/INT-7', { projectId: 'api', issueId: 'INT-7' }],
    ['w/9', { projectId: 'web', issueId: '9' }],
    ['feat/login', { issueId: 'feat/login' }],
    ['api/', { issueId: 'api/' }],
    ['/x', { issueId: '/x' }],
  ])('reads %s', (text, expected) => {
    expect(splitIssue(all, text)).toEqual(expected)
  })
})
