// When a project's tick runs: immediately after a reported change, and periodically in any case. Ticks of one project never
// overlap; what arrives during one is handled by the next.
import { errorText } from '../../contract/errors.ts'

export interface Round {
  /** Sessions that changed; null: all of them. */
  only: ReadonlySet<string> | null
  askForge: boolean
  /** The safety net: everything, screens included. */
  isPoll: boolean
}

/** A reason for a tick. */
export type Trigger = { session: string } | { forge: true } | { poll: true }

export interface ProjectRounds {
  trigger(reason: Trigger): void
  /** Resolves after the next tick that starts from now on, or when there will be none. */
  next(): Promise<void>
  /** Resolves when the current tick is over; none starts after it. */
  stop(): Promise<void>
}

/** Long enough for a few writes that belong together, short enough to feel immediate. */
const LOCAL_DELAY_MS = 15
/** git and CI write several files for one change. */
const FORGE_DELAY_MS = 150

export function createProjectRounds(run: (round: Round) => Promise<void>, fail: (why: string) => void): ProjectRounds {
  const sessions = new Set<string>()
  let wantsForge = false
  let wantsPoll = false
  let isStopped = false
  let timer: NodeJS.Timeout | null = null
  let due = Number.POSITIVE_INFINITY
  let running: Promise<void> | null = null
  let waiting: Array<() => void> = []

  function schedule(delayMs: number): void {
    const at = performance.now() + delayMs
    if (isStopped || running || (timer !== null && due <= at)) return
    if (timer !== null) clearTimeout(timer)
    due = at
    timer = setTimeout(begin, delayMs)
  }

  function begin(): void {
    timer = null
    const round = takeRound()
    const waited = waiting
    waiting = []
    running = run(round)
      .catch((error) => fail(errorText(error)))
      .finally(() => {
        running = null
        for (const resolve of waited) resolve()
        if (wantsPoll || sessions.size > 0) schedule(0)
        else if (wantsForge) schedule(FORGE_DELAY_MS)
      })
  }

  function takeRound(): Round {
    const isWhole = wantsPoll || wantsForge
    const round = { only: isWhole ? null : new Set(sessions), askForge: isWhole, isPoll: wantsPoll }
    sessions.clear()
    wantsForge = false
    wantsPoll = false
    return round
  }

  return {
    trigger(reason) {
      if ('session' in reason) sessions.add(reason.session)
      if ('forge' in reason) wantsForge = true
      if ('poll' in reason) wantsPoll = true
      schedule('forge' in reason ? FORGE_DELAY_MS : LOCAL_DELAY_MS)
    },
    next() {
      if (isStopped) return Promise.resolve()
      return new Promise((resolve) => {
        waiting.push(resolve)
      })
    },
    async stop() {
      isStopped = true
      if (timer !== null) clearTimeout(timer)
      for (const resolve of waiting.splice(0)) resolve()
      await running
    },
  }
}
