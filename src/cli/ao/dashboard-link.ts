// A one-time link for a server that runs in another process: it finds the code on the disk.
import type { OrchestratorConfig } from '../../contract/config.ts'
import { openCodes } from '../../http/door.ts'
import { ownOrigin } from '../../http/listen-address.ts'
import { signInLink } from '../../http/sign-in.ts'
import { type RunState, runFiles } from '../../lifecycle/run-state.ts'
import { createPaths } from '../../store/paths.ts'
import type { Io } from '../io.ts'

export function makeLink(config: OrchestratorConfig, { port }: Pick<RunState, 'port'>, io: Io): string {
  const files = runFiles(createPaths({ configPath: config.configPath, home: io.home, env: io.env }))
  return signInLink(ownOrigin(config, port), openCodes(files, io.clock).give())
}
