// `ao stop`: ends the loop and nothing else, unless sessions are named too.
import { realpathSync } from 'node:fs'
import { findConfig } from '../../../config/find-config.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { isTerminalSession } from '../../../contract/status.ts'
import { sleep } from '../../../lib/clock.ts'
import { parseIdentity, processState } from '../../../lib/process/process-identity.ts'
import { signal } from '../../../lib/process/process-tree.ts'
import { loopState, type RunState, readRunState, runFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { openAo } from '../open-ao.ts'

export const stopCommand = defineCommand({
  name: 'stop',
  about: 'Stop what ao start runs; sessions keep running',
  args: {},
  options: { sessions: { about: 'Also end every session, keeping its workspace' }, json: JSON_OPTION },
  json: '{ stopped, pid, sessions: [id] }',
  async run({ options }, io) {
    // Only its path matters: a loop must be stoppable even when its file has become invalid.
    const { path } = findConfig({ path: io.configPath, cwd: io.cwd, env: io.env, home: io.home })
    const state = readRunState(runFiles(createPaths({ configPath: realpathSync(path), home: io.home, env: io.env })))
    const stopped = state !== null && loopState(state) === 'alive'
    if (stopped) await endLoop(state)
    const sessions = options.sessions ? await endSessions(io) : []
    if (options.json) return void io.json({ stopped, pid: stopped ? state.pid : null, sessions })
    io.print(stopped ? `stopped process ${state.pid}; sessions keep running` : 'nothing was running')
    for (const id of sessions) io.print(`ended ${id}; bring it back: ao session restore ${id}`)
  },
})

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

async function endSessions(io: Io): Promise<string[]> {
  const ao = await openAo(io)
  const ended: string[] = []
  for (const session of await ao.manager.list()) {
    if (isTerminalSession(session)) continue
    try {
      await ao.manager.kill(session.id, { keepWorkspace: true, keepMessages: true })
      ended.push(session.id)
    } catch (error) {
      io.note(`${io.noteStyle.yellow('warning:')} ${session.id} was not ended: ${errorText(error)}`)
    }
  }
  return ended
}
