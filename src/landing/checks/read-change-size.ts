// How large a change is, which sensitive paths it touches, and how often its files were taken back: what its risk is computed from.
// From git's objects alone, never from messages.
import type { ProjectConfig } from '../../contract/config.ts'
import { countReverts, parseRawLog, revertsOf } from '../../core/review/count-reverts.ts'
import { type ChangeSize, sensitivePaths } from '../../core/review/judge-risk.ts'
import { type Repository, tryGitOn } from '../../git/repository.ts'
import { type CommitRange, readChangedFiles } from './read-change.ts'

/** `tip`: of the base branch; null: unknown, and so is what was taken back there. */
export async function readChangeSize(
  { review }: Pick<ProjectConfig, 'review'>,
  range: CommitRange,
  tip: string | null,
): Promise<ChangeSize & { sensitive: string[] }> {
  const files = await readChangedFiles(range)
  const reverts = tip === null ? null : await readReverts(range.repository, tip)
  const paths = files.map(({ path }) => path)
  return {
    files: files.length,
    // One byte makes a file binary, which git counts no lines of.
    lines: files.reduce(
      (sum, { lines, isBinary, bytes }) => sum + (isBinary ? Math.ceil((bytes ?? 0) / 40) : lines),
      0,
    ),
    sensitive: sensitivePaths(paths, review?.sensitive),
    reverts: reverts && revertsOf(reverts, paths),
  }
}

/** The last commits of the base branch that are looked through. */
const MOST_COMMITS = 300
const MOST_BYTES = 32 * 1024 * 1024
const MOST_KEPT = 8

/** By tip: every pull request onto it asks the same. */
const cached = new Map<string, ReadonlyMap<string, number> | null>()

/** null: it could not be read, or it is too much to read. */
async function readReverts(repository: Repository, tip: string): Promise<ReadonlyMap<string, number> | null> {
  const key = `${repository.commonDir} ${tip}`
  const before = cached.get(key)
  if (before !== undefined) return before
  const args = ['log', '--first-parent', '-m', '--raw', '-z', '--abbrev=64', '--no-renames', '--no-color']
  const which = ['--ignore-submodules=none', `--max-count=${MOST_COMMITS}`, '--format=%x01', tip, '--']
  const options = { read: true, maxOutputBytes: MOST_BYTES } as const
  // The vault has no trees of older commits. A forged one could hide what was taken back, which is 10 of 100 points.
  const log = await tryGitOn(repository, [...args, ...which], options).catch(() => null)
  const commits = log?.ok ? parseRawLog(log.stdout) : null
  const counts = commits && countReverts(commits)
  if (cached.size >= MOST_KEPT) cached.clear()
  cached.set(key, counts)
  return counts
}
