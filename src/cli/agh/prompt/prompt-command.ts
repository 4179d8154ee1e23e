// `agh session prompt`: one turn of a session, shown live. Leaving does not end it.

import { createInterface } from 'node:readline'
import type { Frame } from '../../../agh/client.ts'
import type { GivenFile } from '../../../contract/agh/attachment.ts'
import { type PermissionContent, parseSessionEvent, type SessionEvent } from '../../../contract/agh/events.ts'
import { textOf, toolCallId, toolTitle } from '../../../contract/agh/read-update.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { changesOf } from '../../../core/agh/transcript/read-content.ts'
import { ACT } from '../../../core/boundary/rights.ts'
import { describeRequest } from '../../../core/queue/describe-request.ts'
import { readInput, titleOf } from '../../../core/queue/read-input.ts'
import { ownValue } from '../../../core/text/json-fields.ts'
import { findCaller } from '../../../inside/find-caller.ts'
import { FILE_OPTION, readFiles, toSentFiles } from '../../arguments/read-files.ts'
import { readStdin } from '../../arguments/read-text.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { type Agh, aghCommand, type OutputFormat, SESSION_ARGUMENT } from '../agh-command.ts'
import { followPrompt } from '../daemon-link.ts'
import { attachedLines, describeAghEvent } from '../lines.ts'

export const sessionPromptCommand = aghCommand({
  name: 'session prompt',
  inside: ACT,
  about: 'Run one turn of a session and show it',
  details:
    'On a terminal a permission that the agent asks for can be answered here. Ctrl-C leaves, and the turn continues.\nThe exit code is 0 when the agent ended its turn; 1 when it failed, refused or ran into a limit; 3 when it was cancelled\nbecause nothing happened for too long; 5 when it was cancelled by hand.',
  args: {
    session: SESSION_ARGUMENT,
    message: { about: 'The prompt; - reads it from stdin', required: true, variadic: true },
  },
  options: { queue: { short: 'q', about: 'Wait while another prompt is worked on' }, file: FILE_OPTION },
  examples: [
    { line: 'git diff | agh session prompt review -', about: 'The prompt from stdin, to the session named review' },
    { line: 'agh session prompt review "What is wrong here?" --file screenshot.png', about: 'With a picture' },
  ],
  async run({ args, options, io, agh, format }) {
    const id = args.session
    const message = await readPrompt(args.message, io)
    const files = options.file.length === 0 ? [] : await readAghFiles(options.file, io, agh)
    return runTurn({ id, message, files, queue: options.queue, fromStdin: args.message[0] === '-', io, agh, format })
  },
})

export interface TurnRequest {
  id: string
  message: string
  /** What goes along with it. */
  files?: readonly GivenFile[]
  /** Wait while another prompt is running. */
  queue: boolean
  /** Then it cannot be used to ask questions. */
  fromStdin: boolean
  io: Io
  agh: Agh
  format: OutputFormat
  /** What else to do, for whoever leaves before the end. */
  afterwards?: string
}

/** The exit code. */
export async function runTurn(request: TurnRequest): Promise<number> {
  const { id, message, files = [], queue, fromStdin, io, agh, format } = request
  const canAsk = format === 'human' && io.stdin.isTTY === true && io.noteIsTerminal && !fromStdin
  const permissions = canAsk ? askOnTerminal(agh, id, io) : hintPermission(id, io)
  const view = showTurn(io, permissions)
  let hasBegun = false
  const stayed = io.onInterrupt(() => io.note(leftBehind(request, hasBegun)))
  const all: Frame[] = []
  let end: Frame | undefined
  try {
    for await (const frames of followPrompt(agh.link, {
      params: { id },
      body: { message, queue, ...(files.length > 0 && toSentFiles(files)) },
    })) {
      hasBegun = true
      end = frames.findLast(({ type }) => type === 'done' || type === 'error') ?? end
      if (format === 'json') all.push(...frames)
      else if (format === 'jsonl') io.printLines(frames.map(({ data }) => data))
      else view.take(frames)
    }
  } finally {
    stayed()
    permissions.close()
  }
  if (format === 'json') io.json({ events: all.map(({ data }) => JSON.parse(data)) })
  const { exitCode, message: problem } = judgeOutcome(end && parseSessionEvent(end.data))
  if (format === 'human' && problem !== null) io.note(problem)
  return exitCode
}

/** How a turn ended: the exit code, and a message where the agent's own words do not say it. */
interface Outcome {
  exitCode: number
  message: string | null
}

const LIMITS: Readonly<Record<string, string>> = {
  refusal: 'The agent refused to continue.',
  max_tokens: 'The agent reached its limit of tokens before it was done.',
  max_turn_requests: 'The agent reached its limit of requests before it was done.',
}

/** undefined: the end was not seen. */
export function judgeOutcome(end: SessionEvent | undefined): Outcome {
  if (end?.type !== 'done') return { exitCode: 1, message: null }
  const { stop_reason, canceled_by } = end.content
  if (canceled_by === 'inactivity')
    return { exitCode: 3, message: 'The turn was cancelled: nothing happened for too long.' }
  if (stop_reason === 'cancelled') return { exitCode: 5, message: 'The turn was cancelled.' }
  const limit = LIMITS[stop_reason ?? '']
  return limit === undefined ? { exitCode: 0, message: null } : { exitCode: 1, message: limit }
}

/** The words of the command line, or stdin for a single `-`. */
export async function readPrompt(parts: readonly string[], io: Io): Promise<string> {
  if (parts.length !== 1 || parts[0] !== '-') return parts.join(' ')
  const text = await readStdin(io)
  if (text.trim() !== '') return text
  throw new AoError('USAGE', 'The prompt on stdin is empty', {
    hint: 'Pipe a text into: agh session prompt <session> -',
  })
}

/** Of an agent inside a session: what its own workspace has. */
export async function readAghFiles(paths: readonly string[], io: Io, agh: Agh): Promise<GivenFile[]> {
  const caller = findCaller(io)
  if (caller === null) return readFiles(paths, io, null)
  if (caller.kind !== 'agent') return readFiles(paths, io, '')
  const { session } = await agh.call('GET /api/sessions/:id', { params: { id: caller.sessionId } })
  return readFiles(paths, io, session.workspace_path)
}

function leftBehind({ id, afterwards }: TurnRequest, hasBegun: boolean): string {
  const rest = afterwards === undefined ? '' : `\n${afterwards}`
  if (!hasBegun) return `\nThe turn had not begun. See what becomes of the prompt with: agh session events ${id}${rest}`
  return `\nThe turn continues. Follow it with: agh session attach ${id}; end it with: agh session cancel ${id}${rest}`
}

/** What happens to a question of the agent. */
export interface Permissions {
  requested(requestId: string, title: string): void
  decided(requestId: string): void
  close(): void
}

const SILENT: readonly string[] = ['thought', 'usage', 'system']

function showTurn(io: Io, permissions: Permissions): { take(frames: readonly Frame[]): void } {
  /** Results contain only the id of their call. */
  const titles = new Map<string, string>()
  let printed = ''
  const flush = () => {
    if (printed !== '') io.write(printed)
    printed = ''
  }
  const take = (event: SessionEvent) => {
    const { type, content } = event
    if (type === 'agent_message') printed += toSafeLines(textOf(content) ?? '[not text]')
    else if (type === 'done') printed += '\n'
    else {
      flush()
      if (type === 'permission') notePermission(content)
      else if (type === 'user_message') {
        if (content.attachments) for (const line of attachedLines(content)) note('attached', line)
      } else for (const line of linesOf(event)) note(type, line)
    }
  }
  const note = (type: string, line: string) => io.note(`${io.noteStyle.dim(`[${type}]`)} ${toOneLine(line)}`)
  const notePermission = (content: PermissionContent) => {
    const id = content.request_id ?? ''
    if (content.decision === null) return permissions.requested(id, requestOf(content))
    permissions.decided(id)
    note('permission', `${content.title}: ${content.decision}`)
  }
  const linesOf = (event: SessionEvent): string[] => {
    if (event.type === 'plan') return planLines(event.content)
    if (event.type !== 'tool_call' && event.type !== 'tool_result') return [describeAghEvent(event)]
    const { content } = event
    const id = toolCallId(content)
    if (id === null) return [describeAghEvent(event)]
    const title = toolTitle(content) ?? titles.get(id) ?? id
    titles.set(id, title)
    return [[title, content.status].filter(Boolean).join(' ')]
  }
  return {
    take(frames) {
      for (const { type, data } of frames) if (!SILENT.includes(type)) take(parseSessionEvent(data))
      flush()
    },
  }
}

const MARKS: Readonly<Record<string, string>> = { completed: 'x', in_progress: '>' }

function planLines({ entries }: Record<string, unknown>): string[] {
  if (!Array.isArray(entries)) return ['(empty)']
  return entries.map((entry: { content?: unknown; status?: unknown }) => {
    return `[${ownValue(MARKS, entry?.status) ?? ' '}] ${String(entry?.content ?? '')}`
  })
}

/** What will be executed, before the agent's own words for it. */
function requestOf({ tool_call, ...content }: PermissionContent): string {
  const title = titleOf(content)
  const { input, input_cut } = readInput(title, tool_call)
  const { diffs, diffs_omitted } = changesOf(tool_call)
  return describeRequest({ title, input, isCut: input_cut, diffs, diffsOmitted: diffs_omitted }).join('\n  ')
}

/** What the policy answers immediately is not shown as a question. */
const SETTLES_MS = 250

function hintPermission(sessionId: string, io: Io): Permissions {
  return afterAWhile((requestId, title) => {
    io.note(`${io.noteStyle.yellow('?')} ${title}`)
    io.note(`  answer with: agh session approve ${sessionId} --request-id ${requestId} --decision allow-once`)
  })
}

/** One question at a time; one that is answered elsewhere is withdrawn. */
function askOnTerminal(agh: Agh, sessionId: string, io: Io): Permissions {
  const waiting: Array<{ requestId: string; title: string }> = []
  let open: { requestId: string; withdraw: AbortController } | null = null
  const next = () => {
    const question = waiting.shift()
    if (open || !question) return
    const { requestId, title } = question
    const withdraw = new AbortController()
    open = { requestId, withdraw }
    void ask(io, `${io.noteStyle.yellow('?')} ${title} [y/N] `, withdraw.signal).then(async (answer) => {
      open = null
      if (answer !== null) await send(requestId, /^\s*y(es)?\s*$/i.test(answer) ? 'allow-once' : 'reject-once')
      next()
    })
  }
  const send = async (request_id: string, decision: 'allow-once' | 'reject-once') => {
    try {
      await agh.call('POST /api/sessions/:id/approve', { params: { id: sessionId }, body: { request_id, decision } })
    } catch (error) {
      io.note(`${io.noteStyle.red('error:')} ${errorText(error)}`)
    }
  }
  const later = afterAWhile((requestId, title) => {
    waiting.push({ requestId, title })
    next()
  })
  const withdraw = (isMeant: (requestId: string) => boolean) => {
    for (const one of waiting.filter(({ requestId }) => isMeant(requestId))) waiting.splice(waiting.indexOf(one), 1)
    if (open && isMeant(open.requestId)) open.withdraw.abort()
  }
  return {
    requested: later.requested,
    decided(requestId) {
      later.decided(requestId)
      withdraw((one) => one === requestId)
    },
    close() {
      later.close()
      withdraw(() => true)
    },
  }
}

function afterAWhile(show: (requestId: string, title: string) => void): Permissions {
  const timers = new Map<string, NodeJS.Timeout>()
  return {
    requested: (requestId, title) => void timers.set(requestId, setTimeout(show, SETTLES_MS, requestId, title)),
    decided: (requestId) => clearTimeout(timers.get(requestId)),
    close() {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

/** null: withdrawn, or left with Ctrl-D. */
function ask(io: Io, text: string, signal: AbortSignal): Promise<string | null> {
  const input = createInterface({ input: io.stdin, output: process.stderr, terminal: true })
  return new Promise<string | null>((resolve) => {
    input.once('close', () => resolve(null))
    // readline captures Ctrl-C; it is meant for the command.
    input.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    signal.addEventListener('abort', () => input.close(), { once: true })
    input.question(text, resolve)
  }).finally(() => input.close())
}
