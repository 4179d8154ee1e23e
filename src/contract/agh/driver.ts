// What a program asks of agh that runs sessions of its own on it, such as ao: it brings the command, the environment and
// the marker of the process, and names the session. Only over the daemon's Unix socket.
import * as z from 'zod/mini'
import { mcpServerSchema } from './mcp-server.ts'
import { PERMISSION_MODES } from './words.ts'

const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max))

const launch = {
  /** A marker of this start; every process of the agent carries it in its environment. */
  spawn_id: text(200),
  /** `pid:start:boot` of who asks. When it is dead, nothing is started: nobody would know of it. */
  owner: z.string(),
  command: z.array(z.string()).check(z.minLength(1)),
  /** All of the agent's environment; the daemon's own is not added. It is kept in memory only. */
  environment: z.record(z.string(), z.string()),
  /** Goes before the first prompt. */
  instructions: z.optional(z.string()),
  mcp_servers: z.optional(z.array(mcpServerSchema)),
}

export const driveSchema = z.strictObject({
  ...launch,
  /** Who drives it. */
  driver: text(50),
  /** The driver's name for it: unique among what runs. */
  key: text(200),
  agent_name: text(200),
  workspace_path: z.string(),
  permissions: z.enum(PERMISSION_MODES),
  /** The first of them that the agent offers is chosen; none of them, and it stays as the agent has it. */
  modes: z.array(z.string()),
  /** Of those that the agent offers; another one lets it not start. */
  model: z.optional(z.string()),
  /** For the agent's own sandbox, where it takes such. */
  additional_directories: z.optional(z.array(z.string()).check(z.maxLength(100))),
})
export type DriveRequest = z.infer<typeof driveSchema>

export const driveAgainSchema = z.strictObject(launch)
export type DriveAgainRequest = z.infer<typeof driveAgainSchema>

export const driverReadingSchema = z.strictObject({ ids: z.array(z.string()).check(z.maxLength(10_000)) })

export const driverStopSchema = z.strictObject({
  /** Nothing is asked first. */
  force: z._default(z.boolean(), false),
  /** How long it may take to end by itself. */
  grace_ms: z.optional(z.int().check(z.minimum(0), z.maximum(60_000))),
})

/** So begin the names of prompts that wait beside a driver's messages. */
export const WAITING_PROMPT = 'prompt:'

export const driverMessageSchema = z.strictObject({
  message: text(4 * 1024 * 1024),
  /** The same id again is the same message. */
  message_id: text(200).check(z.refine((id) => !id.startsWith(WAITING_PROMPT), `an id without ${WAITING_PROMPT}`)),
  /** The turn that runs is cancelled first. */
  interrupt: z._default(z.boolean(), false),
})
export type DriverMessageRequest = z.infer<typeof driverMessageSchema>

/** queued: it waits for the turn that runs. recorded: in the history, not yet with the agent. lost: it never got there. */
const MESSAGE_STATES = ['queued', 'recorded', 'handed_over', 'lost', 'unknown'] as const

export const drivenMessageSchema = z.object({ message_id: z.string(), state: z.enum(MESSAGE_STATES) })
export type DrivenMessage = z.infer<typeof drivenMessageSchema>
