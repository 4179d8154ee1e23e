// Ends a session: the agent is asked first, then its terminal is closed, then whatever is left is found and killed.
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import { identify, type ProcessIdentity, processState } from '../../lib/process/process-identity.ts'
import { notStopped, stopProcesses } from '../../lib/process/process-tree.ts'
import type { DestroyOptions } from '../../slots/runtime.ts'
import { removeLaunchScript } from './create-session.ts'
import { findPane, listPanes, type TmuxHandle } from './pane-list.ts'
import { callTmux, type TmuxServer } from './tmux-command.ts'

export async function destroySession(
  server: TmuxServer,
  handle: TmuxHandle,
  { graceMs, onLeftRunning }: { graceMs: number } & Pick<DestroyOptions, 'onLeftRunning'>,
): Promise<void> {
  const list = await listPanes(server, 2_000)
  // Name and start identify it; the pane's number in the handle adds nothing.
  const sought = handle.spawnId === undefined ? handle : { name: handle.name, spawnId: handle.spawnId }
  const pane = list.kind === 'panes' ? findPane(list.panes, sought) : null
  const spawnId = handle.spawnId ?? pane?.spawnId ?? null
  if (spawnId !== null && handle.stateDir !== undefined) removeLaunchScript(handle.stateDir, spawnId)

  const ofPane = pane && !pane.dead ? identify(pane.pid) : null
  // A live agent is proven by its pane or its marker; a handle alone is part of the record, which the agent can write.
  const ended = handle.agent && processState(handle.agent) === 'dead' ? handle.agent : null
  const roots = [ended, ofPane].filter((one): one is ProcessIdentity => Boolean(one))
  const { left, unproven } = await stopProcesses(spawnId ?? NO_SPAWN_ID, roots, {
    graceMs,
    workspacePath: handle.workspacePath,
    afterGrace: async () => {
      if (pane) await killSession(server, handle.name)
    },
  })
  if (list.kind === 'unknown') throw notVerified(handle, list.why)
  if (unproven.length > 0) onLeftRunning?.(unproven)
  if (left.length > 0) throw notStopped(handle.name, left)
}

/** No process carries it: a handle without a spawn id is stopped by its terminal and family alone. */
const NO_SPAWN_ID = '(none)'

async function killSession(server: TmuxServer, name: string): Promise<void> {
  const answer = await callTmux(server, ['kill-session', '-t', `=${name}`], { inTurn: true })
  if (answer.kind === 'failed' || answer.kind === 'lost-server') {
    throw new AoError('RUNTIME_FAILED', `The tmux session ${name} could not be closed: ${answer.why}`)
  }
}

function notVerified(handle: TmuxHandle, why: string): AoError {
  return new AoError('RUNTIME_FAILED', `tmux could not say whether ${shownName(handle.name)} is gone: ${why}`, {
    details: { name: handle.name },
  })
}
