// Real agents in terminals: how each is configured so that it asks before it runs a command, and talks to the scripted model.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface TerminalAgent {
  name: string
  /** The rest of `agentConfig`, without the permissions. `bin`: where the programs are. */
  config(bin: string): Record<string, unknown>
  ao: string
  /** How it runs without questions; `skip` by default. */
  permissions?: string
  /** For the runtime acp. Absent: it has no side of the protocol here. */
  acpConfig?(bin: string): Record<string, unknown>
  /** It retries these statuses for many minutes: it is interrupted once ao has reported them. */
  keepsTrying?: readonly number[]
  /** Questions that it asks its model by itself, beside the turn, end with these words. */
  ownQuestions?: RegExp
  /** It never asks for a permission. */
  asksNothing?: true
  env(url: string, home: string): NodeJS.ProcessEnv
  prepare(url: string, home: string, worktrees: readonly string[]): void
}

const OPENCODE = (url: string) => ({
  autoupdate: false,
  share: 'disabled',
  model: 'mock/mock-model',
  small_model: 'mock/mock-model',
  enabled_providers: ['mock'],
  provider: {
    mock: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Mock',
      options: { baseURL: `${url}/v1`, apiKey: 'scripted' },
      models: { 'mock-model': { name: 'Mock', tool_call: true, limit: { context: 200_000, output: 8_192 } } },
    },
  },
  permission: { edit: 'ask', bash: 'ask' },
})

const QUIET = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, disableAutoUpdate: true },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  ide: { enabled: false, hasSeenNudge: true },
}

function write(file: string, content: unknown): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
}

export const TERMINAL_AGENTS: readonly TerminalAgent[] = [
  {
    name: 'Claude Code',
    ao: 'claude-code',
    // What its user might say next.
    ownQuestions: /no quotes or explanation\.\s*$/,
    config: () => ({}),
    acpConfig: (bin) => ({ acpCommand: [join(bin, 'claude-agent-acp')] }),
    env: (url, home) => ({
      // Without it, it refuses to run as root without questions.
      IS_SANDBOX: '1',
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: 'scripted',
      CLAUDE_CONFIG_DIR: join(home, 'claude'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    prepare: (_url, home) => write(join(home, 'claude', '.claude.json'), { hasCompletedOnboarding: true }),
  },
  {
    name: 'Codex',
    ao: 'codex',
    // Its default sandbox.
    permissions: 'auto-edit',
    config: () => ({}),
    acpConfig: (bin) => ({ acpCommand: [join(bin, 'codex-acp')] }),
    env: (_url, home) => ({ CODEX_HOME: join(home, 'codex'), SCRIPTED_KEY: 'scripted' }),
    prepare(url, home, worktrees) {
      const lines = [
        'model = "scripted"',
        'model_provider = "scripted"',
        'approval_policy = "on-request"',
        '[features]',
        'daemon_auto_start = false',
        '[model_providers.scripted]',
        'name = "scripted"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        'request_max_retries = 1',
        'stream_max_retries = 1',
        ...worktrees.flatMap((worktree) => [`[projects."${worktree}"]`, 'trust_level = "trusted"']),
      ]
      write(join(home, 'codex', 'config.toml'), `${lines.join('\n')}\n`)
    },
  },
  {
    name: 'OpenCode',
    ao: 'opencode',
    config: () => ({}),
    acpConfig: () => ({}),
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    }),
    prepare: (url, home) => write(join(home, '.config', 'opencode', 'opencode.json'), OPENCODE(url)),
  },
  {
    name: 'Gemini CLI',
    ao: 'gemini',
    config: () => ({ model: 'gemini-2.5-flash' }),
    acpConfig: () => ({}),
    env: (url) => ({
      GEMINI_API_KEY: 'scripted',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_TELEMETRY_ENABLED: 'false',
      NO_BROWSER: '1',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    prepare: (_url, home) =>
      write(join(home, '.gemini', 'settings.json'), {
        ...QUIET,
        // It would try for many minutes.
        general: { ...QUIET.general, maxAttempts: 2 },
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        ui: { theme: 'Default', hideTips: true },
      }),
  },
  {
    name: 'Qwen Code',
    ao: 'qwen',
    keepsTrying: [429],
    ownQuestions: /\(none yet\)\s*$|no quotes or explanation\.\s*$|prior conversation context\.\s*$/,
    config: () => ({}),
    acpConfig: () => ({}),
    env: (url) => ({
      OPENAI_API_KEY: 'scripted',
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_MODEL: 'mock-model',
      QWEN_CODE_NO_RELAUNCH: 'true',
      NO_BROWSER: '1',
    }),
    prepare: (_url, home) =>
      write(join(home, '.qwen', 'settings.json'), {
        ...QUIET,
        security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
        model: { name: 'mock-model' },
        $version: 4,
      }),
  },
  {
    name: 'pi',
    ao: 'pi',
    asksNothing: true,
    config: () => ({}),
    env: () => ({ PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' }),
    prepare(url, home) {
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
      const limits = { contextWindow: 200_000, maxTokens: 8_192 }
      const model = { id: 'scripted', name: 'Scripted', reasoning: false, input: ['text'], cost, ...limits }
      const provider = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'scripted', models: [model] }
      write(join(home, '.pi', 'agent', 'models.json'), { providers: { scripted: provider } })
      write(join(home, '.pi', 'agent', 'settings.json'), {
        defaultProvider: 'scripted',
        defaultModel: 'scripted',
        quietStartup: true,
        lastChangelogVersion: '99.0.0',
      })
    },
  },
  {
    name: 'Copilot CLI',
    ao: 'copilot',
    config: () => ({}),
    acpConfig: () => ({}),
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'scripted',
      COPILOT_MODEL: 'scripted',
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
    }),
    prepare: (_url, home, worktrees) =>
      write(join(home, '.copilot', 'config.json'), { trusted_folders: worktrees, banner: 'never' }),
  },
]
