// Who writes on a pull request from here, and where an agent may.
import { AoError } from '../../../contract/errors.ts'
import type { CommentWriter } from '../../../core/forge/comment-signature.ts'
import { pullUrls } from '../../../core/status/recorded-facts.ts'
import type { PullTarget } from '../../../landing/read-pull.ts'
import type { Io } from '../../print/io.ts'
import type { OpenPulls } from './open-forge.ts'

export function writerOf({ env }: Io): CommentWriter {
  return env.AO_SESSION ? { kind: 'agent', session: env.AO_SESSION } : { kind: 'person' }
}

/**
 * Where the forge does not record who wrote, an agent writes with the user's account: on the pull requests of its session,
 * nowhere else.
 */
export async function requireOwn(
  io: Io,
  { config, project, scm, pr }: Pick<OpenPulls, 'config'> & PullTarget,
): Promise<void> {
  const session = io.env.AO_SESSION
  if (!session || scm.threads?.recordsWriter === true) return
  const [{ createSessionStore }, { createPaths }, { createLog }] = await Promise.all([
    import('../../../store/session/session-store.ts'),
    import('../../../store/paths.ts'),
    import('../../../lib/log.ts'),
  ])
  const { configPath } = config
  const paths = createPaths({ configPath, home: io.home, env: io.env }).project(project.id)
  const log = createLog(io.env.AO_LOG_LEVEL)
  const store = createSessionStore({ projectId: project.id, paths, configPath, clock: io.clock, log })
  const { url } = pr
  const record = store.read(session)?.record
  if (record && pullUrls(record).includes(url)) return
  throw new AoError('ROLE_REFUSED', `${url} is not a pull request of session ${session}`, {
    details: { url, session },
  })
}
