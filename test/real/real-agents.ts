// The real agents of these tests: their ACP commands, and what makes them talk to the scripted model.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface RealAgent {
  /** Its ACP command, and what ao calls the agent. */
  name: string
  aoName: string
  version: string
  /** Lines of its AGENT.md. */
  settings: string[]
  env(url: string, home: string): NodeJS.ProcessEnv
  /** `workspace`: where it will work. */
  prepare(url: string, home: string, workspace: string): void
}

export const AGENTS: readonly RealAgent[] = [
  {
    name: 'claude-agent-acp',
    aoName: 'claude-code',
    version: '0.99.0',
    settings: ['mode: default'],
    env: (url, home) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: 'scripted',
      CLAUDE_CONFIG_DIR: join(home, 'claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    prepare(_url, home) {
      mkdirSync(join(home, 'claude'))
      writeFileSync(join(home, 'claude', '.claude.json'), JSON.stringify({ hasCompletedOnboarding: true }))
    },
  },
  {
    name: 'codex-acp',
    aoName: 'codex',
    version: '2.6.0',
    settings: ['mode: workspace-write'],
    env: (_url, home) => ({ CODEX_HOME: join(home, 'codex'), SCRIPTED_KEY: 'scripted' }),
    prepare(url, home, workspace) {
      mkdirSync(join(home, 'codex'))
      const lines = [
        'model = "scripted"',
        'model_provider = "scripted"',
        'approval_policy = "on-request"',
        'sandbox_mode = "workspace-write"',
        '[features]',
        'daemon_auto_start = false',
        '[model_providers.scripted]',
        'name = "scripted"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        `[projects."${workspace}"]`,
        'trust_level = "trusted"',
      ]
      writeFileSync(join(home, 'codex', 'config.toml'), `${lines.join('\n')}\n`)
    },
  },
]
