// A train that runs on this machine, over branches that the forge shares with it. A forge that has one says so by `train`.
import type { ProjectConfig } from '../contract/config.ts'
import type { PullRef } from '../contract/pull.ts'
import type { TrainEventBody } from '../core/landing/train-state.ts'
import type { LandingFailure } from '../core/reactions/pull-news.ts'
import type { Scm } from '../slots/scm.ts'
import type { TreeGates } from './checks/project-gates.ts'
import type { Verified } from './proof/landed-commits.ts'
import type { Origin } from './proof/write-note.ts'
import type { ReportSource } from './train/train-report.ts'
import type { HandMove } from './watch/hand-moves.ts'
import type { RevertRequest } from './watch/revert.ts'
import type { WatchState } from './watch/watch-file.ts'

/** The base branch after something landed. */
export interface OwnBase {
  /** null: nothing can be said now. */
  watch(): Promise<WatchState | null>
  pullOf(number: number): (PullRef & { number: number }) | null
  /** The end of the check's log on the commit. */
  logOf(commit: string, check: string): Promise<string>
  /** Throws when that cannot be done. */
  revert(request: RevertRequest): Promise<{ number: number; headSha: string; isOpen: boolean }>
}

/** What a train is driven with. */
export interface TrainRide {
  projectDir: string
  /** Pull requests that the radar sees in conflict. */
  collide(a: number, b: number): boolean
  /** Why it does not land by itself, whatever its reviews and checks say; null: nothing is in its way. */
  held?(pull: PullRef): string | null
  /** Who wrote it, for the proof. */
  originOf?(sessionId: string): Origin | null
  /** The agent of this pull request is about to be asked to rebase onto the commit: its workspace has to know it. */
  offer?(pull: number, commit: string): Promise<void>
  /** How long the agent of one may be at its rebase before others that conflict with it are asked. */
  repairMs?: number | undefined
  signal: AbortSignal
  say(line: string): void
  /** It is on disk. */
  onEvent?(event: TrainEventBody): void
}

/** `busy`: another process runs this train. `blocked`: why nothing can land until a person acts. */
export type TrainOutcome = { kind: 'done' } | { kind: 'busy' } | { kind: 'blocked'; why: string }

export interface OwnTrain {
  ride(options: TrainRide): Promise<TrainOutcome>
  base(options: { projectDir: string; signal: AbortSignal }): OwnBase
  /** How the base branch moved without a merge of ao, as far as nobody has heard of it. */
  handMoves(projectDir: string, now: Date): Promise<HandMove[]>
  report: ReportSource
  /** Its checks, with the results that the train reads. null: none of them is a command. */
  onTrees(projectDir: string): TreeGates | null
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
