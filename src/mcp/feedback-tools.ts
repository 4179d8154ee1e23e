// The two tools with which an agent inside a session reports on ao itself.
import { basename, dirname, resolve } from 'node:path'
import { AoError, errorText } from '../contract/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type AddedFeedback, createFeedbackStore } from '../store/feedback/feedback.ts'
import type { FeedbackInput, FeedbackTool } from '../store/feedback/feedback-schema.ts'
import { projectPaths } from '../store/paths.ts'

export interface FeedbackContext {
  /** AO_SESSION and AO_DATA_DIR say where the agent is. */
  env: NodeJS.ProcessEnv
  clock: Clock
}

type ToolInput = Omit<FeedbackInput, 'tool' | 'session'> & { session?: string | undefined }

export interface ToolResult {
  [key: string]: unknown
  content: Array<{ type: 'text'; text: string }>
  structuredContent?: Record<string, unknown>
  isError?: boolean
}

const SCOPE =
  'Only for ao (Agent Orchestrator) itself: its commands, wrappers, prompts and messages. ' +
  'Not for the project you work on, and not for your own mistakes.'

export const FEEDBACK_DESCRIPTIONS: Record<FeedbackTool, string> = {
  bug_report: `Report a bug in ao that you met in this session. ${SCOPE}`,
  improvement_suggestion: `Suggest how ao could work better for you. ${SCOPE}`,
}

/** Never throws: an agent reads the error in the result and can call again. */
export async function answerFeedback(
  tool: FeedbackTool,
  input: ToolInput,
  options: FeedbackContext & { log: Log },
): Promise<ToolResult> {
  try {
    const added = await addFeedback(tool, input, options)
    return { content: [{ type: 'text', text: describeAdded(added) }] }
  } catch (error) {
    options.log.warn(`mcp: ${tool} failed`, { error: errorText(error) })
    return { content: [{ type: 'text', text: errorText(error) }], isError: true }
  }
}

/** Stores what an agent reports about its own session, by tool or by command. */
export async function addFeedback(
  tool: FeedbackTool,
  input: ToolInput,
  { env, clock }: FeedbackContext,
): Promise<AddedFeedback> {
  const { session = env.AO_SESSION, ...report } = input
  if (!session) throw new AoError('USAGE', 'The session is unknown: pass it as the argument session')
  return createFeedbackStore({ paths: projectOf(env), clock }).add({ ...report, tool, session })
}

/** AO_DATA_DIR of an agent is the `sessions` directory of its project. */
function projectOf(env: NodeJS.ProcessEnv): ReturnType<typeof projectPaths> {
  const given = env.AO_DATA_DIR
  if (given && basename(resolve(given)) === 'sessions') return projectPaths(dirname(resolve(given)))
  throw new AoError(
    'USAGE',
    'Reports can be stored only from inside an ao session: AO_DATA_DIR names no sessions directory',
  )
}

export function describeAdded({ id, stored }: AddedFeedback): string {
  return stored ? `Stored as ${id}. Thank you.` : `Known already as ${id}; nothing was stored.`
}
