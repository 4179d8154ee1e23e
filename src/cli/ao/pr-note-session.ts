// What happened to a pull request, in the record of the session that owns it: the same facts the wrappers write.
import type { OrchestratorConfig } from '../../contract/config.ts'
import { isSessionStatus, type SessionStatus } from '../../contract/status.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { createLog } from '../../lib/log.ts'
import type { Io } from '../io.ts'

export interface SessionNote {
  projectId: string
  sessionId: string
  url: string
  status: SessionStatus
}

/** The pull request is what counts: a record that cannot be written is caught up by the next look. */
export async function noteSession(io: Io, config: OrchestratorConfig, note: SessionNote): Promise<void> {
  const log = createLog(io.env.AO_LOG_LEVEL)
  await ignoreFailure(`the record of ${note.sessionId} was not updated`, log, async () => {
    const [{ createSessionStore }, { createPaths }] = await Promise.all([
      import('../../store/session-store.ts'),
      import('../../store/paths.ts'),
    ])
    const paths = createPaths({ configPath: config.configPath, home: io.home, env: io.env }).project(note.projectId)
    const { projectId } = note
    const store = createSessionStore({ projectId, paths, configPath: config.configPath, clock: io.clock, log })
    const pairs = store.read(note.sessionId)?.pairs
    if (pairs === undefined) return
    const owns = pairs.pr === note.url
    // Known already, or somebody else's: the status may have moved on since and must not be set back.
    if (note.status === 'pr_open' ? owns : !owns && pairs.pr !== undefined) return
    const from = pairs.status !== undefined && isSessionStatus(pairs.status) ? pairs.status : null
    const evidence = [`${note.url} was ${note.status === 'merged' ? 'merged' : 'opened'}`]
    await store.update(note.sessionId, { pr: note.url, status: note.status }, [
      { type: 'status.changed', from, to: note.status, evidence },
    ])
  })
}
