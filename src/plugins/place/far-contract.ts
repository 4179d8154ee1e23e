// What crosses the channel between home and the host in a place. Home checks every answer: the agent beside the host could have
// written it. Hosts of earlier versions are still read, so what came later is optional.
import * as z from 'zod/mini'
import type { AgentConfig, ProjectConfig } from '../../contract/config.ts'
import type { AskTool } from '../../core/place/check-far-values.ts'
import type { AgentLaunch } from '../../slots/agent.ts'

const texts = z.record(z.string(), z.string())
/** Home's own objects, which only home makes: the host passes them to the same code that home has. */
const ofHome = <T>() => z.custom<T>((value) => typeof value === 'object' && value !== null)

export const ok = z.object({ ok: z.literal(true) })

/** What a host says of itself. */
export const hello = z.object({
  version: z.string(),
  name: z.string(),
  spawnId: z.string(),
  /** Its clock, in milliseconds: clocks may differ. */
  now: z.number(),
  /** `none`: not launched yet. `orphaned`: an earlier host was killed, its agent lives on without a terminal. */
  agent: z.enum(['none', 'running', 'ended', 'orphaned']),
  pid: z.nullable(z.number()),
  /** Its directory in the place, and the workspace below it. */
  directory: z.string(),
  workspace: z.string(),
})
export type Hello = z.infer<typeof hello>

const commit = z.string().check(z.regex(/^[0-9a-f]{40,64}$/))

export const checkoutRequest = z.object({
  branch: z.string(),
  head: commit,
  /** A commit whose tree is the working tree to begin with. */
  work: commit,
  /** Branches of the remote, by name. */
  remote: z.record(z.string(), commit),
  /** user.name, user.email and the like. */
  settings: texts,
  /** What home ignores beyond `.gitignore`: both sides have to agree on what is work. */
  exclude: z.string(),
})
export type CheckoutRequest = z.infer<typeof checkoutRequest>

export const stoppedRequest = z.object({ stopped: z.boolean() })

/** By name. */
export const remoteBranches = z.record(z.string(), commit)

export const repositoryRequest = z.object({
  /** Which repository it is, for what this machine has of it. */
  cache: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  /** Where the place may fetch it. null: from home alone. */
  remote: z.nullable(z.object({ url: z.string(), branches: z.array(z.string()) })),
})
export type RepositoryRequest = z.infer<typeof repositoryRequest>
export const repositoryAnswer = z.object({
  /** Commits that are there already. */
  has: z.array(commit).check(z.maxLength(1_000)),
  /** The remote could not be reached. */
  why: z.optional(z.string().check(z.maxLength(2_000))),
})
/** `isWhole`: everything that the commits lead to is there. Absent in older versions. */
export const objectsAnswer = z.object({ ok: z.literal(true), isWhole: z.optional(z.boolean()) })

const travellingFile = z.object({
  path: z.string(),
  mode: z.number(),
  /** base64 */
  data: z.optional(z.string()),
  link: z.optional(z.string()),
})
export const filesRequest = z.array(travellingFile)
export type TravellingFile = z.infer<typeof travellingFile>

/** For `.ao/attachments` of the workspace; `data` in base64. */
export const attachmentRequest = z.object({ sha256: z.string(), name: z.string(), data: z.string() })

/** For `.ao/messages` of the workspace. */
export const messageRequest = z.object({ id: z.string(), text: z.string() })

export const commandsRequest = z.object({ commands: z.array(z.string()), timeoutMs: z.number(), env: texts })
export type CommandsRequest = z.infer<typeof commandsRequest>
export const commandsAnswer = z.object({ failed: z.nullable(z.object({ command: z.string(), how: z.string() })) })

/** An agent's launch as home describes it; what is about paths is added in the place. */
const farAgentLaunch = z.object({
  agent: z.string(),
  options: z.record(z.string(), z.unknown()),
  sessionId: z.string(),
  project: ofHome<ProjectConfig>(),
  issueId: z.nullable(z.string()),
  prompt: z.nullable(z.string()),
  /** Instructions in addition to the task. */
  instructions: z.nullable(z.string()),
  permissions: z.custom<AgentLaunch['permissions']>((value) => typeof value === 'string'),
  model: z.nullable(z.string()),
  config: ofHome<AgentConfig>(),
  role: z.enum(['worker', 'orchestrator', 'reviewer']),
  /** Its conversation was sent ahead, and is continued if the agent can. */
  isResume: z.boolean(),
  readyThresholdMs: z.number(),
  /** The session as it is recorded, its dates as text. */
  session: z.record(z.string(), z.unknown()),
})
export type FarAgentLaunch = z.infer<typeof farAgentLaunch>

export const farLaunch = z.object({
  /** What to run in which directory; null: the agent's plugin decides, in the workspace. */
  raw: z.nullable(z.object({ command: z.array(z.string()), workspacePath: z.string() })),
  agent: z.nullable(farAgentLaunch),
  /** With `raw` the whole environment; else what is added to that of the place. It may contain secrets: only in memory. */
  environment: texts,
  cols: z.number(),
  rows: z.number(),
  /** It speaks the Agent Client Protocol on its pipes, and has no terminal. */
  overProtocol: z.boolean(),
  /** The place has no network; home connects to the servers of models. */
  modelOnly: z.boolean(),
  /** Its terminal is recorded. Absent: an older home, which would not fetch it. */
  isRecorded: z.optional(z.boolean()),
})
export type FarLaunch = z.infer<typeof farLaunch>

export const farLaunched = z.object({
  pid: z.nullable(z.number()),
  /** In its terminal the agent continues an earlier conversation. Absent in older versions. */
  resumed: z.optional(z.boolean()),
})
export type FarLaunched = z.infer<typeof farLaunched>

/** What `GET /work` sends ahead of the pack. */
export const farWork = z.object({
  /** null while HEAD is detached. */
  ref: z.nullable(z.string().check(z.regex(/^refs\/heads\/[^\s~^:?*[\\]+$/))),
  head: commit,
  /** The working tree as a commit on top of `head`: everything that git does not ignore. */
  work: commit,
  tree: commit,
  /** Nothing is in it that is not committed, though there may be such work. */
  onlyCommits: z.optional(z.boolean()),
  /** Files that are not in it: untracked ones that are too large together, and what git-lfs keeps. Absent in older versions. */
  left: z.optional(
    z.nullable(
      z.object({
        files: z.int().check(z.minimum(1)),
        bytes: z.number().check(z.minimum(0)),
        largest: z.string().check(z.maxLength(1_000)),
        lfs: z.optional(z.boolean()),
      }),
    ),
  ),
})
export type FarWork = z.infer<typeof farWork>

export const gateId = z.object({ id: z.string() })
export const gateCheckout = z.object({ id: z.string(), commit })
export type GateCheckout = z.infer<typeof gateCheckout>

const names = z.optional(z.readonly(z.array(z.string())))
export const gateCommand = z.object({
  id: z.string(),
  /** Which command of the run. */
  n: z.number(),
  command: z.object({ name: z.string(), run: z.string(), timeoutMs: z.number() }),
  rule: z.object({ allow: names, deny: names }),
})
export type GateCommand = z.infer<typeof gateCommand>

/** The log is fetched by its own request. */
export const gateEnd = z.object({
  kind: z.enum(['passed', 'failed', 'cancelled']),
  exitCode: z.nullable(z.int()),
  why: z.string(),
  logBytes: z.int(),
})
export type GateEnd = z.infer<typeof gateEnd>

export const stopRequest = z.object({ graceMs: z.number() })
export const stopAnswer = z.object({
  ok: z.literal(true),
  unproven: z.array(z.object({ pid: z.number(), command: z.string() })),
})

/** Numbered and durable on the far side; read from the last number on. */
export type Fact = { n: number; at: number } & (
  | { type: 'launched'; pid: number }
  | { type: 'exit'; exitCode: number | null; signal: string | null; screen: string; why?: string | undefined }
  | { type: 'ask'; id: string; tool: AskTool; argv: string[]; cwd: string }
)

const activity = z.object({
  state: z.string(),
  timestamp: z.optional(z.string()),
  evidence: z.optional(z.string()),
  asksInWords: z.optional(z.boolean()),
})
const reading = z.object({ activity: z.nullable(activity), info: z.optional(z.unknown()) })
/** An agent without a network wants to reach this `host:port`. */
const wantedConnection = z.object({ id: z.string(), target: z.string() })
export type WantedConnection = z.infer<typeof wantedConnection>

/** Lines of the log: facts, and between them the present state, which is not numbered because only the last one counts. */
export const logLine = z.union([
  // `checkFact` decides what it is.
  z.looseObject({ n: z.number() }),
  z.object({ reading }),
  z.object({ head: z.nullable(z.string()) }),
  z.object({ connection: wantedConnection }),
  /** Why the host cannot say what became of the agent. */
  z.object({ trouble: z.string() }),
])

export type LogEntry = z.infer<typeof logLine>
/** As the host writes them. */
export type LogLine = Fact | Exclude<LogEntry, { n: number }>

/** Input of a forwarded command, place to home. */
export const inputLine = z.union([z.object({ data: z.string() }), z.object({ end: z.literal(true) })])
/** What a forwarded command begins with. */
export const askRequest = z.object({
  tool: z.custom<AskTool>((value) => typeof value === 'string'),
  argv: z.array(z.string()),
  cwd: z.string(),
})
/** Frames of a forwarded command, home to place. */
export const askFrame = z.union([
  z.object({ out: z.string() }),
  z.object({ err: z.string() }),
  z.object({ exit: z.number() }),
])
