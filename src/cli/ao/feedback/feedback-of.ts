// The feedback reports of one project, or of all.

import { openConfig } from '../../../config/load-config-cached.ts'
import type { FeedbackStore } from '../../../store/feedback/feedback.ts'
import { createPaths } from '../../../store/paths.ts'
import { verifyOrigin } from '../../../store/session/session-store.ts'
import type { Io } from '../../print/io.ts'
import { requireProject } from '../choose-project.ts'

export async function feedbackOf(
  projectId: string | undefined,
  io: Io,
): Promise<Array<{ projectId: string; store: FeedbackStore }>> {
  const config = await openConfig(io)
  const { createFeedbackStore } = await import('../../../store/feedback/feedback.ts')
  const paths = createPaths({ configPath: config.configPath, home: io.home, env: io.env })
  const ids = projectId === undefined ? Object.keys(config.projects) : [requireProject(config, projectId).id]
  for (const id of ids) verifyOrigin({ projectId: id, paths: paths.project(id), configPath: config.configPath })
  return ids.map((id) => ({ projectId: id, store: createFeedbackStore({ paths: paths.project(id), clock: io.clock }) }))
}
