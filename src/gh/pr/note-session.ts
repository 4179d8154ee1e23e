// Records what happened to a pull request in its session's record. No manager: only its store is opened.

import type { Io } from '../../cli/io.ts'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { createLog } from '../../lib/log.ts'
import type { PullNote } from '../../store/session/note-pull-status.ts'

export interface SessionNote extends PullNote {
  projectId: string
}

/** The pull request is what counts: a record that cannot be written is updated by the next tick. */
export async function noteSession(io: Io, config: OrchestratorConfig, note: SessionNote): Promise<void> {
  const log = createLog(io.env.AO_LOG_LEVEL)
  await ignoreFailure(`the record of ${note.sessionId} was not updated`, log, async () => {
    const [{ createSessionStore }, { createPaths }, { notePullStatus }] = await Promise.all([
      import('../../store/session/session-store.ts'),
      import('../../store/paths.ts'),
      import('../../store/session/note-pull-status.ts'),
    ])
    const paths = createPaths({ configPath: config.configPath, home: io.home, env: io.env }).project(note.projectId)
    const { projectId } = note
    const store = createSessionStore({ projectId, paths, configPath: config.configPath, clock: io.clock, log })
    await notePullStatus(store, note)
  })
}
