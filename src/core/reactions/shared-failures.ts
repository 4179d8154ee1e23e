// Failures that no single agent caused: the base branch has them too, or several sessions fail in exactly the same way.

export interface CheckFailure {
  sessionId: string
  check: string
  logTail: string
  failsOnBase: boolean
}

export interface SharedFailure {
  check: string
  sessionIds: string[]
  why: string
  /** Stable while it is the same failure, so that it is reported once. */
  fingerprint: string
}

export function findSharedFailures(failures: CheckFailure[]): SharedFailure[] {
  const groups = new Map<string, CheckFailure[]>()
  for (const failure of failures) {
    const key = failure.failsOnBase ? `${failure.check} base` : `${failure.check} ${signature(failure.logTail)}`
    groups.set(key, [...(groups.get(key) ?? []), failure])
  }
  return [...groups].flatMap(([fingerprint, group]) => {
    const [first] = group
    if (!first) return []
    const sessionIds = [...new Set(group.map(({ sessionId }) => sessionId))].sort()
    if (first.failsOnBase) return [{ check: first.check, sessionIds, why: 'the base branch fails it too', fingerprint }]
    // Without a log, two failures of one check cannot be distinguished, so each agent hears of its own.
    if (sessionIds.length < 2 || first.logTail.trim() === '') return []
    return [
      { check: first.check, sessionIds, why: `${sessionIds.length} sessions fail it in the same way`, fingerprint },
    ]
  })
}

/** The end of the log without what differs between runs: numbers, hashes, times. */
export function signature(log: string): string {
  return log
    .replace(/[0-9a-f]{7,40}/gi, '#')
    .replace(/[0-9]+/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(-600)
}
