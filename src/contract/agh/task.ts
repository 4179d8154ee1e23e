// Coordinated work: a task says what is wanted in a workspace; a run of it is queued work.
import * as z from 'zod/mini'

const RUN_STATES = ['queued', 'running', 'completed', 'failed'] as const

const runSchema = z.object({
  id: z.string(),
  state: z.enum(RUN_STATES),
  /** The coordinator that works on it, and the turn in which it does. */
  session_id: z.nullable(z.string()),
  turn_id: z.nullable(z.string()),
  /** Why it failed. */
  detail: z.nullable(z.string()),
  enqueued_at: z.string(),
  started_at: z.nullable(z.string()),
  ended_at: z.nullable(z.string()),
})
export type TaskRun = z.infer<typeof runSchema>

export const taskSchema = z.object({
  schema: z.literal('agh.task.v1'),
  id: z.string(),
  title: z.string(),
  prompt: z.string(),
  workspace_id: z.nullable(z.string()),
  /** null: it belongs to no workspace, and cannot be run. */
  workspace_path: z.nullable(z.string()),
  created_at: z.string(),
  /** Oldest first. */
  runs: z.array(runSchema),
})
export type Task = z.infer<typeof taskSchema>

export const createTaskSchema = z
  .strictObject({
    title: z.string().check(z.minLength(1), z.maxLength(200)),
    /** The full description; the title by default. */
    prompt: z.optional(z.string().check(z.maxLength(256 * 1024))),
    workspace: z.optional(z.string()),
    workspace_path: z.optional(z.string()),
  })
  .check(
    z.refine(
      ({ workspace, workspace_path }) => workspace === undefined || workspace_path === undefined,
      'at most one of workspace and workspace_path may be given',
    ),
  )
export type CreateTaskRequest = z.infer<typeof createTaskSchema>
