// The refs that keep checkpoints from git's garbage collection, for whoever counts or removes them. What a session can go back to is in its
// history, by commit.
import { gitOn, type Repository } from '../repository.ts'

export interface CheckpointRef {
  ref: string
  sessionId: string
  turn: number
  savedAt: number
}

/** Oldest first. */
export async function listCheckpoints(repository: Repository): Promise<CheckpointRef[]> {
  const args = ['for-each-ref', '--format=%(refname) %(committerdate:unix)', 'refs/ao/checkpoint/']
  const listed = await gitOn(repository, args, { read: true })
  return [...listed.matchAll(/^(refs\/ao\/checkpoint\/([^/\s]+)\/(\d+)) (\d+)$/gm)]
    .map(([, ref, sessionId, turn, seconds]) => ({
      ref: ref!,
      sessionId: sessionId!,
      turn: Number(turn),
      savedAt: Number(seconds) * 1000,
    }))
    .toSorted((one, other) => one.savedAt - other.savedAt)
}

/** How many bytes of git's objects only these keep. */
export async function bytesOf(repository: Repository, checkpoints: readonly CheckpointRef[]): Promise<number> {
  if (checkpoints.length === 0) return 0
  const others = ['--not', '--branches', '--tags', '--remotes', '--glob=refs/ao/rescue', '--glob=refs/ao/settled']
  const input = checkpoints.map(({ ref }) => `${ref}\n`).join('')
  const counted = await gitOn(repository, ['rev-list', '--objects', '--disk-usage', '--stdin', ...others], { input })
  return Number(counted.trim())
}

/** How many of the oldest have to go until the rest needs at most this much. */
export async function countBeyond(
  repository: Repository,
  checkpoints: readonly CheckpointRef[],
  maxBytes: number,
): Promise<number> {
  let [low, high] = [0, checkpoints.length]
  if ((await bytesOf(repository, checkpoints)) <= maxBytes) return 0
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await bytesOf(repository, checkpoints.slice(middle))) <= maxBytes) high = middle
    else low = middle + 1
  }
  return low
}

export async function dropCheckpoints(repository: Repository, refs: readonly string[]): Promise<void> {
  const input = refs.map((ref) => `option no-deref\ndelete ${ref}\n`).join('')
  await gitOn(repository, ['update-ref', '--stdin'], { input })
}

/** Which of these commits are in the repository. */
export async function keptCheckpoints(repository: Repository, commits: readonly string[]): Promise<Set<string>> {
  if (commits.length === 0) return new Set()
  const input = commits.map((commit) => `${commit}\n`).join('')
  const lines = (await gitOn(repository, ['cat-file', '--batch-check'], { read: true, input })).split('\n')
  return new Set(commits.filter((_, at) => lines[at]?.split(' ')[1] === 'commit'))
}
