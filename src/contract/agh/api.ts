// The requests of agh's API; the responses are in answers.ts.
import * as z from 'zod/mini'
import { ATTACHMENT_LIMITS } from './attachment.ts'
import { DECISIONS, PERMISSION_MODES } from './session-terms.ts'

/** A name for people is one line of text: it appears in tables and hints. */
export function isPrintable(name: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(name)
}

const nameOf = (maxLength: number) =>
  z
    .string()
    .check(
      z.minLength(1),
      z.maxLength(maxLength),
      z.refine(isPrintable, 'a name without line breaks and control characters'),
    )

const choice = z.string().check(z.minLength(1), z.maxLength(200))
/** One of those the agent offers. */
const settings = {
  mode: z.optional(choice),
  model: z.optional(choice),
  options: z.optional(z.record(z.string(), choice)),
}

export const settingsSchema = z
  .strictObject(settings)
  .check(z.refine((wanted) => Object.keys(wanted).length > 0, 'a mode, a model or options are needed'))

/** Of the requesting command; `environment.allow` decides what of it the agent gets. Over the socket only. */
const environment = z.optional(z.record(z.string(), z.string()))

export const resumeSchema = z.strictObject({ environment })

/** Of a session that begins with a copy of another's conversation; by default where that one works. */
export const forkSchema = z.strictObject({
  name: z.optional(nameOf(200)),
  workspace_path: z.optional(z.string()),
  environment,
})
export type ForkRequest = z.infer<typeof forkSchema>

export const createSessionSchema = z
  .strictObject({
    agent_name: z.optional(z.string()),
    name: z.optional(nameOf(200)),
    workspace: z.optional(z.string()),
    workspace_path: z.optional(z.string()),
    /** The others are created in their own ways. */
    type: z.optional(z.enum(['user', 'dream', 'system'])),
    /** Additional directories that the agent may work in. */
    additional_directories: z.optional(z.array(z.string()).check(z.maxLength(50))),
    /** Overrides the agent's definition and the configuration. */
    permissions: z.optional(z.enum(PERMISSION_MODES)),
    environment,
    ...settings,
  })
  .check(
    z.refine(
      ({ workspace, workspace_path }) => (workspace === undefined) !== (workspace_path === undefined),
      'exactly one of workspace and workspace_path is needed',
    ),
  )
export type CreateSessionRequest = z.infer<typeof createSessionSchema>

/** More than a person types, and well below the limit of one line to an agent. */
const MAX_MESSAGE = 4 * 1024 * 1024

const message = z.string().check(z.minLength(1), z.maxLength(MAX_MESSAGE))

/** SentFile, see attachment.ts. */
export const sentFilesSchema = z
  .array(
    z.strictObject({
      name: z.string().check(z.maxLength(1_000)),
      data: z.base64().check(z.maxLength(Math.ceil(ATTACHMENT_LIMITS.bytes / 3) * 4)),
      path: z.optional(z.string().check(z.maxLength(1_000))),
    }),
  )
  .check(z.maxLength(ATTACHMENT_LIMITS.files))

/** A message of the AI SDK's `useChat`. */
const chatMessageSchema = z.looseObject({
  role: z.string(),
  content: z.optional(z.string()),
  parts: z.optional(z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) }))),
})

export const promptSchema = z
  .looseObject({
    message: z.optional(message),
    /** Instead of a message: a chat, of which the user's last message counts. */
    messages: z.optional(z.array(chatMessageSchema)),
    /** What goes along with the message. */
    files: z.optional(sentFilesSchema),
    /** Wait for the running turn instead of being refused. */
    queue: z._default(z.boolean(), false),
  })
  .check(
    z.refine(
      (body) =>
        (body.message === undefined) !== (body.messages === undefined) && message.safeParse(messageOf(body)).success,
      'a message is needed, or messages of which one is by the user and has text',
    ),
    // A chat comes with whatever else its program sends; a plain prompt with a misspelt key would be another prompt.
    z.refine(
      (body) =>
        body.message === undefined || Object.keys(body).every((key) => ['message', 'files', 'queue'].includes(key)),
      'only message, files and queue are known',
    ),
  )

/** Without a turn the newest one is meant. */
export const retrySchema = z.strictObject({ turn_id: z.optional(choice) })

/** For a prompt that waits. */
export const editPromptSchema = z.strictObject({ message })

export function messageOf(body: Pick<z.infer<typeof promptSchema>, 'message' | 'messages'>): string {
  const last = body.messages?.findLast(({ role }) => role === 'user')
  const texts = last?.parts?.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
  return body.message ?? last?.content ?? texts?.join('\n') ?? ''
}

export const workspaceSchema = z.strictObject({
  path: z.string(),
  name: z.optional(nameOf(100)),
  additional_directories: z.optional(z.array(z.string()).check(z.maxLength(50))),
})

const MAX_TTL_SECONDS = 24 * 60 * 60

export const spawnSchema = z.strictObject({
  agent_name: z.optional(z.string()),
  name: z.optional(nameOf(200)),
  role: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  ttl_seconds: z.int().check(z.minimum(1), z.maximum(MAX_TTL_SECONDS)),
  permissions: z.optional(z.enum(PERMISSION_MODES)),
})
export type SpawnRequest = z.infer<typeof spawnSchema>

export const stopSchema = z.strictObject({ detail: z.optional(z.string().check(z.maxLength(2_000))) })

export const approveSchema = z
  .strictObject({
    request_id: z.optional(z.string()),
    decision: z.optional(z.enum(DECISIONS)),
    /** Instead of a decision: exactly this option of the agent. */
    option_id: z.optional(z.string()),
  })
  .check(
    z.refine(
      ({ decision, option_id }) => (decision === undefined) !== (option_id === undefined),
      'exactly one of decision and option_id is needed',
    ),
  )
export type ApproveRequest = z.infer<typeof approveSchema>
