// A train that runs on this machine, over branches that the forge shares with it. A forge that has one says so by `train`.
import type { ProjectConfig } from '../contract/config.ts'
import type { LandingFailure } from '../core/reactions/pr-view.ts'
import type { Scm } from '../slots/scm.ts'
import type { Verified } from './proof/verify-commits.ts'
import type { TrainOptions, TrainOutcome } from './train/run-train.ts'
import type { ReportSource } from './train/train-report.ts'
import type { HandMove } from './watch/hand-moves.ts'
import type { RevertRequest } from './watch/open-revert.ts'
import type { WatchState } from './watch/watch-file.ts'

export interface LandedPull {
  number: number
  title: string
  url: string
  session: string | null
}

/** The base branch after something landed. */
export interface OwnBase {
  /** null: nothing can be said now. */
  watch(): Promise<WatchState | null>
  pullOf(number: number): LandedPull | null
  /** The end of the check's log on the commit. */
  logOf(commit: string, check: string): Promise<string>
  /** Throws when that cannot be done. */
  revert(request: RevertRequest): Promise<{ number: number; headSha: string; isOpen: boolean }>
}

export interface OwnTrain {
  ride(options: Omit<TrainOptions, 'forge' | 'rule' | 'method'>): Promise<TrainOutcome>
  base(options: { projectDir: string; signal: AbortSignal }): OwnBase
  /** How the base branch moved without a merge of ao, as far as nobody has heard of it. */
  handMoves(projectDir: string, now: Date): Promise<HandMove[]>
  report: ReportSource
  /** Why it left with this head; null: it did not, or for a reason that is not the agent's. */
  departure(of: { projectDir: string; pull: number; headSha: string }): LandingFailure | null
  verify(request: { directory: string; commit: string; rerun: boolean }): Promise<Verified>
}

export interface TrainScm extends Scm {
  train(project: ProjectConfig): OwnTrain
}

export function hasOwnTrain(scm: Scm | null): scm is TrainScm {
  return scm !== null && 'train' in scm
}
