// A list from the loop that is running for this configuration, which has everything in memory. On the fast path: nothing else
// is loaded. Whatever is in the way, the command reads the files itself.
import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { runFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import { verifyOrigin } from '../../../store/session/session-store.ts'
import type { Io } from '../../print/io.ts'
import { LISTS_PATH, type ListRequest, likeness, type RequestedList } from './list-request.ts'

/** A loop that works answers at once, if only that it has begun. */
const BEGINS_WITHIN_MS = 100
/** The loop asks the runtimes, as the command itself would, which takes two seconds at most. */
const ENDS_WITHIN_MS = 3_000

/** false: nothing was printed. */
export async function printFromLoop(
  list: RequestedList,
  { config, io, beginsWithinMs = BEGINS_WITHIN_MS }: { config: OrchestratorConfig; io: Io; beginsWithinMs?: number },
): Promise<boolean> {
  // Whoever asks for a log wants to see what happens here.
  if (io.env.AO_LOG_LEVEL) return false
  const pieces = await askLoop(list, { config, io, beginsWithinMs }).catch(() => null)
  if (pieces === null) return false
  // The loop, which is this user's own, has made it harmless for a terminal.
  for (const piece of pieces) io.writeRaw(piece)
  return true
}

async function askLoop(
  list: RequestedList,
  { config, io, beginsWithinMs }: { config: OrchestratorConfig; io: Io; beginsWithinMs: number },
): Promise<Buffer[] | null> {
  const { env, home } = io
  const { configPath } = config
  const paths = createPaths({ configPath, home, env })
  const { socket } = runFiles(paths)
  if (!isOwn(socket)) return null
  // The loop made sure of it once, when it started; the command refuses with the reason.
  for (const projectId of Object.keys(config.projects)) {
    verifyOrigin({ projectId, paths: paths.project(projectId), configPath })
  }
  const width = io.width()
  const request: ListRequest = {
    ...list,
    likeness: likeness(config, env),
    width: Number.isFinite(width) ? width : null,
    colour: io.style.bold('') !== '',
    isTerminal: io.isTerminal,
  }
  const { askSocket } = await import('../../../http/ask-socket.ts')
  const { status, pieces } = await askSocket(socket, {
    method: 'POST',
    path: LISTS_PATH,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(ENDS_WITHIN_MS),
    beginsWithinMs,
  })
  return status === 200 ? pieces : null
}

/** Nobody but this user can have put it there. */
function isOwn(socket: string): boolean {
  const uid = process.getuid?.()
  const own = lstatSync(socket, { throwIfNoEntry: false })
  if (uid === undefined || !own?.isSocket() || own.uid !== uid) return false
  const directory = lstatSync(dirname(socket))
  return directory.isDirectory() && directory.uid === uid && (directory.mode & 0o022) === 0
}
