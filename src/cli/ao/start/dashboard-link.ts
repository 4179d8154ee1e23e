// A one-time link for a server that runs in another process, which finds the code on disk.
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { repositoryBase } from '../../../contract/dashboard/page-paths.ts'
import { ownOrigin } from '../../../dashboard/access/listen-address.ts'
import { openCodes } from '../../../dashboard/access/request-access.ts'
import { signInLink } from '../../../dashboard/access/sign-in.ts'
import { type RunState, runFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import type { Io } from '../../print/io.ts'

export function makeLink(config: OrchestratorConfig, state: Pick<RunState, 'port' | 'host'>, io: Io): string {
  const paths = createPaths({ configPath: config.configPath, home: io.home, env: io.env })
  // On a page that several share, the keys are those of the one that opened it.
  const files = runFiles({ ...paths, hash: state.host ?? paths.hash })
  const to = state.host === undefined ? '/' : `${repositoryBase(paths.hash)}/`
  return signInLink(ownOrigin(config, state.port), openCodes(files, io.clock).give(), to)
}
