// Opens and ends the line to a session in a place: one program at home keeps all of them, and whoever needs it starts it. It
// outlives us, like a host.
import { closeSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../../contract/errors.ts'
import { fillRoute } from '../../../core/text/route-request.ts'
import { type Answer, askSocket } from '../../../http/ask-socket.ts'
import { findCaller } from '../../../inside/find-caller.ts'
import { sleep } from '../../../lib/clock.ts'
import { isHeld } from '../../../lib/lock.ts'
import { openEmpty } from '../../../lib/plain-file.ts'
import { readReport, smallNode, startDetached } from '../../../lib/process/detached-host.ts'
import { ownProgram } from '../../../lib/process/own-program.ts'
import { mayBeAlive, parseIdentity } from '../../../lib/process/process-identity.ts'
import { signal } from '../../../lib/process/process-tree.ts'
import { removeFile } from '../../../lib/remove.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import type { PluginContext } from '../../../slots/plugin.ts'
import { dropLine, keepLine } from '../line-routes.ts'
import { type LaunchKey, type LineState, type LinesPaths, lineLock, linesPaths, readLineState } from './line-files.ts'

const START_MS = 15_000
/** For all sessions of a home: 200 of them need a tenth of it. */
const HEAP_MB = 1_024

type Home = Pick<PluginContext, 'home' | 'env'>

/** Resolves when it listens at home, or when it is certain that it does not. */
export async function startLine({ home, env }: Home, { stateDir, spawnId }: LaunchKey): Promise<void> {
  const kind = findCaller({ env, home })?.kind
  // Its program would refuse, and is not started for the agent of a session either.
  if (kind === 'worker' || kind === 'agent') return
  const paths = linesPaths(home)
  const environment = withoutSession(env)
  const body = { stateDir, environment, version: AO_VERSION }
  const deadline = performance.now() + START_MS
  while (performance.now() < deadline) {
    const answer = await ask(paths, keepLine, spawnId, body)
    if (answer !== null && !isLeaving(answer)) return
    // It is starting, or leaves for us.
    if (isHeld(paths.lock)) await sleep(25)
    else await startProgram(home, paths, environment)
  }
}

function isLeaving({ status, text }: Answer): boolean {
  return status === 200 && keepLine.answer?.parse(JSON.parse(text)).state === 'leaving'
}

/** null: nobody listens, or nobody does any longer. */
async function ask(
  { socket }: LinesPaths,
  { method, path }: { method: string; path: string },
  spawnId: string,
  body?: object,
): Promise<Answer | null> {
  const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
  const question = { ...fillRoute(`${method} ${path}`, { params: { spawnId } }), headers, signal: undefined }
  const text = body && JSON.stringify(body)
  return askSocket(socket, { ...question, body: text, beginsWithinMs: START_MS }).catch(() => null)
}

async function startProgram(home: string, paths: LinesPaths, env: NodeJS.ProcessEnv): Promise<void> {
  mkdirSync(paths.directory, { recursive: true, mode: 0o700 })
  const log = openEmpty(paths.log)
  try {
    const program = ownProgram(import.meta.url, '../../place-lines.ts', 'place-lines.js')
    const { pipe } = startDetached({ argv: [...smallNode(HEAP_MB), program, home], env, log })
    await readReport(pipe, START_MS)
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

/** By its lock, which is freed with the line, also where nothing can be written; what it wrote down must be of the same process. */
export function lineRuns({ stateDir, spawnId }: LaunchKey, state: LineState | null): boolean {
  return state !== null && mayBeAlive(state.line) && isHeld(lineLock(stateDir, spawnId))
}

/** Ends the line, not the session. */
export async function stopLine({ home }: Pick<Home, 'home'>, launch: LaunchKey): Promise<void> {
  const { stateDir, spawnId } = launch
  const paths = linesPaths(home)
  const answer = await ask(paths, dropLine, spawnId)
  if (answer && answer.status >= 400) throw new AoError('RUNTIME_FAILED', `Its line was not ended: ${answer.text}`)
  if (answer === null) removeFile(join(paths.links, spawnId))
  const state = readLineState(stateDir, spawnId)
  const identity = state && parseIdentity(state.line)
  // A process of its own, as the version before started one for each session, or the program of all when it answers nobody.
  for (let tries = 0; identity && lineRuns(launch, state) && tries <= 100; tries++) {
    signal(identity, tries < 40 ? 'SIGTERM' : 'SIGKILL')
    await sleep(50)
  }
}
