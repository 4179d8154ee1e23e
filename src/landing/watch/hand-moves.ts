// What moved the base branch besides the train and merges of ao, `landing/base.json`: a person's commit, a pull from the remote, or an
// agent with `git update-ref`. Nothing of it was tested or approved here. Merges of ao are known by their announcements.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
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

export interface BaseState {
  /** Where the branch was when it was last compared. */
  commit: string | null
  moves: HandMove[]
}

export function readHandMoves(projectDir: string): HandMove[] {
  return readBaseState(projectDir).moves
}

export function markSent(projectDir: string, move: HandMove): void {
  const state = readBaseState(projectDir)
  const moves = state.moves.map((one) => (one.to === move.to && one.at === move.at ? { ...one, sent: true } : one))
  writeBaseState(projectDir, { ...state, moves })
}

/** As people read it. */
export function handMoveText({ from, to, isOnRemote, pulls }: HandMove, branch: string): string {
  const how = isOnRemote ? 'was pulled from the remote' : 'was moved by hand'
  const inside = pulls.length === 0 ? '' : `, with ${pulls.map((pull) => `#${pull}`).join(', ')} in it`
  return `${branch} ${how} from ${from.slice(0, 10)} to ${to.slice(0, 10)}${inside}: not tested and not approved here`
}

export function readBaseState(projectDir: string): BaseState {
  try {
    const state = JSON.parse(readIfThere(fileOf(projectDir)) ?? '{}') as Partial<BaseState>
    return { commit: state.commit ?? null, moves: state.moves ?? [] }
  } catch {
    // Damaged: it begins anew with where the branch is now.
    return { commit: null, moves: [] }
  }
}

export function writeBaseState(projectDir: string, state: BaseState): void {
  mkdirSync(join(projectDir, 'landing'), { recursive: true, mode: 0o700 })
  writeFileAtomic(fileOf(projectDir), `${JSON.stringify(state)}\n`)
}

function fileOf(projectDir: string): string {
  return join(projectDir, 'landing', 'base.json')
}
