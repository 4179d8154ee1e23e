// An agent on pipes: its output goes to the spool, until a reader has recorded it, and only the tail of its stderr is kept.
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { identify } from '../../lib/process/process-identity.ts'
import { startProgram } from '../../lib/start-program.ts'
import { createInbox } from '../inbox.ts'
import type { AgentExit, HostFrame } from '../protocol.ts'
import type { Readers } from '../serve.ts'
import type { HostSpec } from '../spec.ts'
import { createSpool, type Spool } from '../spool.ts'
import { createTailBuffer } from '../tail-buffer.ts'
import type { AgentIo } from './agent-io.ts'

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const STDERR_BYTES = 128 * 1024
const RETRY_MS = 200
/** Children of an ended agent may hold its output open; its exit is reported without them then. */
const EXIT_WAITS_MS = 250

/** Resolves once the program is running; rejects when it cannot be started. */
export function startPipes(spec: HostSpec): Promise<AgentIo> {
  const { command, cwd, env, directory, limits } = spec
  const [file = '', ...args] = command
  const spool = createSpool(directory, limits)
  const child = startProgram(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      child.off('error', reject)
      child.on('error', () => undefined)
      resolve(hold(child, spool))
    })
  })
}

function hold(child: Child, spool: Spool): AgentIo {
  const { stdin, stdout } = child
  const stderr = createTailBuffer(STDERR_BYTES)
  const ended = Promise.withResolvers<AgentExit>()
  const endings: Array<{ at: number; frame: HostFrame }> = []
  let exit: AgentExit | null = null
  let readers: Readers | null = null
  const readOn = () => {
    if (spool.isFull() || readers?.isBehind()) stdout.pause()
    else if (stdout.isPaused()) stdout.resume()
  }
  /** On a full disk the agent waits, unless a reader takes what it wrote. Nothing is lost. */
  const retryUntilWritten = () => {
    if (spool.retry()) readOn()
    else setTimeout(retryUntilWritten, RETRY_MS)
  }
  const finish = (frame: HostFrame) => {
    if (!endings.some((one) => one.frame.op === frame.op)) endings.push({ at: spool.end(), frame })
    readers?.pump()
  }
  const hasClosed = () => endings.some(({ frame }) => frame.op === 'closed')
  const close = () => {
    finish({ op: 'closed', at: spool.end() })
    if (exit) finish({ op: 'exit', ...exit })
  }
  stdout.on('data', (chunk: Buffer) => {
    const at = spool.end()
    spool.append(chunk)
    readers?.pump(chunk, at)
    readOn()
    retryUntilWritten()
  })
  stdout.once('end', close)
  stdout.once('error', close)
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk)
    readers?.sendError(chunk, stderr.total())
  })
  // The exit of the agent carries the reason.
  stdin.on('error', () => undefined)
  child.once('exit', (code, signal) => {
    const status = { code, signal }
    exit = status
    ended.resolve(status)
    if (hasClosed()) finish({ op: 'exit', ...status })
    else setTimeout(() => finish({ op: 'exit', ...status }), EXIT_WAITS_MS)
  })
  return {
    identity: child.pid === undefined ? null : identify(child.pid),
    inbox: createInbox(),
    stderr: () => ({ total: stderr.total(), tail: stderr.text() }),
    write: (bytes) =>
      new Promise((resolve) => {
        if (!stdin.writable) return resolve({ ok: false })
        stdin.write(bytes, (error) => resolve({ ok: !error }))
      }),
    exit: () => exit,
    ended: ended.promise,
    serve(one) {
      readers = one
    },
    pipes: { spool, onRoom: readOn, endInput: () => void stdin.end(), endings: () => endings },
  }
}
