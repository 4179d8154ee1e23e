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

/** Agents that write files through their client. */
export const CLIENT_FS_AGENTS: ReadonlyArray<
  Omit<RealAgent, 'aoName' | 'settings'> & { args: string[]; native?: true }
> = [
  {
    name: 'gemini',
    version: '0.61.0',
    args: ['--acp', '-m', 'gemini-2.5-flash'],
    env: (url) => ({
      GEMINI_API_KEY: 'scripted',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_TELEMETRY_ENABLED: 'false',
      GEMINI_CLI_NO_RELAUNCH: 'true',
      NO_BROWSER: '1',
    }),
    prepare: (_url, home) => writeJson(join(home, '.gemini'), 'settings.json', quietSettings('gemini-api-key')),
  },
  {
    name: 'qwen',
    version: '0.24.4',
    args: ['--acp'],
    env: (url) => ({
      OPENAI_API_KEY: 'scripted',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'scripted',
      QWEN_CODE_NO_RELAUNCH: 'true',
      NO_BROWSER: '1',
    }),
    prepare: (_url, home) => writeJson(join(home, '.qwen'), 'settings.json', quietSettings('openai')),
  },
  {
    name: 'opencode',
    version: '1.18.33',
    args: ['acp'],
    native: true,
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }),
    prepare: (url, home) => writeJson(join(home, '.config', 'opencode'), 'opencode.json', opencodeSettings(url)),
  },
]

function quietSettings(selectedType: string): object {
  return {
    security: { auth: { selectedType }, folderTrust: { enabled: false } },
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, disableAutoUpdate: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    ide: { enabled: false, hasSeenNudge: true },
  }
}

function opencodeSettings(url: string): object {
  const model = { name: 'Scripted', tool_call: true, limit: { context: 200_000, output: 8_192 } }
  return {
    autoupdate: false,
    share: 'disabled',
    model: 'scripted/scripted',
    small_model: 'scripted/scripted',
    enabled_providers: ['scripted'],
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Scripted',
        options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
        models: { scripted: model },
      },
    },
    permission: { edit: 'ask', bash: 'ask' },
  }
}

function writeJson(directory: string, name: string, value: object): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, name), JSON.stringify(value))
}
