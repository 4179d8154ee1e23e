// Starts an agent as the command of a new tmux session. Safe against other processes that do the same at the same time.
import { AoError } from '../../contract/errors.ts'
import { isSafeName, shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { sleep } from '../../lib/clock.ts'
import { stopProcesses } from '../../lib/process/process-tree.ts'
import type { RuntimeLaunch } from '../../slots/runtime.ts'
import { inTurn } from './control/quiet-server.ts'
import { findTmuxSession } from './find-session.ts'
import { paneCommand, writeLaunchScript } from './launch-script.ts'
import { writeServerConfig } from './server-config.ts'
import { askTmux, callTmux, sequence, type TmuxServer } from './tmux-command.ts'
import { makeHandle } from './tmux-handle.ts'

const CREATE_DEADLINE_MS = 15_000
const ANSWER_MS = 10_000

export async function startTmuxSession(server: TmuxServer, launch: RuntimeLaunch): Promise<RuntimeHandle> {
  refuseUnusable(launch)
  writeServerConfig(server.configFile)
  await requireAnswer(server, launch)
  try {
    return await createUntilDeadline(server, launch)
  } catch (error) {
    // tmux may have started the agent and then failed to report it.
    await stopProcesses(launch.spawnId, [], { graceMs: 0 })
    throw error
  }
}

/**
 * A server that is suspended takes every command and carries it out when it continues, long after this launch was given up:
 * an empty session. So it has to answer first. That there is none is an answer.
 */
async function requireAnswer(server: TmuxServer, launch: RuntimeLaunch): Promise<void> {
  const answer = await askTmux(server, [['show-options', '-sv', 'exit-empty']], ANSWER_MS)
  if (answer.kind === 'failed') throw notCreated(launch, answer.why)
}

async function createUntilDeadline(server: TmuxServer, launch: RuntimeLaunch): Promise<RuntimeHandle> {
  const deadline = performance.now() + CREATE_DEADLINE_MS
  for (let attempt = 0; ; attempt++) {
    const script = writeLaunchScript(launch)
    const answer = await inTurn(server, () =>
      callTmux(server, newSession(launch, script), { timeoutMs: CREATE_DEADLINE_MS }),
    )
    if (answer.kind === 'done') return toHandle(launch, answer.stdout)
    // This launch may have succeeded earlier, or now without a response. If not, its script is gone after this.
    const existing = await findTmuxSession(server, launch)
    if (existing !== null) return existing
    // The current server was just exiting, or did not exist yet: the next one is new.
    const raced = answer.kind === 'lost-server' || answer.kind === 'no-server'
    if (!raced || performance.now() > deadline) throw notCreated(launch, answer.why)
    await pause(attempt)
  }
}

function refuseUnusable(launch: RuntimeLaunch): void {
  if (!isSafeName(launch.name))
    throw new AoError('RUNTIME_FAILED', `${shownName(launch.name)} cannot be the name of a tmux session`)
  if (launch.command.length === 0)
    throw new AoError('RUNTIME_FAILED', `Session ${launch.sessionId} has no command to run`)
}

function newSession(launch: RuntimeLaunch, script: string): string[] {
  const target = `=${launch.name}:`
  return sequence(
    // Also on a server that was started with another configuration.
    ['set-option', '-s', 'exit-empty', 'off'],
    ['set-option', '-gw', 'remain-on-exit', 'on'],
    [
      'new-session',
      '-d',
      '-E',
      ...['-s', launch.name],
      ...['-x', String(launch.cols ?? 120)],
      ...['-y', String(launch.rows ?? 40)],
      // A format: # is its only special character.
      ...['-c', launch.workspacePath.replaceAll('#', '##')],
      ...['-P', '-F', '#{pane_id} #{pane_pid} #{socket_path}'],
      '--',
      ...paneCommand(script),
    ],
    ['set-option', '-t', target, '@ao_spawn_id', launch.spawnId],
    ['set-option', '-t', target, '@ao_session', launch.sessionId],
  )
}

function toHandle(launch: RuntimeLaunch, printed: string): RuntimeHandle {
  const [, pane, pid, socket] = /^(%\d+) (\d+) (.*)$/m.exec(printed) ?? []
  if (pane === undefined || pid === undefined || socket === undefined) {
    throw new AoError('RUNTIME_FAILED', `tmux answered new-session with: ${printed.trim()}`)
  }
  return makeHandle(launch, { pane, pid: Number(pid), socket })
}

function notCreated(launch: RuntimeLaunch, why: string): AoError {
  return new AoError('RUNTIME_FAILED', `The tmux session ${shownName(launch.name)} could not be created: ${why}`, {
    details: { session: launch.sessionId, name: launch.name },
  })
}

function pause(attempt: number): Promise<void> {
  const base = Math.min(5 * 2 ** attempt, 100)
  return sleep(base / 2 + Math.random() * base)
}
