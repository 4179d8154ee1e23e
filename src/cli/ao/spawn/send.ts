// `ao send`: a message to a running agent, and how far it got.

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AttachmentType, GivenFile } from '../../../contract/agh/attachment.ts'
import { AoError } from '../../../contract/errors.ts'
import type { SendReceipt } from '../../../contract/session.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { sniffType } from '../../../core/message/attachment.ts'
import { ASKS, isHeldByQuestion, isHeldByScreen } from '../../../core/message/decide-entry.ts'
import { isHeldByDraft } from '../../../core/message/judge-draft.ts'
import { readBytes, readPlainText } from '../../../lib/plain-file.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import { ACTS } from '../../../mcp/command-tool.ts'
import { FILE_OPTION, readFiles, requireOwn } from '../../arguments/read-files.ts'
import { readStdin, readText } from '../../arguments/read-text.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { createProgress } from '../../print/progress.ts'
import { type Ao, openAo } from '../open-ao.ts'
import { ownWorkspace } from './own-workspace.ts'

export const sendCommand = defineCommand({
  name: 'send',
  inside: ORCHESTRATOR,
  about: 'Send a message to a running agent and say how far it got',
  details:
    "It arrives as text, also when it begins like a command of the agent (! or /).\nseen: the agent's own records show it. handed over: entered, but no record confirms it.\nheld: the agent waits for an answer, its input line already holds text, or it is paused; it is delivered once the agent is free.\nnot delivered: exit code 3, and nothing is tried a second time.",
  args: {
    session: { about: 'Session id', required: true, completes: 'session' },
    message: { about: 'The message; - is stdin', variadic: true },
  },
  options: {
    file: {
      ...FILE_OPTION,
      about: 'A picture or file that goes along; without a message its text is the message; - is stdin',
    },
    prompt: { about: 'Send the original prompt again' },
    answer: { about: 'It answers a question in words: type it, unless the screen shows a dialog' },
    raw: { about: "Send it verbatim, for the agent's own commands such as /compact" },
    timeout: { value: 'seconds', about: "Seconds to wait until the agent's records show it (default 10)" },
    'no-wait': { about: 'Do not wait for them' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao send app-1 --file notes.md', about: 'A file as the message' },
    { line: 'ao send app-1 "The button is cut off" --file shot.png', about: 'With a picture' },
    { line: 'ao send app-1 --raw /compact', about: "A command of the agent's own" },
    { line: 'git diff | ao send app-1', about: 'What another program prints' },
  ],
  json: "{ receipt: { sessionId, messageId, level: 'seen' | 'handed_over' | 'held' | 'undelivered', why?, note? } }",
  tool: {
    name: 'send_message',
    title: 'Send a message',
    description:
      'Send a message to a running agent. The receipt says how far it got: seen, handed over, held (the agent waits for an answer; it is delivered afterwards) or not delivered.',
    hints: ACTS,
    input: { session: {}, message: { stdin: 'file', about: 'The message, byte for byte', required: true } },
    output: {},
  },
  async run({ args, options }, io) {
    const timeoutMs = options['no-wait'] ? 0 : parseTimeout(options.timeout)
    if (options.raw && senderOf(io) !== null) {
      throw new AoError('ROLE_REFUSED', "Another agent's commands are given by a person", {
        hint: 'Send it without --raw',
      })
    }
    if (options.answer && senderOf(io) !== null) {
      throw new AoError('ROLE_REFUSED', 'What an agent asks is answered by a person', {
        hint: 'Send it without --answer',
      })
    }
    const ao = await openAo(io)
    const { text, files, isTyped } = options.prompt
      ? { text: await originalPrompt(ao, args.session), files: [], isTyped: false }
      : await readMessage(args.message, options.file, io, ownWorkspace(ao, options.file, io))
    const progress = createProgress(io)
    progress.step(`waiting until ${args.session} shows the message`)
    let receipt: SendReceipt
    try {
      receipt = await ao.manager.deliver(args.session, text, {
        source: senderOf(io) ?? 'user',
        byPerson: isTyped && senderOf(io) === null,
        isAnswer: options.answer,
        // Several at once keep the order in which they were started.
        acceptedAt: performance.timeOrigin,
        raw: options.raw,
        files,
        timeoutMs,
      })
    } finally {
      progress.end()
    }
    if (options.json) io.json({ receipt: { sessionId: args.session, ...receipt } })
    else printReceipt(args.session, receipt, io)
    return receipt.level === 'undelivered' ? new AoError('MESSAGE_UNDELIVERED', '').exitCode : 0
  },
})

/** An agent that sends from inside its session; null: a person. Only a person answers an agent's question. */
function senderOf(io: Io): string | null {
  return (io.env.AO_CALLER_TYPE && io.env.AO_SESSION) || null
}

function printReceipt(sessionId: string, { level, why, note }: SendReceipt, io: Io): void {
  if (note !== undefined && (level === 'seen' || level === 'handed_over'))
    io.note(`${io.noteStyle.cyan('note:')} ${note}`)
  if (level === 'seen') {
    io.print(`${io.style.green('seen')} by ${sessionId}`)
  } else if (level === 'handed_over') {
    io.print(`handed over to ${sessionId}${why ? ` (${why})` : ''}`)
  } else if (level === 'held') {
    io.print(`${io.style.yellow('held')} for ${sessionId}: ${toOneLine(why ?? ASKS)}`)
    const [how, until] = waysOutOfHold(sessionId, why ?? ASKS)
    io.note(`${io.noteStyle.cyan('hint:')} ${how}`)
    io.note(`${' '.repeat(6)}The message is delivered once ${until}, by ao start or by the next ao send`)
  } else {
    io.note(`${io.noteStyle.red('not delivered')} to ${sessionId}: ${why ?? 'unknown reason'}`)
    io.note(`${io.noteStyle.cyan('hint:')} Attach to the session with: ao session attach ${sessionId}`)
  }
}

/** What a person can do, and what the message waits for. */
function waysOutOfHold(sessionId: string, why: string): [how: string, until: string] {
  const attach = `ao session attach ${sessionId}`
  if (isHeldByDraft(why)) return [`Submit it or delete it in its terminal: ${attach}`, 'its input line is empty']
  if (isHeldByScreen(why)) return [`See what it shows with: ${attach}`, 'its input line is back']
  if (isHeldByQuestion(why))
    return [`Answer it with: ao session approve ${sessionId}, or: ao session deny ${sessionId}`, 'the question is gone']
  return [`Change it or take it back with: ao session messages ${sessionId}`, 'that is over']
}

interface Message {
  text: string
  files: GivenFile[]
  /** As an argument. Everything else may be anybody's text: an issue that is piped in, notes of an agent. */
  isTyped: boolean
}

async function readMessage(parts: string[], paths: string[], io: Io, within: string | null): Promise<Message> {
  const isTyped = !(parts.length === 1 && parts[0] === '-')
  const typed = isTyped ? parts.join(' ') : await readStdin(io)
  const [first] = paths
  if (first === '-' && (parts.length > 0 || paths.length > 1)) {
    throw new AoError('USAGE', 'The message is given twice: as an argument and on stdin', { hint: 'Give one of them' })
  }
  const onlyText = (text: string): Message => ({ text, files: [], isTyped: false })
  if (first === '-') return onlyText(await readStdin(io))
  if (parts.length > 0 || paths.length > 1)
    return { text: typed, files: paths.length === 0 ? [] : readFiles(paths, io, within), isTyped }
  if (first !== undefined) return readOneFile(first, io, within)
  if (!io.stdin.isTTY) return onlyText(await readStdin(io))
  throw new AoError('USAGE', 'There is no message', {
    hint: 'ao send <session> "<message>", or --file <file>, or stdin',
  })
}

/** A text is the message; anything else goes along with one that names it. */
async function readOneFile(path: string, io: Io, within: string | null): Promise<Message> {
  const given = resolve(io.cwd, path)
  const real = within === null ? given : requireOwn(given, within)
  if (startOf(real) !== 'text/plain') return { text: '', files: readFiles([path], io, within), isTyped: false }
  return { text: await readText(real, io), files: [], isTyped: false }
}

/** By its first bytes; what cannot be read is for `readText` to explain. */
function startOf(path: string): AttachmentType {
  try {
    return sniffType(readBytes(path))
  } catch {
    return 'text/plain'
  }
}

async function originalPrompt(ao: Ao, sessionId: string): Promise<string> {
  const session = await requireSession(ao.context, sessionId)
  const file = join(ao.paths.project(session.projectId).stateDir(sessionId), 'prompt.md')
  if (!existsSync(file)) {
    throw new AoError('USAGE', `Session ${sessionId} was started without a prompt`, {
      hint: `ao send ${sessionId} "..."`,
    })
  }
  return readPlainText(file)
}

function parseTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (Number.isFinite(seconds) && seconds >= 0 && text.trim() !== '') return Math.round(seconds * 1000)
  throw new AoError('USAGE', `--timeout takes a number of seconds, not ${text}`, { hint: 'ao send --timeout 30 ...' })
}
