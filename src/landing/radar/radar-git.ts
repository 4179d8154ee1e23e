// How the radar runs git: on the project's repository, with objects in a directory of its own, and slow disks spared.
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import type { ExecResult } from '../../lib/exec.ts'
import type { ObjectDirectory } from './object-directory.ts'

export interface RadarGit {
  repository: Repository
  objects: ObjectDirectory
  /** Object directories of clones whose commits the repository does not have. */
  others: string[]
  /** Instead of the objects that stay. */
  env?: Record<string, string>
}

/** For reading what is in the repository itself. */
export type ReadingGit = RadarGit | { repository: Repository; env: Record<string, string> }

/** Nothing here must survive a power cut, or be small. Conflicts in the format that conflict-hunks.ts reads. */
export const SETTINGS = [
  ...['core.fsync=none', 'core.looseCompression=0', 'merge.conflictStyle=merge', 'core.quotePath=false'],
  'diff.renames=false',
]

const FLAGS = SETTINGS.flatMap((setting) => ['-c', setting])

export function radarEnv(git: ReadingGit): Record<string, string> {
  return 'objects' in git ? (git.env ?? git.objects.env(git.repository.commonDir, git.others)) : git.env
}

export function radarGit(git: ReadingGit, args: readonly string[], input?: string): Promise<string> {
  const call = { extraEnv: radarEnv(git), read: true }
  return gitOn(git.repository, [...FLAGS, ...args], input === undefined ? call : { ...call, input })
}

export function tryRadarGit(git: ReadingGit, args: readonly string[], input?: string): Promise<ExecResult> {
  const call = { extraEnv: radarEnv(git), read: true }
  return tryGitOn(git.repository, [...FLAGS, ...args], input === undefined ? call : { ...call, input })
}
