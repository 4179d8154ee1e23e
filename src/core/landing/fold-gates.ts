// What a forge says about a pull request, together with the gates that ao runs itself: mergeable is what passes both. Pure.

type CheckStatus = 'pending' | 'running' | 'passed' | 'failed' | 'skipped'
type Ci = 'passing' | 'failing' | 'pending' | 'none'

export function foldGates<C extends { status: CheckStatus }, S extends { ci: Ci; checks: C[] }>(
  snapshot: S,
  gates: readonly C[],
): S {
  if (gates.length === 0) return snapshot
  return { ...snapshot, checks: [...snapshot.checks, ...gates], ci: together(snapshot.ci, gates) }
}

function together(ci: Ci, gates: ReadonlyArray<{ status: CheckStatus }>): Ci {
  if (ci === 'failing' || gates.some(({ status }) => status === 'failed')) return 'failing'
  if (ci === 'pending' || gates.some(({ status }) => status !== 'passed')) return 'pending'
  return 'passing'
}
