// Ends a session: the agent is asked first, then its terminal is closed, then whatever is left is found and killed.
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import { identify, type ProcessIdentity, processState } from '../../lib/process/process-identity.ts'
import { notStopped, stopProcesses } from '../../lib/process/process-tree.ts'
import type { DestroyOptions } from '../../slots/runtime.ts'
import { removeLaunchScript } from './create-session.ts'
import { findPane, listPanes, type PaneList, type TmuxHandle } from './pane-list.ts'
import { callTmux, type TmuxServer } from './tmux-command.ts'

export async function destroySession(
  server: TmuxServer,
  handle: TmuxHandle,
  { graceMs, onLeftRunning }: { graceMs: number } & Pick<DestroyOptions, 'onLeftRunning'>,
): Promise<void> {
  const list = await listPanes(server, 2_000)
  if (handle.isAdopted) return endAdopted(server, handle, { list, graceMs })
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

/**
 * The agent alone, and only if it is certainly the one that was adopted: the same pid with the same start time, in the pane that
 * still carries the mark of this launch. The pane and whatever else runs in it are the user's.
 */
async function endAdopted(
  server: TmuxServer,
  handle: TmuxHandle,
  { list, graceMs }: { list: PaneList; graceMs: number },
): Promise<void> {
  const agent = handle.agent!
  if (processState(agent) === 'dead') return
  if (list.kind === 'unknown') throw notVerified(handle, list.why)
  const pane = findPane(list.panes, handle)
  const { isBelow } = await import('./foreign-panes.ts')
  if (!pane || !isBelow(agent.pid, pane.pid)) {
    throw new AoError('RUNTIME_FAILED', `Process ${agent.pid} was left running: nothing proves that it was adopted`, {
      hint: `Look at it, and end it by hand: ps -o pid,args -p ${agent.pid}`,
      details: { name: handle.name, pid: agent.pid },
    })
  }
  const { left } = await stopProcesses(handle.spawnId!, [agent], { graceMs })
  if (left.length > 0) throw notStopped(handle.name, left)
  // Gone with the pane where the agent was its only program.
  await callTmux(server, ['set-option', '-pu', '-t', handle.target, '@ao_spawn_id'])
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
