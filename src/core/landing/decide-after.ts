// What happens after a landing, and when it is tried again: each step once for each landed commit. A step that was killed midway may have
// done its work or not, and only a person knows, unless it says itself that it may be repeated. Pure.

export interface AfterStep {
  name: string
  run: string
  timeout?: number | undefined
  /** It does no harm when it is repeated. */
  retry?: boolean | undefined
}

export interface StepRun {
  /** running: written before it starts. failed: it ended badly and is tried again. interrupted, gave-up: a person decides. */
  state: 'running' | 'done' | 'failed' | 'interrupted' | 'gave-up'
  attempts: number
  /** ISO 8601: its last change. */
  at: string
  why?: string | undefined
}

export interface Landing {
  commit: string
  /** null: it was pushed. */
  pull: number | null
  at: string
  /** By name. */
  steps: Record<string, StepRun>
}

export interface AfterState {
  /** ISO 8601: what landed by then has no steps. */
  since: string
  /** The base branch on its forge when it was last read, where landings are found by its commits. */
  tip?: string | undefined
  /** Oldest first. */
  landings: Landing[]
}

const MOST_LANDINGS = 100
export const MOST_ATTEMPTS = 5
const FIRST_RETRY_MS = 60_000

/** With those that are new. What is forgotten is never taken for new again. */
export function withLandings(state: AfterState, found: ReadonlyArray<Omit<Landing, 'steps'>>): AfterState {
  const fresh = found.filter(
    ({ commit, at }) => at > state.since && !state.landings.some((one) => one.commit === commit),
  )
  if (fresh.length === 0) return state
  const all = [...state.landings, ...fresh.map((one) => ({ ...one, steps: {} }))]
  const forgotten = all.slice(0, -MOST_LANDINGS)
  const since = [state.since, ...forgotten.map(({ at }) => at)].sort().at(-1)!
  return { ...state, since, landings: all.slice(-MOST_LANDINGS) }
}

export type AfterDecision =
  | { act: 'none' }
  | { act: 'run'; commit: string; step: AfterStep; attempt: number }
  /** How far it came is unknown. */
  | { act: 'ask'; commit: string; step: AfterStep; run: StepRun }

/** Asked by whoever alone may run steps: one that seems to run was killed. Steps of one landing run in order; landings do not wait for each other. */
export function decideAfter(state: AfterState, steps: readonly AfterStep[], now: number): AfterDecision {
  for (const { commit, steps: runs } of state.landings) {
    const step = steps.find(({ name }) => runs[name]?.state !== 'done')
    if (!step) continue
    const run = Object.hasOwn(runs, step.name) ? runs[step.name]! : null
    if (run === null) return { act: 'run', commit, step, attempt: 1 }
    const next = { act: 'run', commit, step, attempt: run.attempts + 1 } as const
    if (run.state === 'running') {
      if (step.retry && run.attempts < MOST_ATTEMPTS) return next
      return { act: 'ask', commit, step, run }
    }
    if (run.state === 'failed' && now >= retryAt(run)) return next
  }
  return { act: 'none' }
}

function retryAt({ at, attempts }: StepRun): number {
  return Date.parse(at) + FIRST_RETRY_MS * 4 ** (attempts - 1)
}

export function afterEnd(end: { ok: boolean; why: string }, attempt: number, at: string): StepRun {
  if (end.ok) return { state: 'done', attempts: attempt, at, why: end.why }
  return { state: attempt < MOST_ATTEMPTS ? 'failed' : 'gave-up', attempts: attempt, at, why: end.why }
}
