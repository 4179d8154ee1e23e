// `config.toml` of agh, with its defaults.
import * as z from 'zod/mini'
import { DURATION } from './duration.ts'
import { mcpServerSchema } from './mcp-server.ts'
import { PERMISSION_MODES } from './session-terms.ts'

const duration = (byDefault: string) =>
  z._default(z.string().check(z.regex(DURATION, 'a duration such as 30s or 10m')), byDefault)

/** Points of a session's life at which user programs run. What a `pre` hook denies does not happen. */
const HOOK_EVENTS = [
  'session.pre_create',
  'session.pre_resume',
  'session.started',
  'prompt.pre_submit',
  'session.stopped',
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

const hookSchema = z.strictObject({
  event: z.enum(HOOK_EVENTS),
  /** Words, no shell. It gets one JSON object on stdin; exit code 0 means yes. */
  command: z.string(),
  required: z._default(z.boolean(), false),
  timeout: duration('10s'),
})
export type HookConfig = z.infer<typeof hookSchema>

/** From the command that starts a session: what its agent needs to act as that person, where they work. */
const CALLERS_VARIABLES = [
  'PATH',
  'LANG',
  'LC_*',
  'TZ',
  'SSH_AUTH_SOCK',
  '*_KEY',
  '*_TOKEN',
  '*_BASE_URL',
  'AWS_*',
  'AZURE_*',
  'GOOGLE_*',
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_USE_BEDROCK',
  'CLAUDE_CODE_USE_VERTEX',
  'CODEX_HOME',
  'VIRTUAL_ENV',
  'CONDA_*',
  'PYENV_*',
  'NVM_*',
  'JAVA_HOME',
  'GOPATH',
  'CARGO_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
]

export const variablePattern = z
  .string()
  .check(z.regex(/^(\*|\*?[A-Za-z_][A-Za-z0-9_]*|[A-Za-z_][A-Za-z0-9_]*\*)$/, 'a name such as TZ, LC_* or *_KEY'))

export const aghConfigSchema = z.strictObject({
  http: z.prefault(
    z.strictObject({
      host: z._default(z.string(), '127.0.0.1'),
      port: z._default(z.int().check(z.minimum(0), z.maximum(65_535)), 2123),
    }),
    {},
  ),
  defaults: z.prefault(z.strictObject({ agent: z._default(z.string(), 'general') }), {}),
  permissions: z.prefault(z.strictObject({ mode: z._default(z.enum(PERMISSION_MODES), 'approve-reads') }), {}),
  environment: z.prefault(z.strictObject({ allow: z._default(z.array(variablePattern), CALLERS_VARIABLES) }), {}),
  hooks: z._default(z.array(hookSchema), []),
  agents: z.prefault(
    z.strictObject({
      heartbeat: z.prefault(
        z.strictObject({
          enabled: z._default(z.boolean(), true),
          /** No HEARTBEAT.md may ask for less. */
          min_interval: duration('5m'),
          default_interval: duration('30m'),
          /** Between two wakes of one session, whoever requests them. */
          wake_cooldown: duration('1m'),
          max_wakes_per_cycle: z._default(z.int().check(z.minimum(1)), 25),
        }),
        {},
      ),
    }),
    {},
  ),
  autonomy: z.prefault(
    z.strictObject({
      coordinator: z.prefault(
        z.strictObject({
          enabled: z._default(z.boolean(), true),
          /** Without a definition of that name: the default agent. */
          agent_name: z._default(z.string(), 'coordinator'),
          default_ttl: duration('2h'),
        }),
        {},
      ),
    }),
    {},
  ),
  /** For all agents; a server of the same name in an AGENT.md replaces it. */
  mcp_servers: z._default(z.array(mcpServerSchema), []),
  session: z.prefault(
    z.strictObject({
      limits: z.prefault(z.strictObject({ timeout: duration('0s') }), {}),
      supervision: z.prefault(
        z.strictObject({
          activity_heartbeat_interval: duration('30s'),
          progress_notify_interval: duration('10m'),
          inactivity_warning_after: duration('15m'),
          inactivity_timeout: duration('30m'),
          timeout_cancel_grace: duration('30s'),
        }),
        {},
      ),
      timeouts: z.prefault(
        z.strictObject({
          handshake: duration('60s'),
          driver_stop: duration('5s'),
          lifecycle: duration('5s'),
          permission: duration('5m'),
        }),
        {},
      ),
    }),
    {},
  ),
})
export type AghConfig = z.infer<typeof aghConfigSchema>
