// One `tmux -C` client: answers commands without a new process, and reports what happens on the server.
//
// A client must be attached to a session. It has one of its own, without any process in it, which tmux removes when the
// client is gone, however that happened. It never starts a server, and no window's size follows it.

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { startProgram } from '../../../lib/start-program.ts'
import { HOLDER_PREFIX } from '../pane-list.ts'
import {
  classifyFailure,
  environmentForTmux,
  inTurn,
  sequence,
  type TmuxAnswer,
  type TmuxServer,
} from '../tmux-command.ts'
import { type ControlEvent, createControlReader } from './control-lines.ts'
import { endOrphanedClients, markAsOurs } from './orphaned-clients.ts'

export interface ControlClient {
  /** The session that it is attached to. */
  readonly holder: string
  /** Runs them in order with nothing else in between; stops at the first that fails. null: the client is lost. */
  run(commands: ReadonlyArray<readonly string[]>, timeoutMs: number): Promise<TmuxAnswer | null>
  close(): Promise<void>
}

export interface ControlListener {
  onOutput(pane: string, bytes: Buffer): void
  onNotice(name: string, rest: string): void
  /** Called once. The server ended, or only the client. */
  onLost(): void
}

const CONNECT_TIMEOUT_MS = 5_000
const CLOSE_TIMEOUT_MS = 1_000

interface Question {
  commands: number
  texts: string[]
  answer(answer: TmuxAnswer | null): void
}

interface Connection {
  child: ChildProcessWithoutNullStreams
  holder: string
  pending: Question[]
  isLost: boolean
  /** Resolves when it is in its session, or never will be. */
  attached: Promise<void>
  gone: Promise<void>
}

/** null: no server is running there, or this tmux does not support it. */
export async function openControlClient(server: TmuxServer, listener: ControlListener): Promise<ControlClient | null> {
  endOrphanedClients()
  const connection = await inTurn(server, async () => {
    const made = connect(server, listener)
    // An earlier command would find no session to work in.
    await made.attached
    return made
  })
  const client: ControlClient = {
    holder: connection.holder,
    run: (commands, timeoutMs) => ask(connection, commands, timeoutMs),
    // Its session disappears with it.
    // Without a turn (no free descriptors, a full disk) it is closed all the same: a loop must not end because of it.
    close: () => inTurn(server, () => close(connection)).catch(() => close(connection)),
  }
  // Output that waits longer than this in tmux is dropped there, and the pane does not wait for us.
  const ready = await client.run([['refresh-client', '-f', 'pause-after=2']], CONNECT_TIMEOUT_MS)
  if (ready?.kind === 'done') return client
  await client.close()
  return null
}

function connect(server: TmuxServer, listener: ControlListener): Connection {
  const holder = `${HOLDER_PREFIX}${process.pid}-${randomBytes(4).toString('hex')}`
  const child = startProgram('tmux', ['-u', '-N', ...server.address, '-C', ...newHolder(holder)], {
    env: markAsOurs(environmentForTmux(server.env)),
    cwd: '/',
    // A Ctrl-C in our terminal is ours to handle. When we are gone its input ends, and mostly so does it.
    detached: true,
  })
  endWithUs(child)
  let arrive: () => void = () => undefined
  const connection: Connection = {
    child,
    holder,
    pending: [],
    isLost: false,
    attached: new Promise((resolve) => {
      arrive = resolve
    }),
    gone: new Promise((resolve) => {
      child.once('close', () => resolve())
    }),
  }
  const lose = () => {
    if (connection.isLost) return
    connection.isLost = true
    arrive()
    clearTimeout(late)
    child.kill('SIGKILL')
    for (const question of connection.pending.splice(0)) question.answer(null)
    listener.onLost()
  }
  const late = setTimeout(lose, CONNECT_TIMEOUT_MS)
  const read = createControlReader((event) => {
    if (event.kind === 'notice' && event.name === '%session-changed') {
      clearTimeout(late)
      arrive()
    }
    take(connection, listener, event)
  })
  child.stdout.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch {
      // Not tmux's protocol: nothing that follows can be trusted, and the next client starts anew.
      lose()
    }
  })
  // tmux prints here why it ends; that it ended is all that matters.
  child.stderr.resume()
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', lose)
  child.on('error', lose)
  child.on('close', lose)
  return connection
}

const children = new Set<ChildProcessWithoutNullStreams>()

/** A client that is left with unread output would not end (see orphaned-clients); its server notices that it was killed. */
function endWithUs(child: ChildProcessWithoutNullStreams): void {
  if (children.size === 0) process.on('exit', endAll)
  children.add(child)
  child.once('close', () => {
    children.delete(child)
    if (children.size === 0) process.off('exit', endAll)
  })
}

function endAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

function newHolder(holder: string): string[] {
  const target = `=${holder}:`
  return sequence(
    ['new-session', '-E', '-s', holder, '-x', '80', '-y', '24', '-c', '/', '--', '/bin/sh', '-c', ':'],
    // The shell exits immediately and its pane stays: a session without a process.
    ['set-option', '-w', '-t', target, 'remain-on-exit', 'on'],
    // Not destroy-unattached: with it tmux 3.3a crashes, and all agents end, when another client leaves just then.
    ['set-hook', '-t', target, 'client-detached', `kill-session -t =${holder}`],
  )
}

function take(connection: Connection, listener: ControlListener, event: ControlEvent): void {
  if (event.kind === 'output') listener.onOutput(event.pane, event.bytes)
  else if (event.kind === 'notice') listener.onNotice(event.name, event.rest)
  else takeReply(connection, event)
}

function takeReply(connection: Connection, event: { ok: boolean; text: string }): void {
  const question = connection.pending[0]
  if (!question) return
  question.texts.push(event.text)
  if (event.ok && question.texts.length < question.commands) return
  connection.pending.shift()
  const text = event.ok ? question.texts.join('') : event.text.trim()
  question.answer(event.ok ? { kind: 'done', stdout: text } : classifyFailure(text))
}

function ask(
  connection: Connection,
  commands: ReadonlyArray<readonly string[]>,
  timeoutMs: number,
): Promise<TmuxAnswer | null> {
  const { child, pending } = connection
  const line = commands.map((command) => command.map(quote).join(' ')).join(' ; ')
  // It would be two lines, and so two commands; the program accepts it as it is.
  if (connection.isLost || line.includes('\n')) return Promise.resolve(null)
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      resolve({ kind: 'failed', why: `tmux did not answer within ${timeoutMs} ms` })
      // Its late response would be taken for that of the next command.
      child.kill('SIGKILL')
    }, timeoutMs)
    pending.push({
      commands: commands.length,
      texts: [],
      answer(answer) {
        clearTimeout(timer)
        resolve(answer)
      },
    })
    child.stdin.write(`${line}\n`)
  })
}

function quote(argument: string): string {
  return `'${argument.replaceAll("'", "'\\''")}'`
}

async function close({ child, gone }: Connection): Promise<void> {
  child.stdin.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_TIMEOUT_MS)
  await gone
  clearTimeout(timer)
}
