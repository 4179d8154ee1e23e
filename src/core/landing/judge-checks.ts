// What a forge's checks on a car amount to. Pure.

export interface CarCheck {
  name: string
  status: 'pending' | 'running' | 'passed' | 'failed' | 'skipped'
}

export interface Verdict {
  state: 'passed' | 'running' | 'failed'
  /** failed: the first one that did. */
  check: string | null
  /** Checks that have to pass and that the forge has not even started. */
  missing: string[]
}

/** `only`: the others decide nothing, because the configuration names those that do. */
export function judgeChecks(
  checks: readonly CarCheck[],
  required: readonly string[],
  { only = false }: { only?: boolean } = {},
): Verdict {
  const counted = only ? checks.filter(({ name }) => required.includes(name)) : checks
  const missing = required.filter((name) => !counted.some((check) => check.name === name))
  const failed = counted.find(({ status }) => status === 'failed')
  if (failed) return { state: 'failed', check: failed.name, missing }
  const isFinished = counted.every(({ status }) => status === 'passed' || status === 'skipped')
  return { state: isFinished && missing.length === 0 ? 'passed' : 'running', check: null, missing }
}

/** Those that passed only on their second run. */
export function flakyOf(checks: ReadonlyArray<{ name: string; isFlaky?: true | undefined }>): string[] {
  return checks.flatMap(({ name, isFlaky }) => (isFlaky ? [name] : []))
}

/** What has to pass on a car: what the configuration names, or else everything that passed on the pull request's own head. */
export function requiredChecks(
  head: readonly (CarCheck & { id: string })[],
  configured: readonly string[] | undefined,
): string[] {
  if (configured !== undefined && configured.length > 0) return [...new Set(configured)]
  // the forge knows nothing of ao's own gates.
  const ofForge = head.filter(({ id, status }) => status === 'passed' && !id.startsWith('gate:'))
  return [...new Set(ofForge.map(({ name }) => name))]
}
