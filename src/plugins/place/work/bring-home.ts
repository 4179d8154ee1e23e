// The work of a session in a place comes home: first the objects and a ref, then the mirror.
import { maxUntrackedBytes, sendsCommitsAlone } from '../../../core/place/work-limits.ts'
import { systemClock } from '../../../lib/clock.ts'
import type { FarWork } from '../far-contract.ts'
import type { HomeOfWork, LineSpec, LineState } from '../home/line-files.ts'
import type { Far } from '../reach/far.ts'
import { fetchWork, keepWork, type Mirror, moveMirror } from './mirror.ts'

export interface Keep {
  state(): LineState
  /** Durable when it returns. */
  save(change: Partial<LineState>): void
}

export function firstState(line: string): LineState {
  return {
    line,
    connected: false,
    since: systemClock.now().getTime(),
    why: 'it is being opened',
    orphaned: false,
    read: 0,
    reading: null,
    work: null,
    workAt: null,
    mirror: null,
    applying: null,
    branches: [],
  }
}

/** Resolves with what home has now; null: there is no workspace, or nothing in it. */
export async function bringWorkHome(
  far: Far,
  spec: LineSpec,
  env: NodeJS.ProcessEnv,
  keep: Keep,
  wants: readonly string[] = [],
): Promise<FarWork | null> {
  const { home, sessionId } = spec
  if (home === null) return null
  const mirror: Mirror = { sessionId, path: home.mirror, env }
  const work = await fetchBoth(far, mirror, home, keep, wants)
  if (work === null) return null
  const state = keep.state()
  // `work` is what the mirror shows, so a mirror that did not follow keeps what it was compared with.
  const from = state.work ?? home.sent
  const interrupted = state.applying !== null
  await keepWork(mirror, work)
  keep.save({ workAt: systemClock.now().getTime(), applying: work, left: work.left ?? null })
  const branchesNow = { branches: ownBranches(home, state), defaultBranch: home.defaultBranch }
  const why = await moveMirror(mirror, { from, to: work, ...branchesNow, interrupted })
  const branch = work.ref?.replace('refs/heads/', '')
  const branches =
    why === null && branch && branch !== home.branch ? [...new Set([...state.branches, branch])] : state.branches
  keep.save({ applying: null, mirror: why, branches, work: why === null ? work : state.work })
  return work
}

/** First commits, then what is not committed: only that is counted. */
async function fetchBoth(
  far: Far,
  mirror: Mirror,
  home: HomeOfWork,
  keep: Keep,
  wants: readonly string[],
): Promise<FarWork | null> {
  const before = keep.state().work ?? home.sent
  const maxBytes = maxUntrackedBytes(home.maxUntrackedMb)
  const haves = [before.work, before.head, home.sent.work]
  const commits = await fetchWork(far, mirror, { haves, wants, maxBytes, onlyCommits: true })
  if (commits === null) return null
  const { onlyCommits, head } = commits.work
  // Its agent has ended, or its host is of an older version: that was everything.
  if (!onlyCommits) return commits.work
  const { uncommittedBytes = 0 } = keep.state()
  // Without a new commit home keeps the state that it has.
  if (sendsCommitsAlone(uncommittedBytes, maxBytes)) return head === before.head ? before : commits.work
  const all = await fetchWork(far, mirror, { haves: [...haves, head], maxBytes, onlyCommits: false })
  keep.save({ uncommittedBytes: uncommittedBytes + (all?.bytes ?? 0) })
  return all?.work ?? null
}

/** The one that it was sent there with, the one that it was started with, and those that it made. */
export function ownBranches({ branch, environment, defaultBranch }: HomeOfWork, state: LineState): string[] {
  const first = environment.AO_BRANCH
  return [...new Set([branch, ...(first && first !== defaultBranch ? [first] : []), ...state.branches])]
}
