// ao's MCP server: which tools a caller gets, and the two ways in (`ao mcp` on stdin and stdout, and the dashboard's
// Streamable HTTP). An agent inside a session reports about ao; an orchestrator and programs outside drive ao as well, each
// with the rights that it has on the command line.
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { McpHttpHandler, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod/mini'
import { errorText } from '../contract/errors.ts'
import type { CallerKind } from '../core/boundary/rights.ts'
import type { Clock } from '../lib/clock.ts'
import { type ExecResult, exec, execFailure } from '../lib/exec.ts'
import type { Log } from '../lib/log.ts'
import { FEEDBACK_TOOLS, toolShape } from '../store/feedback/feedback-schema.ts'
import type { ToolCommand } from './command-tool.ts'
import { answerFeedback, FEEDBACK_DESCRIPTIONS, type ToolResult } from './feedback-tools.ts'
import { commandLine, inputSchema, outputSchema } from './tool-schema.ts'

export interface McpOptions {
  /** AO_SESSION and AO_DATA_DIR say where the agent is. */
  env: NodeJS.ProcessEnv
  clock: Clock
  log: Log
  /** ao's version, for the client. */
  version: string
  /** The role of the surrounding session; null outside of one. */
  role: CallerKind | null
  /** argv of `ao`, including the configuration. */
  aoCommand: readonly string[]
  cwd: string
  /** The commands that are tools. */
  tools(): Promise<readonly ToolCommand[]>
}

/** Starting an agent first creates its workspace, with whatever the project does there. */
const COMMAND_MS = 15 * 60_000

/** What it may do on the command line. An agent gets none of them: what it may do there concerns only its own session. */
export function toolsFor(role: CallerKind | null, tools: readonly ToolCommand[]): readonly ToolCommand[] {
  if (role === 'worker') return []
  return tools.filter(({ inside }) => role === null || inside?.[role] === 'yes')
}

/** Resolves when the client has gone and every call it made has been carried out. */
export async function runMcpServer(options: McpOptions & { input: Readable; output: Writable }): Promise<void> {
  const gone = clientGone(options.input, options.output)
  const calls = new Set<Promise<unknown>>()
  const server = await createServer(options, (call) => calls.add(call))
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  // If it ended with its input, the transport would abort the calls in progress.
  const input = options.input.pipe(new PassThrough(), { end: false })
  await server.connect(new StdioServerTransport(input, options.output, { maxBufferSize: 4 * 1024 * 1024 }))
  await gone
  // Requests read before the end reach their tools by the next turn of the event loop.
  await nextTurn()
  await Promise.allSettled(calls)
  // And its response is written by the one after.
  await nextTurn()
  await server.close()
}

/** Streamable HTTP, without sessions. The server checks Host, Origin and credentials first. */
export async function createHttpHandler(options: McpOptions): Promise<McpHttpHandler> {
  const { createMcpHandler } = await import('@modelcontextprotocol/server')
  return createMcpHandler(() => createServer(options), { onerror: (error) => warn(options.log, error) })
}

function warn(log: Log, error: Error): void {
  log.warn('mcp: a message could not be handled', { error: errorText(error) })
}

async function createServer(options: McpOptions, onCall?: (call: Promise<unknown>) => void): Promise<McpServer> {
  const { McpServer } = await import('@modelcontextprotocol/server')
  const server = new McpServer({ name: 'ao', version: options.version }, { maxToolInputElements: 1_000 })
  const noted = <T>(call: Promise<T>): Promise<T> => {
    onCall?.(call)
    return call
  }
  for (const tool of options.role === null ? [] : FEEDBACK_TOOLS) {
    const config = { description: FEEDBACK_DESCRIPTIONS[tool], inputSchema: withJsonSchema(z.object(toolShape)) }
    server.registerTool(tool, config, (input) => noted(answerFeedback(tool, input, options)))
  }
  for (const command of toolsFor(options.role, await options.tools())) {
    const { name, title, description, hints: annotations, output } = command.tool
    const schemas = {
      inputSchema: withJsonSchema(inputSchema(command)),
      outputSchema: withJsonSchema(outputSchema(output)),
    }
    server.registerTool(name, { title, description, ...schemas, annotations }, (input: unknown) =>
      noted(runTool(command, input, options)),
    )
  }
  server.server.onerror = (error) => warn(options.log, error)
  return server
}

/** Never throws: an agent reads the error in the result and can call again. */
async function runTool(command: ToolCommand, input: unknown, options: McpOptions): Promise<ToolResult> {
  const { argv, stdin } = commandLine(command, input)
  const [program, ...before] = options.aoCommand
  const { env, cwd } = options
  const result = await exec(program!, [...before, ...argv], { cwd, env, input: stdin ?? '', timeoutMs: COMMAND_MS })
  const answer = parseAnswer(result.stdout)
  if (answer !== null && !('error' in answer)) {
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
  }
  const why = answer === null ? describeSilence(result) : describeError(answer)
  options.log.warn(`mcp: ${command.tool.name} failed`, { error: why })
  return { content: [{ type: 'text', text: why }], isError: true }
}

function parseAnswer(text: string): Record<string, unknown> | null {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : null
  } catch {
    // It died before it could answer; its stderr says why.
    return null
  }
}

function describeError(answer: Record<string, unknown>): string {
  const { code, message, hint } = answer.error as { code: string; message: string; hint?: string }
  return `${code}: ${message}${hint ? `\n${hint}` : ''}`
}

function describeSilence(result: ExecResult): string {
  if (result.startError?.code === 'E2BIG') return 'the call is too large for one command; split it into several calls'
  return execFailure('ao', result).slice(-2_000)
}

/** zod/mini describes a schema only when asked; the SDK expects the schema to do so itself. */
function withJsonSchema<T extends z.ZodMiniType>(schema: T) {
  const describe = (io: 'input' | 'output') => () =>
    z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Record<string, unknown>
  const jsonSchema = { input: describe('input'), output: describe('output') }
  return { '~standard': { ...schema['~standard'], jsonSchema } }
}

function clientGone(input: Readable, output: Writable): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.on(event, () => resolve())
    // A client that stopped reading is gone as well; without a listener its broken pipe would end us mid-write.
    for (const event of ['close', 'error']) output.on(event, () => resolve())
  })
}
