import { describe, expect, it } from 'vitest'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { chosenPlugins } from './chosen-plugins.ts'

describe('the plugins that a configuration names', () => {
  it('are found in defaults, slots, projects, roles, notifiers and routes, each with its key', () => {
    const config = {
      defaults: {
        ...{ runtime: 'tmux', agent: 'demo', workspace: 'worktree', notifiers: ['team', 'desktop'] },
        ...{ worker: { agent: 'aider' }, reviewer: { agent: 'gemini' } },
      },
      accounts: { work: { agent: 'claude-code' } },
      plugins: { scm: { name: 'github' }, external: [] },
      projects: {
        app: { id: 'app', runtime: 'docker', tracker: { plugin: 'linear' }, orchestrator: { agent: 'codex' } },
      },
      notifiers: { team: { plugin: 'slack' } },
      notificationRouting: { urgent: ['team', 'pager'] },
    } as unknown as OrchestratorConfig
    expect(chosenPlugins(config).map(({ slot, name, path }) => `${path.join('.')}: ${slot} ${name}`)).toEqual([
      'defaults.runtime: runtime tmux',
      'defaults.agent: agent demo',
      'defaults.workspace: workspace worktree',
      'defaults.worker.agent: agent aider',
      'defaults.reviewer.agent: agent gemini',
      'accounts.work.agent: agent claude-code',
      'plugins.scm.name: scm github',
      'projects.app.runtime: runtime docker',
      'projects.app.tracker: tracker linear',
      'projects.app.orchestrator.agent: agent codex',
      'notifiers.team: notifier slack',
      'defaults.notifiers: notifier desktop',
      'notificationRouting.urgent: notifier pager',
    ])
  })
})
