// Requests of a program that runs its own sessions on agh, such as ao: it supplies the command, the environment and the
// marker of the process, and names the session. Only over the daemon's Unix socket.
import * as z from 'zod/mini'
import { sentFilesSchema } from './api.ts'
import { mcpServerSchema } from './mcp-server.ts'
import { PERMISSION_MODES } from './session-terms.ts'

const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max))

const launch = {
  /** A marker of this start; every process of the agent carries it in its environment. */
  spawn_id: text(200),
  /** `pid:start:boot` of the requester. When it is dead, nothing is started: nobody would know of it. */
  owner: z.string(),
  command: z.array(z.string()).check(z.minLength(1)),
  /** The agent's complete environment; the daemon's own is not added. It is kept in memory only. */
  environment: z.record(z.string(), z.string()),
  /**
   * The agent is in a place, and knows its workspace by this path. It works on that place's disk alone: nothing is read, written or run
   * for it here.
   */
  far_workspace: z.optional(text(4096)),
  /** It runs there already, and its host is reached by the record in this directory: nothing is started here. */
  host_directory: z.optional(text(4096)),
  /** Prepended to the first prompt. */
  instructions: z.optional(z.string()),
  mcp_servers: z.optional(z.array(mcpServerSchema)),
}

export const driveSchema = z.strictObject({
  ...launch,
  /** Who drives it. */
  driver: text(50),
  /** The driver's name for it: unique among running sessions. */
  key: text(200),
  agent_name: text(200),
  workspace_path: z.string(),
  permissions: z.enum(PERMISSION_MODES),
  /** The first one that the agent offers is chosen; if none is, the agent's default stays. */
  modes: z.array(z.string()),
  /** Instead of those: with an agent that does not offer it, it does not start. Chosen before its first prompt, at every start. */
  mode: z.optional(text(200)),
  /** Its conversation begins as a copy of that of this session, which is its driver's too; without one it does not start. */
  fork_of: z.optional(text(200)),
  /** One of those the agent offers; with any other it does not start. */
  model: z.optional(z.string()),
  /** For the agent's own sandbox, where it supports that. */
  additional_directories: z.optional(z.array(z.string()).check(z.maxLength(100))),
})
export type DriveRequest = z.infer<typeof driveSchema>

export const driveAgainSchema = z.strictObject(launch)
export type DriveAgainRequest = z.infer<typeof driveAgainSchema>

export const driverReadingSchema = z.strictObject({ ids: z.array(z.string()).check(z.maxLength(10_000)) })

export const driverStopSchema = z.strictObject({
  /** Without asking the agent first. */
  force: z._default(z.boolean(), false),
  /** How long it may take to end on its own. */
  grace_ms: z.optional(z.int().check(z.minimum(0), z.maximum(60_000))),
})

/** Prefix of the names of prompts that wait beside a driver's messages. */
export const WAITING_PROMPT = 'prompt:'

export const driverMessageSchema = z.strictObject({
  message: text(4 * 1024 * 1024),
  /** The same id again is the same message. */
  message_id: text(200).check(z.refine((id) => !id.startsWith(WAITING_PROMPT), `an id without ${WAITING_PROMPT}`)),
  /** What goes along with it. */
  files: z.optional(sentFilesSchema),
  /** The running turn is cancelled first. */
  interrupt: z._default(z.boolean(), false),
})
export type DriverMessageRequest = z.infer<typeof driverMessageSchema>

/**
 * queued: it waits for the running turn. recorded: in the event log, not yet sent to the agent. lost: it never got there.
 * withdrawn: somebody withdrew it while it waited, and it never gets there.
 */
const MESSAGE_STATES = ['queued', 'recorded', 'handed_over', 'lost', 'withdrawn', 'unknown'] as const

export const drivenMessageSchema = z.object({
  message_id: z.string(),
  state: z.enum(MESSAGE_STATES),
  /** Names of the files of which the agent takes only a link. */
  linked: z.optional(z.array(z.string())),
})
export type DrivenMessage = z.infer<typeof drivenMessageSchema>
