// A one-time link for a server that runs in another process, which finds the code on disk.
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { ownOrigin } from '../../../dashboard/access/listen-address.ts'
import { openCodes } from '../../../dashboard/access/request-access.ts'
import { signInLink } from '../../../dashboard/access/sign-in.ts'
import { type RunState, runFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import type { Io } from '../../io.ts'

export function makeLink(config: OrchestratorConfig, { port }: Pick<RunState, 'port'>, io: Io): string {
  const files = runFiles(createPaths({ configPath: config.configPath, home: io.home, env: io.env }))
  return signInLink(ownOrigin(config, port), openCodes(files, io.clock).give())
}
