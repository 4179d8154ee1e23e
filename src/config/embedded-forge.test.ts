// What a project without a server gets by default, and what its CI commands need before they run.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { loadConfig } from './load-config.ts'
import { requireTrust, trust, untrustedItems } from './trust/trust.ts'

let temp: TempHome
let repo: string
beforeEach(() => {
  temp = createTempHome()
  repo = createRepo(join(temp.home, 'app'), temp.env)
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function load(project: string, more = '') {
  const path = join(repo, 'agent-orchestrator.yaml')
  writeFileSync(path, `projects:\n  app:\n    path: .\n${project.replace(/^/gm, '    ')}\n${more}`)
  return loadConfig({ path, env: temp.env, home: temp.home })
}

describe('the embedded tracker and forge', () => {
  const chosen = (config: ReturnType<typeof load>) => [config.projects.app?.tracker, config.projects.app?.scm]

  it('are the default without a remote', () => {
    expect(chosen(load(''))).toEqual(['local', 'local'])
  })

  it('are not where a remote is, where the configuration names a repository, or where something else is chosen', () => {
    expect(chosen(load('repo: me/app'))).toEqual([undefined, undefined])
    expect(chosen(load('tracker: linear'))).toEqual(['linear', 'local'])
    expect(chosen(load('', 'plugins: { scm: { name: gitlab } }'))).toEqual(['local', undefined])
    git(repo, temp.env, 'remote', 'add', 'origin', 'https://github.com/me/app.git')
    expect(chosen(load(''))).toEqual([undefined, undefined])
    expect(chosen(load('scm: local'))).toEqual([undefined, 'local'])
  })

  it('are not where there is no repository', () => {
    rmSync(join(repo, '.git'), { recursive: true })
    expect(chosen(load(''))).toEqual([undefined, undefined])
  })
})

describe('CI commands of a repository', () => {
  const CI = (run: string) => `scm: { plugin: local, ci: { commands: [{ name: unit, run: "${run}" }] } }`

  it('need trust for this exact list, and again when it changes', async () => {
    const location = { home: temp.home, env: temp.env }
    const config = load(CI('npm test'))
    expect(() => requireTrust(config, { ...location, projectId: 'app', kinds: ['ci'] })).toThrow(/npm test/)
    await trust(untrustedItems(config, location), { ...location, now: new Date() })
    expect(untrustedItems(load(CI('npm test')), location)).toEqual([])
    expect(untrustedItems(load(CI('curl evil')), location).map(({ kind, project }) => [kind, project])).toEqual([
      ['ci', 'app'],
    ])
  })

  it('need it too when they are configured beside the default plugin', () => {
    const config = load('', 'plugins: { scm: { name: local, config: { ci: { commands: [] } } } }')
    const items = untrustedItems(config, { home: temp.home, env: temp.env, projectId: 'app', kinds: ['ci'] })
    expect(items).toHaveLength(1)
    expect(items[0]?.what).toContain('every project runs as CI')
  })
})
