// What is proven about a landed commit, and what is not. Pure: the note and what was computed again go in; findings come out.

/** The note on a commit that the train landed. */
export interface Proof {
  version: 1
  /** What was tested. */
  tree: string
  pull: number
  /** The head that was reviewed. */
  head: string
  checks: Array<{ name: string; run: string; status: string /** Of its log, sha256. */; log: string | null }>
  approvals: Array<{ by: string; commit: string; at: string }>
  session: string | null
  agent: string | null
  costUsd: number | null
  issue: string | null
}

export interface Finding {
  what: string
  proven: boolean
  why: string
}

export interface ProofFacts {
  /** null: there is no note, or it cannot be read. */
  proof: Proof | null
  /** The commit's tree, computed again. */
  tree: string
  /** Names of the checks that the configuration has now. */
  configured: readonly string[]
  /** The hash of a check's log as it is on disk now; null: it is gone. */
  logOf(name: string): string | null
  /** Does the pull request's own record show this approval? null: there is no such record. */
  isRecorded(approval: Proof['approvals'][number]): boolean | null
}

export function judgeProof({ proof, tree, configured, logOf, isRecorded }: ProofFacts): Finding[] {
  if (proof === null) return [{ what: 'proof', proven: false, why: 'it has no note: the train did not land it' }]
  const isSame = proof.tree === tree
  const ofTree: Finding = {
    what: 'tree',
    proven: isSame,
    why: isSame ? 'it is the tree that was tested' : `the note is about the tree ${proof.tree.slice(0, 10)}`,
  }
  const missing = configured
    .filter((name) => !proof.checks.some((check) => check.name === name))
    .map(
      (name): Finding => ({ what: `check ${name}`, proven: false, why: 'it is configured now and was not run then' }),
    )
  return [
    ofTree,
    ...proof.checks.map((check) => ofCheck(check, logOf(check.name))),
    ...missing,
    ofApproval(proof, isRecorded),
  ]
}

function ofCheck({ name, status, log }: Proof['checks'][number], now: string | null): Finding {
  const what = `check ${name}`
  if (status !== 'passed') return { what, proven: false, why: `it ended as ${status}` }
  if (log === null || now === null) return { what, proven: false, why: 'it passed, says the note, but its log is gone' }
  return log === now
    ? { what, proven: true, why: 'it passed, and its log is the one that the note names' }
    : { what, proven: false, why: 'its log is not the one that the note names' }
}

function ofApproval({ head, approvals }: Proof, isRecorded: ProofFacts['isRecorded']): Finding {
  const what = 'approval'
  const given = approvals.filter(({ commit }) => commit === head)
  if (given.length === 0) return { what, proven: false, why: `nobody approved ${head.slice(0, 10)}` }
  const recorded = given.filter((approval) => isRecorded(approval))
  const names = (list: typeof given) => list.map(({ by }) => by).join(', ')
  if (recorded.length === 0)
    return { what, proven: false, why: `the note names ${names(given)}, but no record shows it` }
  return { what, proven: true, why: `${names(recorded)} approved ${head.slice(0, 10)}` }
}

const OBJECT_ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/

export function readProof(text: string): Proof | null {
  try {
    const proof = JSON.parse(text) as Partial<Proof>
    const areLists = Array.isArray(proof.checks) && Array.isArray(proof.approvals)
    const areIds = [proof.tree, proof.head].every((id) => typeof id === 'string' && OBJECT_ID.test(id))
    const isProof = proof.version === 1 && areIds && areLists
    return isProof ? (proof as Proof) : null
  } catch {
    // Somebody else's note.
    return null
  }
}
