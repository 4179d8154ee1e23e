// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { describe, expect, it } from 'vitest'
import type { ConfigFile } from '../../contract/config.ts'
import { forAgent, forCommand, forRole, heldVariables, isHeldByAo, ownEnvironment } from './agent-environment.ts'

const NONE: ReadonlySet<string> = new Set()
const env = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `value of ${name}`]))
const names = (chosen: Record<string, string>) => Object.keys(chosen)

describe('what an agent inherits', () => {
  it('is what a terminal would give it, tokens of its own tools included', () => {
    const usual = env(
      'PATH',
      'HOME',
      'EDITOR',
      'MY_SETTING',
      'GH_TOKEN',
      'GITHUB_TOKEN',
      'ANTHROPIC_API_KEY',
      'NPM_TOKEN',
    )
    expect(forAgent(usual, {}, NONE)).toEqual(usual)
  })

  it.each([
    ...[
      'CLAUDECODE',
      'CLAUDE_CODE_SSE_PORT',
      'CLAUDE_CODE_ENTRYPOINT',
      'CODEX_SANDBOX',
      'CODEX_SANDBOX_NETWORK_DISABLED',
    ],
    ...['CODEX_THREAD_ID', 'GEMINI_CLI', 'QWEN_CODE', 'OPENCODE', 'CURSOR_AGENT', 'AGH_SESSION_ID'],
  ])('is nothing of an agent around it: %s', (name) => {
    expect(names(forAgent(env('PATH', name), {}, NONE))).toEqual(['PATH'])
  })

  it.each([
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CONFIG_DIR',
    'CODEX_HOME',
    'GEMINI_API_KEY',
    'AGH_HOME',
  ])('is what people set for their agents: %s', (name) => {
    expect(names(forAgent(env(name), {}, NONE))).toEqual([name])
  })

  it.each(['AO_SESSION', 'AO_SPAWN_ID', 'TMUX', 'npm_config_cache', 'NODE_OPTIONS', 'GIT_DIR', 'GIT_INDEX_FILE'])(
    'is nothing of the command that starts it: %s, also when it is allowed',
    (name) => {
      expect(names(forAgent(env('PATH', name), { allow: ['*'] }, NONE))).toEqual(['PATH'])
    },
  )

  it('is without what is withheld or denied', () => {
    const chosen = forAgent(
      env('PATH', 'SLACK_URL', 'AWS_SECRET', 'AWS_REGION'),
      { deny: ['AWS_*'] },
      new Set(['SLACK_URL']),
    )
    expect(names(chosen)).toEqual(['PATH'])
  })

  it('with a list is what is basic and what is on it, and what is denied goes first', () => {
    const all = env('PATH', 'HOME', 'LC_ALL', 'https_proxy', 'GH_TOKEN', 'SECRET', 'MY_A', 'MY_B')
    expect(names(forAgent(all, { allow: ['GH_TOKEN', 'MY_*'], deny: ['MY_B'] }, NONE))).toEqual([
      ...['PATH', 'HOME', 'LC_ALL', 'https_proxy', 'GH_TOKEN', 'MY_A'],
    ])
    expect(names(forAgent(env('PATH', 'SECRET'), { allow: [] }, NONE))).toEqual(['PATH'])
  })

  it('a withheld variable that is allowed by name is given', () => {
    expect(names(forAgent(env('SLACK_URL'), { allow: ['SLACK_URL'] }, new Set(['SLACK_URL'])))).toEqual(['SLACK_URL'])
  })
})

describe('what a command of a repository inherits', () => {
  const all = env(
    'PATH',
    'HOME',
    'LANG',
    'CARGO_HOME',
    'GH_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'ANTHROPIC_API_KEY',
    'AO_SESSION',
  )

  it('is basic', () => {
    expect(names(forCommand(all, {}))).toEqual(['PATH', 'HOME', 'LANG', 'CARGO_HOME'])
  })

  it('and what the configuration allows', () => {
    expect(names(forCommand(all, { allow: ['AWS_*', 'AO_SESSION'], deny: ['CARGO_HOME'] }))).toEqual([
      ...['PATH', 'HOME', 'LANG', 'AWS_SECRET_ACCESS_KEY'],
    ])
  })
})

describe('what ao reserves', () => {
  const source = {
    dashboard: { token: '${DASH}' },
    notifiers: { slack: { plugin: 'slack', webhookUrl: 'https://x/${SLACK:-none}' } },
    webhooks: { github: { secret: '${HOOK}' } },
    plugins: {
      tracker: { name: 'linear', config: { key: '${TRACKER}' } },
      agent: { name: 'generic', config: { a: '${AGENT_A}' } },
    },
    projects: {
      app: {
        path: '${WORK}/app',
        scm: { plugin: 'gitlab', token: '${SCM}' },
        agentConfig: { env: { B: '${AGENT_B}' } },
      },
    },
  } as unknown as ConfigFile

  it('is what the configuration names for notifiers, webhooks, the dashboard, trackers and forges', () => {
    const { byLoop, byForge } = heldVariables(source)
    expect([...byLoop].sort()).toEqual(['DASH', 'HOOK', 'SLACK'])
    expect([...byForge].sort()).toEqual(['JIRA_API_TOKEN', 'LINEAR_API_KEY', 'SCM', 'TRACKER'])
  })

  it.each([
    [['notifiers', 'slack', 'webhookUrl'], true],
    [['webhooks', 'github', 'secret'], true],
    [['dashboard', 'token'], true],
    [['plugins', 'tracker', 'config', 'key'], true],
    [['projects', 'app', 'scm', 'token'], true],
    [['projects', 'app', 'path'], false],
    [['projects', 'app', 'agentConfig', 'env', 'B'], false],
    [['plugins', 'agent', 'config', 'a'], false],
  ])('%j: %s', (path, isHeld) => {
    expect(isHeldByAo(path)).toBe(isHeld)
  })
})

describe('what an agent of a role inherits', () => {
  const source = {
    notifiers: { chat: { url: '${SLACK_URL}' } },
    plugins: { tracker: { key: '${TICKETS}' } },
  } as unknown
  const all = env('PATH', 'SLACK_URL', 'TICKETS', 'LINEAR_API_KEY', 'GITHUB_TOKEN', 'GITLAB_TOKEN', 'SSH_AUTH_SOCK')

  it.each([
    ['worker', ['PATH', 'GITHUB_TOKEN', 'GITLAB_TOKEN', 'SSH_AUTH_SOCK']],
    ['orchestrator', ['PATH', 'TICKETS', 'LINEAR_API_KEY', 'GITHUB_TOKEN', 'GITLAB_TOKEN', 'SSH_AUTH_SOCK']],
    ['reviewer', ['PATH']],
  ] as const)('%s', (role, inherited) => {
    expect(names(forRole(all, {}, { source: source as ConfigFile, role }))).toEqual(inherited)
  })
})

it('an agent finds the own programs first, and once; what ao fixes goes over what is configured, and that over the agent', () => {
  const parts = {
    inherited: { PATH: '/usr/bin:/own:' },
    ofConfig: { A: 'is ${AO_SESSION}', B: 'c' },
    fixed: { C: 'f' },
  }
  const given = ownEnvironment({ ...parts, binDir: '/own' }, { AO_SESSION: 'app-1' }, { B: 'agent', D: 'agent' })
  expect(given).toEqual({ PATH: '/own:/usr/bin', A: 'is app-1', B: 'c', C: 'f', D: 'agent', AO_SESSION: 'app-1' })
  const configured = { ...parts, ofConfig: { PATH: '/tools:/own' }, fixed: {}, binDir: '/own' }
  expect(ownEnvironment(configured, {}, {})).toEqual({ PATH: '/own:/tools' })
  expect(ownEnvironment({ ...configured, ofConfig: {}, inherited: {} }, {}, {})).toEqual({ PATH: '/own' })
})
