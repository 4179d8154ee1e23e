// What the files of a train on a forge elsewhere share.
import type { ProjectConfig } from '../../contract/config.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { PullRef } from '../../contract/pull.ts'
import type { TrainEventBody } from '../../core/landing/train-state.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ForgeLanding, LandingRules, PrQuery, PrReading, Scm } from '../../slots/scm.ts'
import type { ProjectGates } from '../checks/project-gates.ts'
import type { Origin } from '../proof/write-note.ts'
import type { CarMemory } from '../train/build-cars.ts'
import type { TrainRule } from '../train/step-train.ts'
import type { TrainFile } from '../train/train-file.ts'
import type { LedgerFile } from './ledger.ts'
import type { Remote } from './remote-branches.ts'

/** A forge that is not on this machine, and that a train can run on. */
export type HostedScm = Scm &
  Required<Pick<Scm, 'landing' | 'mergePR' | 'resolvePR' | 'readPullRequests' | 'readChecks'>> & {
    landing: ForgeLanding
  }

export function canHostTrain(scm: Scm | null): scm is HostedScm {
  return scm !== null && !!scm.landing && !!scm.mergePR && !!scm.resolvePR && !!scm.readPullRequests && !!scm.readChecks
}

export interface HostedOptions {
  project: ProjectConfig
  projectDir: string
  scm: HostedScm
  remote: Remote
  rule: TrainRule
  method: MergeMethod
  /** The project has no train of its own: only what is in the forge's queue is followed. */
  onlyFollow?: boolean | undefined
  /** Pull requests of sessions that may be ready or conflict with the base branch, as far as is known. */
  candidates(): PrQuery[]
  /** With what ao itself knows about them, such as gates. */
  readPulls(queries: PrQuery[]): Promise<Map<string, PrReading>>
  /** ao's own gates, which run on cars beside the forge's CI; null: there are none. */
  gates?: Pick<ProjectGates, 'onCars' | 'read'> | null | undefined
  collide(a: number, b: number): boolean
  /** The agent of this pull request is about to be asked to rebase onto the commit: its workspace has to know it. */
  offer?(pull: number, commit: string): Promise<void>
  /** Why it does not land by itself, whatever its reviews and checks say; null: nothing is in its way. */
  held?(pull: PullRef): string | null
  /** Who wrote it, for the proof. */
  originOf?(sessionId: string): Origin | null
  /** How long the agent of one may be at its rebase before others that conflict with it are asked. */
  repairMs?: number | undefined
  clock: Clock
  signal: AbortSignal
  say(line: string): void
  onEvent?(event: TrainEventBody): void
}

/** What one process remembers between rides; everything can be found out again. */
export interface HostedMemory {
  cars: CarMemory
  rules: { value: LandingRules; until: number } | null
  /** Own checks that a head changes. */
  changedChecks: Map<string, string[]>
}

export interface HostedTrain extends HostedOptions {
  file: TrainFile
  ledger: LedgerFile
  rules: LandingRules
  memory: HostedMemory
}
