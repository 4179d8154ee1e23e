// Finds a session whose creator died before it recorded the handle, by its name and the marker of its start.
import { agentState } from '../../agh/acp/agent-host.ts'
import { listSessionIds, readMeta } from '../../agh/store/meta-file.ts'
import type { SessionMeta } from '../../contract/agh/session-meta.ts'
import { AoError } from '../../contract/errors.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { makeHandle } from './acp-handle.ts'
import { type DaemonLink, daemonIsGone } from './daemon-link.ts'

/** agh starts nothing for a dead creator, so what is not found now will never exist. */
export async function findAcpSession(
  link: DaemonLink,
  launch: { name: string; spawnId: string },
): Promise<RuntimeHandle | null> {
  const meta = await findMeta(link, launch.name)
  if (!meta || meta.driver?.spawn_id !== launch.spawnId) return null
  const { name, spawnId } = launch
  return makeHandle({ name, spawnId, session: meta.id, workspacePath: meta.workspace_path, home: link.paths.home })
}

async function findMeta(link: DaemonLink, name: string): Promise<SessionMeta | null> {
  try {
    return (await link.call('GET /api/driver/sessions', { query: { key: name } })).session
  } catch (error) {
    if (!daemonIsGone(link.paths)) throw error
    return findOnDisk(link, name)
  }
}

/** Of this driver's sessions whose agents outlived the daemon. */
export function namesOnDisk(link: DaemonLink, driver: string): string[] {
  return listSessionIds(link.paths).flatMap((id) => {
    const meta = readIfWhole(link, id)
    if (meta?.driver?.name !== driver || meta.state === 'stopped') return []
    return agentState(meta) === 'dead' ? [] : [meta.driver.key]
  })
}

/** Left by a killed daemon: its processes may still have to be ended. */
function findOnDisk(link: DaemonLink, name: string): SessionMeta | null {
  for (const id of listSessionIds(link.paths)) {
    const meta = readIfWhole(link, id)
    if (meta?.driver?.key === name && meta.state !== 'stopped') return meta
  }
  return null
}

function readIfWhole(link: DaemonLink, id: string): SessionMeta | null {
  try {
    return readMeta(link.paths, id)
  } catch (error) {
    // An incomplete session, whose creator died before its first file was written.
    if (error instanceof AoError) return null
    throw error
  }
}
