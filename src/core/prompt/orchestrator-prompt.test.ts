import { describe, expect, it } from 'vitest'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import { orchestratorPrompt } from './orchestrator-prompt.ts'

const app = {
  id: 'app',
  name: 'My App',
  path: '/repos/app',
  repo: 'acme/app',
  defaultBranch: 'main',
  sessionPrefix: 'app',
} as ProjectConfig

function config(...projects: ProjectConfig[]): OrchestratorConfig {
  return { projects: Object.fromEntries(projects.map((one) => [one.id, one])) } as unknown as OrchestratorConfig
}

describe('orchestratorPrompt', () => {
  const text = orchestratorPrompt({ project: app, config: config(app) })

  it('says what it is, where it works and that it writes no code', () => {
    expect(text).toContain('# Orchestrator of My App (acme/app)')
    expect(text).toContain('/repos/app')
    expect(text).toContain('You write no code yourself.')
  })

  it('forbids changes in the checkout and pull requests of its own', () => {
    expect(text).toContain('read-only')
    expect(text).toContain('Open a pull request of your own')
  })

  it('shows commands with ids of this project', () => {
    expect(text).toContain('ao spawn <issue> --project app')
    expect(text).toContain('ao send app-1 "..."')
  })

  it('adds the orchestratorRules of the project', () => {
    const project = { ...app, orchestratorRules: 'Never more than five at once.\n' }
    expect(orchestratorPrompt({ project, config: config(project) })).toContain(
      '## Rules of this project\n\nNever more than five at once.\n',
    )
    expect(text).not.toContain('## Rules of this project')
  })

  it('names other projects as not its own', () => {
    const api = { ...app, id: 'api' }
    expect(orchestratorPrompt({ project: app, config: config(app, api) })).toContain('further projects (api)')
  })
})
