// What is proven about a landed commit, and what is not. Pure: the note and what was computed again go in; findings come out.

export interface ProvenCheck {
  name: string
  run: string
  status: string
  /** Of its log, sha256. */
  log: string | null
  /** It ran on a forge, on this commit, whose tree is the one that landed. */
  on?: string | undefined
  /** What it found out about the change, in words. */
  found?: string | undefined
}

/** The note on a commit that the train landed. */
export interface Proof {
  version: 1
  /** What was tested. */
  tree: string
  pull: number
  /** The head that was reviewed. */
  head: string
  /** Where the change that was reviewed and judged starts. Older notes lack it. */
  from?: string | undefined
  checks: ProvenCheck[]
  approvals: Array<{ by: string; commit: string; at: string }>
  session: string | null
  agent: string | null
  costUsd: number | null
  issue: string | null
  /** Since the second release of this note; older ones lack them. */
  commit?: string | undefined
  model?: string | null | undefined
  /** Tests, CI configuration and files of gates that it changed. */
  changedChecks?: string[] | undefined
  /** What the rules for conflicts did before it was tested, a line for each file; absent: nothing. */
  resolved?: string[] | undefined
  /** Checks that failed with it and passed on their second run; absent: none. */
  flaky?: string[] | undefined
}

/** What the signature of a note amounts to. `broken`: the text is not the one that was signed. */
export type Signature =
  | { kind: 'none' }
  | { kind: 'good'; by: string; key: string }
  | { kind: 'stranger'; key: string }
  | { kind: 'broken' }
  | { kind: 'unknown'; why: string }

export interface Finding {
  what: string
  proven: boolean
  why: string
}

export interface ProofFacts {
  /** null: there is no note, or it cannot be read. */
  proof: Proof | null
  commit: string
  /** As which commit the pull request landed, by its own record; null: no record says so. */
  landedAs: string | null
  /** The commit's tree, computed again. */
  tree: string
  signature: Signature
  /** Notes are to be signed. */
  mustSign: boolean
  /** Names of the checks that the configuration has now. */
  configured: readonly string[]
  /** The hash of a check's log as it is on disk now; null: it is gone. */
  logOf(name: string): string | null
  /** The command of a check as it was recorded when it ran; null or absent: no record is here. */
  runOf?(name: string): string | null
  /** What a check is recorded to have found out about the change; null or absent: no record is here, or nothing. */
  foundBy?(name: string): string | null
  /** Own checks that the commit changed, computed again; null or absent: that is not possible here. */
  changedChecks?: readonly string[] | null
  /** Where its change starts, computed again. */
  from?: string | null
  /** Of a check that ran on a forge: does it still say so? null: it no longer knows the commit. */
  forgeSays?(check: ProvenCheck): boolean | null
  /** Does the pull request's own record show this approval? null: there is no such record. */
  isRecorded(approval: Proof['approvals'][number]): boolean | null
}

export function judgeProof(facts: ProofFacts): Finding[] {
  const { proof, tree, configured, logOf, isRecorded } = facts
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
    ...ofSignature(facts),
    ...ofCommit(facts, proof),
    ofTree,
    ...proof.checks.map((check) =>
      check.on === undefined
        ? ofCheck(check, {
            log: logOf(check.name),
            run: facts.runOf?.(check.name) ?? null,
            found: facts.foundBy?.(check.name) ?? null,
          })
        : ofForge(check, facts.forgeSays?.(check) ?? null),
    ),
    ...missing,
    ...ofChange(facts, proof),
    ...ofRules(proof, isSame),
    ...(proof.flaky ?? []).map((name) => ({
      what: `check ${name}`,
      proven: isSame,
      why: 'it failed first, and passed on its second run',
    })),
    ofApproval(proof, isRecorded),
  ]
}

/** Anybody can write a note on any commit: that the pull request became this one is for its own record to say. */
function ofCommit({ commit, landedAs }: ProofFacts, proof: Proof): Finding[] {
  const what = 'commit'
  if (proof.commit !== undefined && proof.commit !== commit)
    return [{ what, proven: false, why: `the note was written for ${proof.commit.slice(0, 10)}` }]
  if (landedAs === commit) return []
  const actual = landedAs === null ? 'no record shows that it did' : `it landed as ${landedAs.slice(0, 10)}`
  return [{ what, proven: false, why: `the note says that #${proof.pull} landed as this commit, but ${actual}` }]
}

function ofSignature({ signature, mustSign }: ProofFacts): Finding[] {
  const what = 'signature'
  switch (signature.kind) {
    case 'none':
      return mustSign ? [{ what, proven: false, why: 'the note is not signed' }] : []
    case 'good':
      return [{ what, proven: true, why: `the note was signed by ${signature.by} (${signature.key})` }]
    case 'stranger':
      return [{ what, proven: false, why: `it was signed with ${signature.key}, which is not a key that you trust` }]
    case 'broken':
      return [{ what, proven: false, why: 'the note is not the text that was signed: it was changed afterwards' }]
    case 'unknown':
      return [{ what, proven: false, why: signature.why }]
  }
}

function ofForge(check: ProvenCheck, verdict: boolean | null): Finding {
  const what = `check ${check.name}`
  const on = String(check.on).slice(0, 10)
  if (check.status !== 'passed') return { what, proven: false, why: `it ended as ${check.status}` }
  if (verdict === null)
    return { what, proven: false, why: `it passed, says the note, but the forge has no result on ${on}` }
  return verdict
    ? { what, proven: true, why: `the forge says that it passed on ${on}, which has this tree` }
    : { what, proven: false, why: `the forge says that it did not pass on ${on}` }
}

/** What the note says about the change itself; nothing when it is true. */
function ofChange({ changedChecks = null, from = null }: ProofFacts, proof: Proof): Finding[] {
  const found: Finding[] = []
  if (from !== null && proof.from !== undefined && proof.from !== from) {
    const why = `the note says that its change starts at ${proof.from.slice(0, 10)}, but it starts at ${from.slice(0, 10)}`
    found.push({ what: 'change', proven: false, why })
  }
  const [claimed, actual] = [proof.changedChecks ?? [], changedChecks ?? []].map((list) => [...list].sort().join(', '))
  if (changedChecks !== null && proof.changedChecks !== undefined && claimed !== actual) {
    const why = `the note names ${claimed || 'none'}, but it changes ${actual || 'none'}`
    found.push({ what: 'changed checks', proven: false, why })
  }
  return found
}

/** The tree is the one that was tested, whoever wrote the files; that rules changed them is to be known. */
function ofRules({ resolved = [] }: Proof, isTested: boolean): Finding[] {
  return resolved.map((done) => ({
    what: 'conflict',
    proven: isTested,
    why: `solved by a rule before the tests: ${done}`,
  }))
}

interface RecordedCheck {
  log: string | null
  run: string | null
  found: string | null
}

function ofCheck({ name, run, status, log, found }: ProvenCheck, recorded: RecordedCheck): Finding {
  const what = `check ${name}`
  if (status !== 'passed') return { what, proven: false, why: `it ended as ${status}` }
  if (log === null || recorded.log === null)
    return { what, proven: false, why: 'it passed, says the note, but its log is gone' }
  if (recorded.run !== null && recorded.run !== run)
    return { what, proven: false, why: `the note says that it ran ${run}, but its record says ${recorded.run}` }
  if (found !== undefined && recorded.found !== null && recorded.found !== found)
    return { what, proven: false, why: `the note says "${found}", but its record says "${recorded.found}"` }
  return log === recorded.log
    ? { what, proven: true, why: `it passed, and its log is the one that the note names${found ? ` (${found})` : ''}` }
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

/** As a note and a list of checks have it. */
export function foundText(finding: { verdict: string; text: string } | undefined): string | undefined {
  return finding && `${finding.verdict}: ${finding.text}`
}

const OBJECT_ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/

export function readProof(text: string): Proof | null {
  try {
    const proof = JSON.parse(text) as Partial<Proof>
    const areLists = isListOf(proof.checks, ['name', 'status']) && isListOf(proof.approvals, ['by', 'commit'])
    const isNumbered = Number.isSafeInteger(proof.pull) && proof.pull! > 0
    const areIds = [proof.tree, proof.head].every((id) => typeof id === 'string' && OBJECT_ID.test(id))
    const isProof =
      proof.version === 1 && areIds && areLists && isNumbered && isIdOrNone(proof.commit) && isIdOrNone(proof.from)
    if (!isProof) return null
    return { ...(proof as Proof), changedChecks: textsOf(proof.changedChecks), resolved: textsOf(proof.resolved) }
  } catch {
    // Somebody else's note.
    return null
  }
}

function isIdOrNone(id: unknown): boolean {
  return id === undefined || (typeof id === 'string' && OBJECT_ID.test(id))
}

/** Of objects in which these are texts. */
function isListOf(list: unknown, texts: readonly string[]): boolean {
  return Array.isArray(list) && list.every((one) => texts.every((key) => typeof one?.[key] === 'string'))
}

function textsOf(list: unknown): string[] {
  return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : []
}
