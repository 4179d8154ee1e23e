// The MCP server that `ao mcp` runs beside an agent: two tools with which it can report on ao itself.
// Speaks on the given streams only; anything else on them would break the protocol.
import { basename, dirname, resolve } from 'node:path'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod/mini'
import { AoError, errorText } from '../contract/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type AddedFeedback, createFeedbackStore } from '../store/feedback/feedback.ts'
import { FEEDBACK_TOOLS, type FeedbackInput, type FeedbackTool, toolShape } from '../store/feedback/feedback-schema.ts'
import { projectPaths } from '../store/paths.ts'

export interface McpServerOptions {
  input: Readable
  output: Writable
  /** AO_SESSION and AO_DATA_DIR say where the agent is. */
  env: NodeJS.ProcessEnv
  clock: Clock
  log: Log
  /** ao's version, told to the client. */
  version: string
}

type ToolInput = Omit<FeedbackInput, 'tool' | 'session'> & { session?: string | undefined }
interface ToolResult {
  [key: string]: unknown
  content: Array<{ type: 'text'; text: string }>
  isError?: boolean
}

const SCOPE =
  'Only for ao (Agent Orchestrator) itself: its commands, wrappers, prompts and messages. ' +
  'Not for the project you work on, and not for your own mistakes.'

const DESCRIPTIONS: Record<FeedbackTool, string> = {
  bug_report: `Report a bug in ao that you met in this session. ${SCOPE}`,
  improvement_suggestion: `Suggest how ao could work better for you. ${SCOPE}`,
}

/** Resolves when the client has gone and every call it made has been carried out. */
export async function runMcpServer(options: McpServerOptions): Promise<void> {
  const gone = clientGone(options.input, options.output)
  const [{ McpServer }, { StdioServerTransport }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
  ])
  const server = new McpServer({ name: 'ao', version: options.version }, { maxToolInputElements: 100 })
  const calls = new Set<Promise<unknown>>()

  for (const tool of FEEDBACK_TOOLS) {
    const config = { description: DESCRIPTIONS[tool], inputSchema: withJsonSchema(z.object(toolShape)) }
    server.registerTool(tool, config, (input) => {
      const call = answer(tool, input, options)
      calls.add(call)
      return call
    })
  }
  server.server.onerror = (error) =>
    options.log.warn('mcp: a message could not be handled', { error: errorText(error) })

  // Ended with its input, the transport would abort the calls that are still running.
  const input = options.input.pipe(new PassThrough(), { end: false })
  await server.connect(new StdioServerTransport(input, options.output, { maxBufferSize: 1024 * 1024 }))
  await gone
  // What was read before the end is on its way to its tool by the next turn.
  await nextTurn()
  await Promise.allSettled(calls)
  // And its answer is written by the one after.
  await nextTurn()
  await server.close()
}

/** The small zod describes a schema only when asked; the SDK expects the schema to do so itself. */
function withJsonSchema<T extends z.ZodMiniType>(schema: T) {
  const describe = (io: 'input' | 'output') => () => z.toJSONSchema(schema, { io }) as Record<string, unknown>
  const jsonSchema = { input: describe('input'), output: describe('output') }
  return { '~standard': { ...schema['~standard'], jsonSchema } }
}

/** Never throws: an agent reads what went wrong in the result and can call again. */
async function answer(tool: FeedbackTool, input: ToolInput, options: McpServerOptions): Promise<ToolResult> {
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
  { env, clock }: Pick<McpServerOptions, 'env' | 'clock'>,
): Promise<AddedFeedback> {
  const { session = env.AO_SESSION, ...said } = input
  if (!session) throw new AoError('USAGE', 'The session is not known: pass it as the argument session')
  return createFeedbackStore({ paths: projectOf(env), clock }).add({ ...said, tool, session })
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

function clientGone(input: Readable, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.on(event, () => resolve())
    // A client that stopped reading is gone as well; without a listener its broken pipe would end us mid-write.
    for (const event of ['close', 'error']) output.on(event, () => resolve())
  })
}
