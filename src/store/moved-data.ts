// A moved configuration has another hash, so its data would not be found again. `{hash}.moved` in the data directory, a
// link to the old hash, says whose data it has: nothing is moved, and running agents keep their names and files.
import { existsSync, readdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { readIfThere } from '../lib/plain-file.ts'
import { hashConfigDir, movedLink } from '../lib/process/own-home.ts'
import { removeFile } from '../lib/remove.ts'
import { type AoPaths, type ProjectPaths, projectPaths } from './paths.ts'
import { listHistories } from './session/history.ts'
import { listSessionIds } from './session/session-file.ts'

export interface MovedData {
  hash: string
  /** The former path of the configuration, which no longer exists. */
  origin: string
  projects: Array<{ projectId: string; paths: ProjectPaths; sessions: string[] }>
}

const DIRECTORY = /^([0-9a-f]{12})-(.+)$/

/** Data with sessions of projects with these names, whose configuration is gone: it may have been moved here. */
export function findMovedData(paths: AoPaths, projectIds: readonly string[]): MovedData[] {
  const found = new Map<string, MovedData>()
  for (const name of namesIn(paths.dataDir)) {
    const [, hash = '', projectId = ''] = DIRECTORY.exec(name) ?? []
    if (!projectIds.includes(projectId)) continue
    const project = projectPaths(join(paths.dataDir, name))
    const origin = originOf(project)
    const sessions = origin === null || existsSync(origin) ? [] : listSessionIds(project)
    if (origin === null || sessions.length === 0) continue
    const data = found.get(hash) ?? { hash, origin, projects: [] }
    data.projects.push({ projectId, paths: project, sessions })
    found.set(hash, data)
  }
  return [...found.values()]
}

/**
 * From here on the data belongs to this configuration. May be repeated: a crash in between leaves an origin to be written.
 */
export function relinkData(paths: AoPaths, configPath: string, { hash, projects }: MovedData): void {
  const own = hashConfigDir(paths.configDir)
  if (hash !== own) {
    const inTheWay = projects.find(({ projectId }) => hasSessions(join(paths.dataDir, `${own}-${projectId}`)))
    if (inTheWay) throw refused(inTheWay.projectId)
    linkTo(movedLink(paths.dataDir, own), hash)
  } else removeFile(movedLink(paths.dataDir, own))
  for (const project of projects) writeFileAtomic(project.paths.origin, `${configPath}\n`)
}

function linkTo(path: string, target: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  removeFile(temporary)
  symlinkSync(target, temporary)
  renameSync(temporary, path)
}

function hasSessions(directory: string): boolean {
  return listHistories(projectPaths(directory)).length > 0
}

function refused(projectId: string): AoError {
  return new AoError('STATE_REFUSED', `Project ${projectId} has had sessions at its new path already`, {
    hint: 'Move the repository back to get the old ones, or finish the old ones there first',
    details: { projectId },
  })
}

/** Every configuration that has had sessions and is still there, oldest name first. */
export function recordedConfigs(dataDir: string): string[] {
  const origins = namesIn(dataDir)
    .filter((name) => DIRECTORY.test(name))
    .map((name) => originOf(projectPaths(join(dataDir, name))))
    .filter((origin) => origin !== null && existsSync(origin))
  return [...new Set(origins as string[])].sort()
}

function originOf(project: ProjectPaths): string | null {
  try {
    return readIfThere(project.origin, { noFollow: true })?.trim() ?? null
  } catch {
    // Something else is in its place, which `ao doctor` reports.
    return null
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    // Nothing was kept yet, or it is unreadable, which every other command reports.
    return []
  }
}
