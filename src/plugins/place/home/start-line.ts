// Starts the line to a session in a place: a process of its own at home that outlives us, like a host.
import { closeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { sleep } from '../../../lib/clock.ts'
import { openEmpty } from '../../../lib/plain-file.ts'
import { smallNode, startDetached } from '../../../lib/process/detached-host.ts'
import { ownProgram } from '../../../lib/process/own-program.ts'
import { parseIdentity, processState } from '../../../lib/process/process-identity.ts'
import { signal } from '../../../lib/process/process-tree.ts'
import { type LineState, lineLogFile, readLineState } from './line-files.ts'

const START_MS = 15_000

function lineProgram(): string {
  return ownProgram(import.meta.url, '../../place-line.ts', 'place-line.js')
}

/** Resolves when it listens at home, or when it is certain that it does not. */
export async function startLine(stateDir: string, spawnId: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const log = openEmpty(lineLogFile(stateDir))
  try {
    const words = [...smallNode(192), lineProgram(), stateDir, spawnId]
    // It runs `gh` and `git push` for the agent, so it has what these commands of the user have.
    const { pipe } = startDetached({ argv: words, env: withoutSession(env), log })
    return await reported(pipe)
  } finally {
    closeSync(log)
  }
}

const OF_A_SESSION =
  /^(?:AO_(?:SESSION|SPAWN_ID|CALLER_TYPE|STATE_DIR|PROJECT_ID|GH_FACADE|DATA_DIR|CONFIG_PATH)|TMUX|TMUX_PANE)$/

/** Markers of a session around us would make the line one of its processes. */
export function withoutSession(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_A_SESSION.test(name)))
}

/** false: it is not there after all this time. */
export async function untilConnected(stateDir: string, spawnId: string, timeoutMs: number): Promise<boolean> {
  const connected = () => readLineState(stateDir, spawnId)?.connected === true
  for (let waited = 0; waited < timeoutMs; waited += 25) {
    if (connected()) return true
    await sleep(25)
  }
  return connected()
}

function reported(stream: Readable): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (ok: boolean) => {
      clearTimeout(timer)
      stream.destroy()
      resolve(ok)
    }
    const timer = setTimeout(() => finish(false), START_MS)
    stream.on('data', () => finish(true))
    stream.on('error', () => finish(false))
    stream.on('close', () => finish(false))
  })
}

export function lineRuns(state: LineState | null): boolean {
  const identity = state && parseIdentity(state.line)
  return identity !== null && identity !== undefined && processState(identity) !== 'dead'
}

/** Ends the line, not the session. */
export async function stopLine(stateDir: string, spawnId: string): Promise<void> {
  const state = readLineState(stateDir, spawnId)
  const identity = state && parseIdentity(state.line)
  if (!identity) return
  for (let tries = 0; processState(identity) === 'alive'; tries++) {
    signal(identity, tries < 40 ? 'SIGTERM' : 'SIGKILL')
    await sleep(50)
    if (tries > 100) return
  }
}
