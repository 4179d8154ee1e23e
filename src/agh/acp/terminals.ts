// Commands that the agent runs through us. Each has its own process group; only the tail of its output is kept.

import type { ChildProcess } from 'node:child_process'
import type { ExitStatus } from '../../core/agh/session/classify-stop.ts'
import { createTailBuffer, type TailBuffer } from '../../host/tail-buffer.ts'
import { killGroup } from '../../lib/process/kill-group.ts'
import { formatIdentity, identify, parseIdentity, processState } from '../../lib/process/process-identity.ts'
import { SPAWN_MARKER } from '../../lib/process/process-tree.ts'
import { startProgram } from '../../lib/start-program.ts'
import { confinePath } from './confine-path.ts'

const DEFAULT_OUTPUT_BYTES = 64 * 1024
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024
const MAX_TERMINALS = 64

export interface Terminals {
  open: Map<string, Terminal>
  nextNumber: number
  /** Those with lower numbers ended with the daemon that ran them. */
  firstNumber: number
  /** Bytes printed by all of them: evidence of work. */
  printed: number
}

export interface Terminal {
  child: ChildProcess
  /** Of its process; null: it has already ended. */
  identity: string | null
  output: TailBuffer
  limit: number
  exit: ExitStatus | null
  exited: Promise<ExitStatus>
}

export interface TerminalRequest {
  command: string
  args?: string[] | undefined
  env?: Array<{ name: string; value: string }> | undefined
  cwd?: string | null | undefined
  outputByteLimit?: number | null | undefined
}

export interface TerminalContext {
  roots: readonly string[]
  env: NodeJS.ProcessEnv
  spawnId: string
}

/** `firstNumber`: above those of an earlier daemon. */
export function createTerminals(firstNumber = 1): Terminals {
  return { open: new Map(), nextNumber: firstNumber, firstNumber, printed: 0 }
}

export const LOST_TERMINAL = 'the terminal ended when agh was restarted; run the command again'

/** What a killed daemon left. Each leads a group of its own. */
export function endLostTerminals(identities: readonly string[]): void {
  for (const one of identities) {
    const identity = parseIdentity(one)
    if (identity && processState(identity) === 'alive') killGroup(identity.pid)
  }
}

export async function openTerminal(
  terminals: Terminals,
  request: TerminalRequest,
  context: TerminalContext,
): Promise<string> {
  if (terminals.open.size >= MAX_TERMINALS) throw new Error(`${MAX_TERMINALS} terminals are open; release one first`)
  const cwd = confinePath(context.roots, request.cwd ?? context.roots[0]!)
  const extra = Object.fromEntries((request.env ?? []).map(({ name, value }) => [name, value]))
  const child = startProgram(request.command, request.args ?? [], {
    cwd,
    env: { ...context.env, ...extra, [SPAWN_MARKER]: context.spawnId },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  const id = `term-${terminals.nextNumber++}`
  terminals.open.set(id, watch(terminals, child, request.outputByteLimit ?? DEFAULT_OUTPUT_BYTES))
  return id
}

export function findTerminal(terminals: Terminals, id: string): Terminal {
  const terminal = terminals.open.get(id)
  if (terminal) return terminal
  const number = Number(/^term-(\d+)$/.exec(id)?.[1])
  throw new Error(number < terminals.firstNumber ? LOST_TERMINAL : `there is no terminal ${id}`)
}

export function killTerminal(terminal: Terminal): void {
  if (terminal.exit === null && terminal.child.pid !== undefined) killGroup(terminal.child.pid)
}

export function releaseTerminal(terminals: Terminals, id: string): void {
  killTerminal(findTerminal(terminals, id))
  terminals.open.delete(id)
}

function watch(terminals: Terminals, child: ChildProcess, wanted: number): Terminal {
  const limit = Math.min(wanted, MAX_OUTPUT_BYTES)
  const output = createTailBuffer(limit)
  const keep = (chunk: Buffer) => {
    output.push(chunk)
    terminals.printed += chunk.length
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  child.on('error', () => undefined)
  const identity = child.pid === undefined ? null : identify(child.pid)
  const terminal: Terminal = {
    child,
    identity: identity && formatIdentity(identity),
    output,
    limit,
    exit: null,
    exited: new Promise((resolve) => {
      // Not 'exit': the last lines may still be in the pipe then.
      child.once('close', (code, signal) => {
        terminal.exit = { code, signal }
        resolve(terminal.exit)
      })
    }),
  }
  return terminal
}
