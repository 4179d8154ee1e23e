// Finds the session of a launch whose handle was never recorded, because the process that created it died.
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { sleep } from '../../lib/clock.ts'
import { readProcessTable } from '../../lib/process/process-table.ts'
import { launchScriptFile, removeLaunchScript } from './launch-script.ts'
import { findPane, listPanes } from './pane-list.ts'
import { callTmux, type TmuxServer } from './tmux-command.ts'
import { makeHandle } from './tmux-handle.ts'

const FIND_TIMEOUT_MS = 5_000

export interface SoughtLaunch {
  name: string
  spawnId: string
  stateDir: string
  workspacePath?: string
}

/**
 * null is a promise: nothing of this launch is running, and nothing of it will start later. Throws when that is uncertain.
 */
export async function findTmuxSession(server: TmuxServer, launch: SoughtLaunch): Promise<RuntimeHandle | null> {
  // A tmux call of the dead process may still be in progress. Without the script it starts no agent.
  removeLaunchScript(launch.stateDir, launch.spawnId)
  await untilNoneStarts(server, launchScriptFile(launch.stateDir, launch.spawnId))
  const list = await listPanes(server, FIND_TIMEOUT_MS)
  if (list.kind === 'unknown') {
    throw new AoError('RUNTIME_FAILED', `tmux could not say whether ${shownName(launch.name)} exists: ${list.why}`)
  }
  const pane = findPane(list.panes, { name: launch.name, spawnId: launch.spawnId })
  return pane ? makeHandle(launch, pane) : null
}

/**
 * tmux calls and panes that have yet to read the script have its path in their arguments. So has the server for its whole
 * life, if it was started by this call.
 */
async function untilNoneStarts(server: TmuxServer, script: string): Promise<void> {
  const deadline = performance.now() + FIND_TIMEOUT_MS
  const naming = () => readProcessTable().filter((row) => row.commandLine().includes(script))
  if (naming().length === 0) return
  const answer = await callTmux(server, ['display-message', '-p', '#{pid}'], { timeoutMs: FIND_TIMEOUT_MS })
  const serverPid = answer.kind === 'done' ? Number(answer.stdout.trim()) : null
  while (naming().some(({ identity }) => identity.pid !== serverPid) && performance.now() < deadline) await sleep(10)
}
