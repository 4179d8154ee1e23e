// Every failure a user can meet: one class, one table. A new failure is a new row.

interface ErrorRow {
  http: number
  exit: number
  /** The next command to type, when it is always the same one. */
  hint?: string
}

export const ERROR_TABLE = {
  USAGE: { http: 400, exit: 2, hint: 'See the options with: ao --help' },
  CONFIG_NOT_FOUND: { http: 404, exit: 2, hint: 'Create one with: ao init' },
  CONFIG_INVALID: { http: 422, exit: 2, hint: 'Check it with: ao config validate' },
  CONFIG_CHANGED: { http: 409, exit: 5, hint: 'Read it again, then make the change again' },
  CONFIG_UNTRUSTED: { http: 403, exit: 2, hint: 'Read it, then trust it with: ao config trust' },
  PROJECT_NOT_FOUND: { http: 404, exit: 4, hint: 'List the projects with: ao config show' },
  PROJECT_AMBIGUOUS: { http: 400, exit: 2, hint: 'Name one with: --project <id>' },
  ORIGIN_MISMATCH: { http: 409, exit: 5 },
  SESSION_NOT_FOUND: { http: 404, exit: 4, hint: 'List the active sessions with: ao session ls --all' },
  SESSION_NOT_RESTORABLE: { http: 409, exit: 5, hint: 'Inspect it with: ao session show <session>' },
  SESSION_NOT_RUNNING: { http: 409, exit: 5, hint: 'Restore it with: ao session restore <session>' },
  NOT_RECORDED: { http: 404, exit: 4, hint: 'Read the conversation with: ao session transcript <session>' },
  ARCHIVE_INVALID: { http: 422, exit: 2, hint: 'Export it again with: ao session export <session>' },
  CASSETTE_DAMAGED: {
    http: 422,
    exit: 2,
    hint: 'Nothing was replayed. List the recorded days with: ao simulate --replay list',
  },
  SESSION_BUSY: { http: 409, exit: 5, hint: 'Another command works on this session; try again in a moment' },
  METADATA_DAMAGED: { http: 500, exit: 1, hint: 'See the findings with: ao doctor' },
  FORMAT_NEWER: { http: 409, exit: 5, hint: 'Update the program that is to change it; how: ao upgrade' },
  PLUGIN_NOT_FOUND: { http: 422, exit: 2, hint: 'List the plugins with: ao plugin ls' },
  PLUGIN_INVALID: { http: 422, exit: 2, hint: 'List the plugins with: ao plugin ls' },
  TOOL_MISSING: { http: 424, exit: 2, hint: 'See what is missing with: ao doctor' },
  WORKSPACE_MISSING: { http: 409, exit: 5, hint: 'Inspect it with: ao session show <session>' },
  WORKSPACE_FAILED: { http: 500, exit: 1 },
  PATH_TAKEN: { http: 409, exit: 5, hint: 'Nothing was changed there. Spawn again, or move what is there away' },
  RESCUE_CONFLICT: { http: 409, exit: 5 },
  WORKSPACE_NOT_SAVED: { http: 409, exit: 5, hint: 'Commit or move the work by hand; nothing was removed' },
  BRANCH_TAKEN: { http: 409, exit: 5, hint: 'Choose another with: --branch <name>' },
  GIT_FAILED: { http: 500, exit: 1 },
  GIT_OBJECT_DAMAGED: { http: 409, exit: 5, hint: 'Find all such objects with: git fsck --full' },
  RUNTIME_FAILED: { http: 500, exit: 1, hint: 'See what is missing with: ao doctor' },
  AGENT_FAILED: { http: 500, exit: 1 },
  ACCOUNT_NOT_FOUND: { http: 404, exit: 4, hint: 'List the accounts with: ao config show' },
  SWITCH_FAILED: { http: 409, exit: 5, hint: 'See the state of its accounts with: ao why <session>' },
  PLACE_NOT_FOUND: { http: 404, exit: 4, hint: 'List the places with: ao place ls' },
  PLACE_FAILED: { http: 502, exit: 1, hint: 'Try it with: ao place test <place>' },
  PLACE_UNREACHABLE: { http: 503, exit: 1, hint: 'Try it with: ao place test <place>' },
  PLACE_FULL: { http: 409, exit: 5, hint: 'See what runs where with: ao place ls' },
  POST_CREATE_FAILED: { http: 500, exit: 1 },
  MESSAGE_NOT_WAITING: { http: 409, exit: 5, hint: 'List the messages that wait with: ao session messages <session>' },
  MESSAGE_WITHDRAWN: { http: 409, exit: 5, hint: 'Send it again if it is still wanted' },
  RULE_NOT_FOUND: { http: 404, exit: 4, hint: 'List the standing rules with: ao session rules <session>' },
  ATTACHMENT_REFUSED: {
    http: 422,
    exit: 2,
    hint: 'A message takes up to 8 files of 8 MB, 12 MB together: pictures, PDFs, text and data, but no programs',
  },
  MESSAGE_REFUSED: { http: 422, exit: 2, hint: 'Break it into shorter lines, or send the name of a file' },
  MESSAGE_UNDELIVERED: { http: 504, exit: 3, hint: 'Attach to the session with: ao session attach <session>' },
  AGENT_ASKS: {
    http: 409,
    exit: 5,
    hint: 'Answer it with: ao session approve <session>, or: ao session deny <session>',
  },
  ISSUE_TAKEN: { http: 409, exit: 5, hint: 'Start a second session with: ao spawn <issue> --again' },
  SCHEDULE_NOT_FOUND: { http: 404, exit: 4, hint: 'List the schedules with: ao schedule ls' },
  ISSUE_NOT_FOUND: { http: 404, exit: 4, hint: 'List the issues with: ao issue ls' },
  ATTACHMENT_NOT_FOUND: { http: 404, exit: 4 },
  IMAGE_NOT_FOUND: { http: 404, exit: 4 },
  PR_NOT_FOUND: { http: 404, exit: 4, hint: 'List the pull requests with: ao pr ls --all' },
  PR_NOT_MERGEABLE: { http: 409, exit: 5 },
  PR_HEAD_MOVED: { http: 409, exit: 5 },
  CHECKOUT_DIRTY: { http: 409, exit: 5, hint: 'Commit or stash what is there, then merge again' },
  TRACKER_FAILED: { http: 502, exit: 1 },
  SCM_FAILED: { http: 502, exit: 1 },
  RATE_LIMITED: { http: 503, exit: 1, hint: 'Wait until the limit has passed; ao continues by itself' },
  WEBHOOK_REFUSED: { http: 401, exit: 1 },
  WORKSPACE_NOT_FOUND: { http: 404, exit: 4, hint: 'List the workspaces with: agh workspace list' },
  TASK_NOT_FOUND: { http: 404, exit: 4, hint: 'List the tasks with: agh task list' },
  AGENT_NOT_FOUND: { http: 404, exit: 4, hint: 'Make a first configuration with: agh install' },
  SESSION_AMBIGUOUS: { http: 400, exit: 2, hint: 'List the sessions with: agh session list --all' },
  SESSION_NOT_ACTIVE: { http: 409, exit: 5, hint: 'Restore it with: agh session resume <session>' },
  TURN_IN_PROGRESS: { http: 409, exit: 5, hint: 'Wait for it with: agh session wait <session> --until idle' },
  PERMISSION_NOT_FOUND: { http: 409, exit: 5, hint: 'See what it asks with: agh session status <session>' },
  STATE_REFUSED: { http: 409, exit: 5 },
  PAUSED: { http: 409, exit: 5, hint: 'Let everything go on with: ao resume' },
  DAEMON_RUNNING: { http: 409, exit: 5, hint: 'See it with: agh daemon status' },
  DAEMON_STOPPED: {
    http: 503,
    exit: 1,
    hint: 'Start it with: agh daemon start; continue a session with: agh session resume <session>',
  },
  DAEMON_LEFT: {
    http: 503,
    exit: 1,
    hint: 'Start the next one with: agh daemon start; then follow a session with: agh session attach <session>',
  },
  DAEMON_OLDER: { http: 503, exit: 1, hint: 'Start it anew with: agh daemon restart' },
  DAEMON_NOT_RUNNING: { http: 503, exit: 1, hint: 'Start it with: agh daemon start' },
  ROLE_REFUSED: { http: 403, exit: 1, hint: 'Ask the person who supervises the session to do it' },
  ACCESS_REFUSED: { http: 403, exit: 1 },
  DEVICE_NOT_FOUND: { http: 404, exit: 4, hint: 'List the devices with: ao device ls' },
  DEVICE_LIMITED: {
    http: 403,
    exit: 1,
    hint: 'Do it on the machine itself, or pair the device again with another right: ao device add',
  },
  SIGN_IN_NEEDED: { http: 401, exit: 1, hint: 'Open the dashboard with: ao dashboard' },
  ROUTE_NOT_FOUND: { http: 404, exit: 2 },
  BODY_TOO_LARGE: { http: 413, exit: 2 },
  IDEMPOTENCY_KEY_REUSED: { http: 422, exit: 2, hint: 'Use a new key for another request' },
  REQUEST_IN_PROGRESS: { http: 409, exit: 5, hint: 'Send it again with the same key in a moment' },
  OUTCOME_UNKNOWN: { http: 409, exit: 5, hint: 'See what is there with: ao status. To do it again, use a new key' },
  ALREADY_RUNNING: { http: 409, exit: 5, hint: 'Stop it with: ao stop' },
  SERVICE_FAILED: { http: 500, exit: 1 },
  PORT_TAKEN: { http: 409, exit: 5 },
  FILE_UNUSABLE: { http: 500, exit: 1, hint: 'Check that path; see what else is wrong with: ao doctor' },
  ACCESS_DENIED: { http: 500, exit: 1, hint: 'See what belongs to another user with: ao doctor' },
  DISK_FULL: { http: 507, exit: 1, hint: 'Free some space, then try again; see what there is with: df -h' },
  DISK_READ_ONLY: { http: 507, exit: 1, hint: 'See how it is mounted with: findmnt --target <path>' },
  OUTPUT_LOST: {
    http: 507,
    exit: 1,
    hint: 'The command itself has run to its end: send its output to where there is room',
  },
  PROGRAM_REPLACED: {
    http: 503,
    exit: 1,
    hint: 'Try again in a moment: it restarts by itself. If it does not: ao stop && ao start',
  },
  TOO_MANY_FILES: { http: 503, exit: 1, hint: 'Raise the limit with: ulimit -n 4096, or close some programs' },
  LOCK_TIMEOUT: { http: 503, exit: 5 },
  TIMEOUT: { http: 504, exit: 3 },
  INTERNAL: { http: 500, exit: 1 },
} as const satisfies Record<string, ErrorRow>

/** Where a hint in the table names a command of ao, the equivalent in agh; null: there is none. */
const AGH_HINTS: Readonly<Partial<Record<ErrorCode, string | null>>> = {
  USAGE: 'See the options with: agh --help',
  CONFIG_INVALID: 'Check it with: agh doctor',
  SESSION_NOT_FOUND: 'List the sessions with: agh session list --all',
  METADATA_DAMAGED: 'See the findings with: agh doctor',
  FORMAT_NEWER: 'Update ao-fleet where it is installed, then: agh daemon restart',
  TOOL_MISSING: 'See what is missing with: agh doctor',
  WORKSPACE_MISSING: 'See the session with: agh session status <session>',
  RUNTIME_FAILED: 'See what is missing with: agh doctor',
  ACCESS_DENIED: 'See what is wrong with: agh doctor',
  FILE_UNUSABLE: 'Check that path; see what else is wrong with: agh doctor',
  SESSION_BUSY: 'Try again in a moment',
}

/** The hint for a user of this program. */
export function hintFor(error: AoError, program: string): string | undefined {
  if (program !== 'agh' || error.hint === undefined) return error.hint
  const row: ErrorRow = ERROR_TABLE[error.code]
  const isOfTable = error.hint === row.hint && /\bao\b/.test(error.hint)
  return isOfTable ? (AGH_HINTS[error.code] ?? undefined) : error.hint
}

export type ErrorCode = keyof typeof ERROR_TABLE

export interface AoErrorOptions {
  hint?: string | undefined
  details?: Record<string, unknown> | undefined
  cause?: unknown
}

/** What happened (`message`), what to do (`hint`), data for programs (`details`), and why (`cause`). */
export class AoError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly details: Record<string, unknown>

  constructor(code: ErrorCode, message: string, options: AoErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AoError'
    this.code = code
    const row: ErrorRow = ERROR_TABLE[code]
    this.hint = options.hint ?? row.hint
    this.details = options.details ?? {}
  }

  get exitCode(): number {
    return ERROR_TABLE[this.code].exit
  }

  get httpStatus(): number {
    return ERROR_TABLE[this.code].http
  }

  /** The one shape on every wire: CLI `--json`, HTTP, logs. */
  toJSON(): {
    error: { code: ErrorCode; message: string; hint?: string | undefined; details: Record<string, unknown> }
  } {
    const { code, message, hint, details } = this
    return { error: { code, message, hint, details } }
  }
}

export class SessionNotRestorableError extends AoError {
  readonly sessionId: string
  readonly reason: string

  constructor(sessionId: string, reason: string) {
    super('SESSION_NOT_RESTORABLE', `Session ${sessionId} cannot be restored: ${reason}`, {
      hint: `Inspect it with: ao session show ${sessionId}`,
      details: { sessionId, reason },
    })
    this.name = 'SessionNotRestorableError'
    this.sessionId = sessionId
    this.reason = reason
  }
}

export class WorkspaceMissingError extends AoError {
  readonly path: string

  constructor(path: string, why: string) {
    super('WORKSPACE_MISSING', `The workspace ${path} does not exist and cannot be recreated: ${why}`, {
      details: { path, why },
    })
    this.name = 'WorkspaceMissingError'
    this.path = path
  }
}

/** The text of any thrown value, for messages and logs. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A schema's own message is pages of JSON.
  const { issues } = error as { issues?: ReadonlyArray<{ path: PropertyKey[]; message: string }> }
  if (!Array.isArray(issues) || issues.length === 0) return error.message
  return issues
    .slice(0, SHOWN_ISSUES)
    .map(({ path, message }) => `${path.map(String).join('.') || 'all of it'}: ${message}`)
    .join('; ')
}

const SHOWN_ISSUES = 3
