// What moved the base branch besides the train and merges of ao, `landing/base.json`: a person's commit, a pull from the remote, or an
// agent with `git update-ref`. Nothing of it was tested or approved here. Merges of ao are known by their announcements.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findHandMove } from '../../core/landing/find-hand-move.ts'
import { isAncestor } from '../../forge/merge/merge-memory.ts'
import type { LocalPull } from '../../forge/pulls/pull-events.ts'
import type { LocalForge } from '../../forge/types.ts'
import { resolveRef } from '../../git/repository.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'

export interface HandMove {
  from: string
  to: string
  /** When it was noticed, ISO 8601. */
  at: string
  /** The remote has it too: it was pulled, or pushed there as well. */
  isOnRemote: boolean
  /** Open pull requests whose heads got in that way. */
  pulls: number[]
  /** A person was notified. */
  sent?: boolean | undefined
}

interface BaseState {
  /** Where the branch was when it was last compared. */
  commit: string | null
  moves: HandMove[]
}

const MOST_MOVES = 20

export function readHandMoves(projectDir: string): HandMove[] {
  return readState(projectDir).moves
}

/** Compares the branch with where it was, and returns the moves that nobody has heard of. */
export async function noteHandMoves(forge: LocalForge, projectDir: string, now: Date): Promise<HandMove[]> {
  const to = await resolveRef(forge.repository(), `refs/heads/${forge.project.defaultBranch}`)
  const { commit: from, moves } = readState(projectDir)
  if (to !== null && to !== from) {
    const gap = from === null ? null : findHandMove({ from, to }, announcedMoves(forge))
    const found = gap && (await describe(forge, gap, now))
    writeState(projectDir, { commit: to, moves: [...moves, ...(found ?? [])].slice(-MOST_MOVES) })
  }
  return readHandMoves(projectDir).filter(({ sent }) => sent !== true)
}

export function markSent(projectDir: string, move: HandMove): void {
  const state = readState(projectDir)
  const moves = state.moves.map((one) => (one.to === move.to && one.at === move.at ? { ...one, sent: true } : one))
  writeState(projectDir, { ...state, moves })
}

function announcedMoves({ pulls }: LocalForge): Array<{ from: string; to: string }> {
  return pulls.list().flatMap(({ merging, mergeBefore, mergeCommit }) => {
    if (merging !== null) return { from: merging.baseBefore, to: merging.commit }
    return mergeBefore !== null && mergeCommit !== null ? { from: mergeBefore, to: mergeCommit } : []
  })
}

async function describe(forge: LocalForge, { from, to }: { from: string; to: string }, now: Date): Promise<HandMove[]> {
  const { defaultBranch } = forge.project
  const contains = async (base: string, head: string) =>
    (await isAncestor(forge.memory, forge.repository(), { head, base })) === true
  const remote = await resolveRef(forge.repository(), `refs/remotes/origin/${defaultBranch}`)
  const candidates = forge.pulls.list().filter((pull) => pull.base === defaultBranch && isUnannounced(pull))
  const pulls: number[] = []
  for (const { number, headSha } of candidates)
    if ((await contains(to, headSha)) && !(await contains(from, headSha))) pulls.push(number)
  return [{ from, to, at: now.toISOString(), isOnRemote: remote !== null && (await contains(remote, to)), pulls }]
}

/** It is open, or merged although ao never announced a merge. */
function isUnannounced({ state, mergeBefore }: Pick<LocalPull, 'state' | 'mergeBefore'>): boolean {
  return state !== 'closed' && mergeBefore === null
}

/** As people read it. */
export function handMoveText({ from, to, isOnRemote, pulls }: HandMove, branch: string): string {
  const how = isOnRemote ? 'was pulled from the remote' : 'was moved by hand'
  const inside = pulls.length === 0 ? '' : `, with ${pulls.map((pull) => `#${pull}`).join(', ')} in it`
  return `${branch} ${how} from ${from.slice(0, 10)} to ${to.slice(0, 10)}${inside}: not tested and not approved here`
}

function readState(projectDir: string): BaseState {
  try {
    const state = JSON.parse(readIfThere(fileOf(projectDir)) ?? '{}') as Partial<BaseState>
    return { commit: state.commit ?? null, moves: state.moves ?? [] }
  } catch {
    // Damaged: it begins anew with where the branch is now.
    return { commit: null, moves: [] }
  }
}

function writeState(projectDir: string, state: BaseState): void {
  mkdirSync(join(projectDir, 'landing'), { recursive: true, mode: 0o700 })
  writeFileAtomic(fileOf(projectDir), `${JSON.stringify(state)}\n`)
}

function fileOf(projectDir: string): string {
  return join(projectDir, 'landing', 'base.json')
}
