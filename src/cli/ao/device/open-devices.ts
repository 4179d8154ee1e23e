// The devices of the page that this configuration is shown on: its own, or the one that it joined.

import { openConfig } from '../../../config/load-config-cached.ts'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { repositoryBase } from '../../../contract/dashboard/page-paths.ts'
import { openPairings } from '../../../dashboard/access/request-access.ts'
import type { SecretDirectory } from '../../../dashboard/access/secret-directory.ts'
import { type DeviceStore, openDevices } from '../../../dashboard/devices/device-store.ts'
import { loopState, type RunState, readRunState, runFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import type { Io } from '../../print/io.ts'

export interface OpenedDevices {
  config: OrchestratorConfig
  devices: DeviceStore
  pairings: SecretDirectory
  /** null: the page is not served now. */
  running: RunState | null
  /** Where the pages of this configuration begin. */
  base: string
}

export async function openPageDevices(io: Io): Promise<OpenedDevices> {
  const config = await openConfig(io)
  const paths = createPaths({ configPath: config.configPath, home: io.home, env: io.env })
  const state = readRunState(runFiles(paths))
  const running = loopState(state) === 'dead' ? null : state
  const host = running?.host
  const files = runFiles({ ...paths, hash: host ?? paths.hash })
  return {
    config,
    devices: openDevices(files.devices, io.clock),
    pairings: openPairings(files, io.clock),
    running,
    base: host === undefined ? '' : repositoryBase(paths.hash),
  }
}
