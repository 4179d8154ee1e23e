// `ao stop`: ends the loop of this configuration and nothing else, unless sessions are named too.
import { realpathSync } from 'node:fs'
import { findConfig } from '../../../config/find-config.ts'
import { isWaiting } from '../../../contract/blocker.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { recordOf } from '../../../contract/record.ts'
import type { Session } from '../../../contract/session.ts'
import { isTerminalSession, NON_RESTORABLE_STATUSES } from '../../../contract/status.ts'
import { sleep } from '../../../lib/clock.ts'
import { parseIdentity, processState } from '../../../lib/process/process-identity.ts'
import { signal } from '../../../lib/process/process-tree.ts'
import { changeMembers, withMember } from '../../../lifecycle/loop/members.ts'
import {
  findRunning,
  loopState,
  type RunState,
  readRunState,
  runFiles,
  runStates,
} from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { openAo } from '../open-ao.ts'

export const stopCommand = defineCommand({
  name: 'stop',
  about: 'Stop watching this repository; sessions keep running',
  details: 'The process ends with the last repository it watches.',
  options: {
    all: { about: 'Stop watching every repository' },
    sessions: { about: 'Also end every session of this repository, keeping its workspace' },
    json: JSON_OPTION,
  },
  json: '{ stopped, pid, sessions: [id], stillWatched: [configPath] }',
  async run({ options }, io) {
    const state = findLoop(options.all, io)
    const stopped = state !== null && loopState(state) === 'alive'
    const others = stopped && !options.all ? othersOf(state, io) : []
    if (options.all) await endAll(io)
    else if (stopped && others.length > 0) await leave(state, io)
    else if (stopped) await endLoop(state)
    const sessions = options.sessions ? await endSessions(io) : []
    // Not the one that is only written beside it.
    const pid = stopped ? (parseIdentity(state.process)?.pid ?? null) : null
    if (options.json)
      return void io.json({ stopped, pid, sessions: sessions.map(({ id }) => id), stillWatched: others })
    if (!stopped) io.print('nothing was running')
    else if (others.length > 0)
      io.print(`stopped watching ${state.configPath}; process ${pid} still watches ${others.join(', ')}`)
    else io.print(`stopped process ${pid}${options.sessions ? '' : '; sessions keep running'}`)
    for (const { id, canRestore } of sessions)
      io.print(canRestore ? `ended ${id}; bring it back: ao session restore ${id}` : `ended ${id}; its work is merged`)
  },
})

/** Only the path of the configuration matters: a loop must be stoppable even when its file has become invalid. */
function findLoop(all: boolean, io: Io): RunState | null {
  if (all) return runStates(io.home).find((state) => loopState(state) === 'alive') ?? null
  const { path } = findConfig({ path: io.configPath, cwd: io.cwd, env: io.env, home: io.home })
  return findRunning(runFiles(createPaths({ configPath: realpathSync(path), home: io.home, env: io.env })))
}

/** What the same process watches beside this one. */
function othersOf(state: RunState, io: Io): string[] {
  return runStates(io.home)
    .filter((one) => one.process === state.process && one.configPath !== state.configPath && loopState(one) === 'alive')
    .map(({ configPath }) => configPath)
}

async function endAll(io: Io): Promise<void> {
  const alive = runStates(io.home).filter((state) => loopState(state) === 'alive')
  const each = new Map(alive.map((state) => [state.process, state]))
  await Promise.all([...each.values()].map(endLoop))
}

/** The process ends this part of it and continues with the others. */
async function leave(state: RunState, io: Io): Promise<void> {
  await changeMembers(io.home, withMember({ configPath: state.configPath, process: state.process, leaving: true }))
  const files = runFiles(createPaths({ configPath: state.configPath, home: io.home, env: io.env }))
  const deadline = performance.now() + STOP_TIMEOUT_MS
  for (;;) {
    const now = readRunState(files)
    if (now === null || now.process !== state.process || loopState(now) === 'dead') return
    if (performance.now() > deadline) {
      throw new AoError('TIMEOUT', `Process ${state.pid} still watches ${state.configPath}`, {
        hint: 'End it for all repositories with: ao stop --all',
      })
    }
    await sleep(20)
  }
}

/** It gets five seconds to shut down; its state on disk is consistent at any moment. */
const STOP_TIMEOUT_MS = 6_000

async function endLoop(state: RunState): Promise<void> {
  const identity = parseIdentity(state.process)
  if (identity === null) return
  signal(identity, 'SIGTERM')
  const deadline = performance.now() + STOP_TIMEOUT_MS
  while (processState(identity) !== 'dead') {
    if (performance.now() > deadline) {
      throw new AoError('TIMEOUT', `Process ${identity.pid} did not end within ${STOP_TIMEOUT_MS / 1000} s`, {
        hint: `Nothing is lost by ending it: kill -9 ${identity.pid}`,
      })
    }
    await sleep(20)
  }
}

async function endSessions(io: Io): Promise<Array<{ id: string; canRestore: boolean }>> {
  const ao = await openAo(io)
  const ended: Array<{ id: string; canRestore: boolean }> = []
  for (const session of await ao.manager.list()) {
    if (!mayRun(session)) continue
    try {
      await ao.manager.kill(session.id, { keepWorkspace: true, keepMessages: true })
      ended.push({ id: session.id, canRestore: !NON_RESTORABLE_STATUSES.has(session.status) })
    } catch (error) {
      io.note(`${io.noteStyle.yellow('warning:')} ${session.id} was not ended: ${errorText(error)}`)
    }
  }
  return ended
}

/** Its status does not say: the agent of a merged session waits for more work. */
function mayRun(session: Session): boolean {
  const { status, activity, runtimeHandle } = session
  // Nothing of it runs: it waits as before.
  if (activity === 'exited' || isWaiting(recordOf(session))) return false
  return runtimeHandle !== null || !isTerminalSession({ status, activity: null })
}
