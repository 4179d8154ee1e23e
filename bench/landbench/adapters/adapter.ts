// What the bench asks of an orchestrator. CONTRACT.md says it in words.
import type { State } from '../log.ts'
import type { Feature, Workload } from '../workload.ts'

export interface Day {
  /** Everything of this run; the only directory that an adapter may write to. */
  directory: string
  repo: string
  workloadPath: string
  workload: Workload
  /** Seconds that the person takes for an answer. */
  personSeconds: number
  /** The disk of the orchestrator will be full: its files need one of their own. */
  needsSmallDisk: boolean
  /** false: sessions are weighed at rest, where nothing is left of checks but the minutes until all have run, one by one. */
  hasChecks: boolean
  options: Readonly<Record<string, string>>
}

export type Strike = 'loop' | 'machine' | 'disk'

export interface Pull {
  feature: string
  head: string
  /** Green by CI, and not approved yet. */
  needsReview: boolean
}

export interface Shown {
  feature: string
  state: State
  /** The orchestrator's own word. */
  shows: string
}

export interface Orchestrator {
  /** How its agents publish; null: nobody but the adapter itself moves work. */
  publish: Workload['publish']
  start(): Promise<void>
  /** Starts the agent of one change. Returns when it was started, not when it is done. */
  begin(feature: Feature): Promise<void>
  pulls(): Promise<Pull[]>
  approve(pull: Pull): Promise<void>
  /** Nothing lands while it is held, if it can be. */
  hold?(isHeld: boolean): Promise<void>
  states(): Promise<Shown[]>
  /** Is true when the orchestrator took the message on. */
  send(feature: string, text: string): Promise<boolean>
  /** kill -9 of its own process, or of everything including agents, and a new start; or its disk is full for ten seconds. */
  strike(how: Strike): Promise<void>
  /** Nothing of it is running afterwards. */
  stop(): Promise<void>
  /** CPU seconds and memory of its own processes, without agents. */
  weigh(): { cpuSeconds: number; rssMb: number; requests: number }
}

/** One that does the whole day by itself, such as a person with git. */
export interface Hand {
  work(): Promise<void>
}

export type Adapter = (day: Day) => Orchestrator | Hand
