// Notices what moved the base branch besides the train and merges of ao, which announce themselves.
import { findHandMove } from '../../core/landing/find-hand-move.ts'
import { isAncestor } from '../../git/merge-memory.ts'
import { resolveRef } from '../../git/repository.ts'
import { type HandMove, readBaseState, readHandMoves, writeBaseState } from '../../landing/watch/hand-moves.ts'
import type { LocalPull } from '../pulls/pull-events.ts'
import type { LocalForge } from '../types.ts'

const MOST_MOVES = 20

/** Compares the branch with where it was, and returns the moves that nobody has heard of. */
export async function noteHandMoves(forge: LocalForge, projectDir: string, now: Date): Promise<HandMove[]> {
  const to = await resolveRef(forge.repository(), `refs/heads/${forge.project.defaultBranch}`)
  const { commit: from, moves } = readBaseState(projectDir)
  if (to !== null && to !== from) {
    const gap = from === null ? null : findHandMove({ from, to }, announcedMoves(forge))
    const found = gap && (await describe(forge, gap, now))
    writeBaseState(projectDir, { commit: to, moves: [...moves, ...(found ?? [])].slice(-MOST_MOVES) })
  }
  return readHandMoves(projectDir).filter(({ sent }) => sent !== true)
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
