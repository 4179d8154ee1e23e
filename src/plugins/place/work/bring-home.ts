// The work of a session in a place comes home: first the objects and a ref, then the mirror.
import { systemClock } from '../../../lib/clock.ts'
import type { FarWork } from '../far-contract.ts'
import type { HomeOfWork, LineSpec, LineState } from '../home/line-files.ts'
import type { Far } from '../reach/far.ts'
import { fetchWork, type Mirror, moveMirror } from './mirror.ts'

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
  const before = keep.state().work ?? home.sent
  const haves = [before.work, before.head, home.sent.work]
  const work = await fetchWork(far, mirror, { haves, wants })
  if (work === null) return null
  const state = keep.state()
  // `work` is what the mirror shows, so a mirror that did not follow keeps what it was compared with.
  const from = state.work ?? home.sent
  const interrupted = state.applying !== null
  keep.save({ workAt: systemClock.now().getTime(), applying: work })
  const why = await moveMirror(mirror, { from, to: work, branches: ownBranches(home, state), interrupted })
  const branch = work.ref?.replace('refs/heads/', '')
  const branches =
    why === null && branch && branch !== home.branch ? [...new Set([...state.branches, branch])] : state.branches
  keep.save({ applying: null, mirror: why, branches, work: why === null ? work : state.work })
  return work
}

export function ownBranches(home: HomeOfWork, state: LineState): string[] {
  return [home.branch, ...state.branches]
}
