// One call of the tmux program on our own server, and what its response means. Unknown responses stay unknown.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { type ExecResult, exec, execFailure } from '../../lib/exec.ts'
import { withLock } from '../../lib/lock.ts'

export interface TmuxServer {
  /** `-L name`, or `-S path` for a session that was created with another TMUX_TMPDIR. */
  address: readonly string[]
  /** Read by tmux only when this call starts the server. */
  configFile: string
  /** The user's; tmux gets a part of it. */
  env: NodeJS.ProcessEnv
  openClients?: OpenClients
}

/** Clients that a long-lived process keeps open: they answer without a new process. */
export interface OpenClients {
  /** null: there is none for this server now; use another way. */
  ask(server: TmuxServer, commands: ReadonlyArray<readonly string[]>, timeoutMs: number): Promise<TmuxAnswer | null>
}

export type TmuxAnswer =
  | { kind: 'done'; stdout: string }
  /** Nothing listens on the socket. */
  | { kind: 'no-server'; why: string }
  /** The server answered: there is no such session or pane. */
  | { kind: 'no-target'; why: string }
  /** The server disappeared during the call. */
  | { kind: 'lost-server'; why: string }
  | { kind: 'failed'; why: string }

export interface TmuxCall {
  input?: string
  timeoutMs?: number
  /** A session appears or disappears with it. */
  inTurn?: boolean
}

const DEFAULT_TIMEOUT_MS = 5_000
/** Shorter than callers wait for an answer, so that "unknown" comes with its reason. */
export const PROBE_TIMEOUT_MS = 1_900

/** Through the open client if there is one, else by running the program. For queries only: no input, no new server. */
export async function askTmux(
  server: TmuxServer,
  commands: ReadonlyArray<readonly string[]>,
  timeoutMs: number,
): Promise<TmuxAnswer> {
  const answer = await server.openClients?.ask(server, commands, timeoutMs)
  return answer ?? callTmux(server, sequence(...commands), { timeoutMs })
}

export async function callTmux(server: TmuxServer, args: readonly string[], call: TmuxCall = {}): Promise<TmuxAnswer> {
  // -u: without it tmux replaces what it considers unprintable when the locale is not UTF-8.
  const run = () =>
    exec('tmux', ['-u', ...server.address, '-f', server.configFile, ...args], {
      env: environmentForTmux(server.env),
      timeoutMs: call.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      input: call.input,
    })
  const result = await (call.inTurn ? inTurn(server, run) : run())
  return result.ok ? { kind: 'done', stdout: result.stdout } : classify(result)
}

/** A process that hangs with the lock must not keep others from working: each of these takes a fraction of it. */
const TURN_MS = 5_000

/**
 * tmux (seen with 3.3a) crashes, and all agents end, when a session appears or disappears while a control client is just
 * connecting: it writes the news to a client that it has not set up yet. So these three take turns, across all processes.
 */
export async function inTurn<T>(server: Pick<TmuxServer, 'configFile'>, act: () => Promise<T>): Promise<T> {
  const directory = dirname(server.configFile)
  const path = join(directory, 'tmux-turn.lock')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    return await withLock(path, act, { timeoutMs: TURN_MS })
  } catch (error) {
    if (!(error instanceof AoError) || error.code !== 'LOCK_TIMEOUT' || error.details.path !== path) throw error
    return act()
  }
}

const MEANINGS: ReadonlyArray<readonly [pattern: RegExp, kind: 'no-server' | 'no-target' | 'lost-server']> = [
  [/^no server running on /m, 'no-server'],
  [/^error connecting to .* \((No such file or directory|Connection refused)\)/m, 'no-server'],
  // The last one: a server without any session.
  [/^(can't find (session|window|pane)|no such (session|window|pane)|no current target)/m, 'no-target'],
  [/^(server exited unexpectedly|lost server)/m, 'lost-server'],
]

function classify(result: ExecResult): TmuxAnswer {
  const why = execFailure('tmux', result)
  return result.exitCode === null ? { kind: 'failed', why } : classifyFailure(result.stderr, why)
}

/** `said`: tmux's own message. */
export function classifyFailure(stderr: string, why = stderr): TmuxAnswer {
  const meaning = MEANINGS.find(([pattern]) => pattern.test(stderr))
  return { kind: meaning?.[1] ?? 'failed', why }
}

/** Several commands in one call. */
export function sequence(...commands: ReadonlyArray<readonly string[]>): string[] {
  return commands.flatMap((command, index) => {
    const escaped = command.map(escapeSemicolon)
    return index === 0 ? escaped : [';', ...escaped]
  })
}

/** tmux interprets a semicolon at the end of an argument as the end of the command. */
function escapeSemicolon(argument: string): string {
  return argument.endsWith(';') ? `${argument.slice(0, -1)}\\;` : argument
}

/**
 * What a tmux server may know of our environment: enough to work, none of the user's secrets, no marker of an outer session
 * (a server that carried one would be ended together with that session).
 */
const NAMES_FOR_TMUX = /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_[A-Z]+|TMUX_TMPDIR|XDG_[A-Z_]+)$/

export function environmentForTmux(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => NAMES_FOR_TMUX.test(name)))
}
