// Refs that nobody but `ao disk` removes: saved work, which histories name, and proofs, which the train's file names. Both are also
// compared with what was there at the last verification. What is gone is named with what still brings it back.
import { quoteForShell } from '../../../core/text/command-line.ts'
import { gitOn, type Repository, tryGitOn } from '../../../git/repository.ts'
import { PROOF_REF } from '../../../landing/proof/write-note.ts'
import { openTrainFile } from '../../../landing/train/train-file.ts'
import { systemClock } from '../../../lib/clock.ts'
import type { ProjectPaths } from '../../../store/paths.ts'
import { listHistories, scanHistory } from '../../../store/session/history.ts'
import type { Finding } from '../../print/findings.ts'
import type { Ledger } from './ledger.ts'

/** A repository, and the projects of the configuration that have it. */
export interface KeptIn {
  path: string
  repository: Repository
  projects: readonly ProjectPaths[]
  ledger: Ledger
}

/** By ref: the commit that it is to name; null: it was removed to keep the disk within its limits. */
type Expected = Map<string, string | null>

export async function goneRescues(kept: KeptIn): Promise<Finding[]> {
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/ao/rescue/']
  const there = new Map(pairsIn(await gitOn(kept.repository, args, { read: true })))
  const findings: Finding[] = []
  for (const [ref, commit] of missing(kept, { kind: RESCUE, there, expected: expectedRescues(kept.projects) })) {
    const now = there.get(ref)
    const what = now === undefined ? 'is gone' : `names ${now}`
    const detail = `${ref} of ${kept.path} ${what}; it named ${commit}`
    // Another commit that has its name by now keeps it.
    const fix = await wayBack(kept, commit, now === undefined ? ref : freeRef(ref, there))
    findings.push({ level: 'fail', name: `saved work of ${ref.split('/')[3] ?? ''}`, detail, fix })
  }
  return findings
}

const RESCUE = 'refs/ao/rescue/'

function freeRef(ref: string, there: ReadonlyMap<string, string>): string {
  const session = ref.slice(0, ref.lastIndexOf('/') + 1)
  const numbers = [...there.keys()]
    .filter((one) => one.startsWith(session))
    .map((one) => Number(one.slice(session.length)))
  return `${session}${Math.max(...numbers) + 1}`
}

export async function goneProofs(kept: KeptIn): Promise<Finding[]> {
  const { ok, stdout } = await tryGitOn(kept.repository, ['notes', `--ref=${PROOF_REF}`, 'list'], { read: true })
  const there = new Map(pairsIn(ok ? stdout : '').map(([note, commit]) => [proofOf(commit), note]))
  const findings: Finding[] = []
  for (const [name, note] of missing(kept, { kind: PROOF, there, expected: new Map() }))
    findings.push(await goneProof(kept, name.slice(PROOF.length), note))
  const named = new Set(findings.map(({ name }) => name))
  for (const commit of kept.projects.flatMap(landedBy)) {
    if (there.has(proofOf(commit)) || named.has(nameOf(commit)) || !(await hasObject(kept, commit))) continue
    findings.push(await goneProof(kept, commit, null))
  }
  return findings
}

const PROOF = 'proof of '
const proofOf = (commit: string) => `${PROOF}${commit}`
const nameOf = (commit: string) => proofOf(commit.slice(0, 10))

async function goneProof(kept: KeptIn, commit: string, note: string | null): Promise<Finding> {
  const at = `git -C ${quoteForShell(kept.path)}`
  const again = `The checks can be run again on it: ao verify ${commit} --rerun`
  const isThere = note !== null && (await hasObject(kept, note))
  const fix = isThere ? `Bring it back: ${at} notes --ref=${PROOF_REF} add -C ${note} ${commit}` : again
  const when = note === null ? 'the train landed it with one' : `it was there at ${kept.ledger.at}`
  return { level: 'fail', name: nameOf(commit), detail: `${commit} has no proof in ${kept.path}; ${when}`, fix }
}

interface Named {
  /** How the names of this kind of thing begin. */
  kind: string
  there: ReadonlyMap<string, string>
  expected: Expected
}

/** What should be there and is not, as it was: of the histories, and of the last verification, which does not forget it. */
function missing({ repository, ledger }: KeptIn, { kind, there, expected }: Named): Map<string, string> {
  const gone = new Map<string, string>()
  const prefix = `${repository.commonDir}#`
  for (const [name, id] of expected) if (id !== null && there.get(name) !== id) gone.set(name, id)
  for (const [name, id] of there) {
    const seal = { file: id, bytes: 0, sha256: id }
    ledger.compare(`${prefix}${name}`, 'replaced', seal, () => null)
  }
  for (const key of ledger.unseen().filter((one) => one.startsWith(`${prefix}${kind}`))) {
    const name = key.slice(prefix.length)
    const before = ledger.before(key)?.sha256
    if (before === undefined || expected.get(name) === null) continue
    ledger.keep(key)
    if (!gone.has(name)) gone.set(name, before)
  }
  return gone
}

function expectedRescues(projects: readonly ProjectPaths[]): Expected {
  const expected: Expected = new Map()
  for (const paths of projects) {
    for (const id of listHistories(paths)) {
      scanHistory(paths, id, { from: 0, types: RESCUES }, (event) => {
        // What happened elsewhere has the refs of elsewhere.
        if (event.type === 'session.imported') forget(expected, id)
        // Whoever can write the history can write anything there.
        const { ref, commit, detail } = event as Partial<Record<'ref' | 'commit' | 'detail', unknown>>
        if (event.type === 'workspace.rescued' && typeof ref === 'string' && isOwn(ref, id) && isObjectName(commit))
          expected.set(ref, commit)
        if (event.type === 'data.dropped' && event.what === 'rescue' && typeof detail === 'string')
          expected.set(detail.split(' ', 1)[0]!, null)
      })
    }
  }
  return expected
}

const RESCUES: ReadonlySet<string> = new Set(['workspace.rescued', 'data.dropped', 'session.imported'])

function isOwn(ref: string, id: string): boolean {
  return ref.startsWith(`refs/ao/rescue/${id}/`)
}

function forget(expected: Expected, id: string): void {
  for (const ref of expected.keys()) if (isOwn(ref, id)) expected.delete(ref)
}

/** The train writes the proof before it says that something landed. */
function landedBy({ dir }: ProjectPaths): string[] {
  try {
    const events = openTrainFile({ projectDir: dir, clock: systemClock }).events()
    return events.flatMap((event) => (event.type === 'landed' && isObjectName(event.commit) ? [event.commit] : []))
  } catch {
    // A damaged file of the train is another finding.
    return []
  }
}

/** It is looked up, and printed in commands. */
function isObjectName(value: unknown): value is string {
  return typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value)
}

async function wayBack({ path, repository }: KeptIn, commit: string, ref: string): Promise<string> {
  const { ok: isWhole } = await tryGitOn(repository, ['rev-list', '--objects', '--quiet', commit], { read: true })
  if (!isWhole) return `Not all of it is in ${path} any longer: bring it back from a copy of that directory`
  return `The commit is still there, until git removes what no ref names: git -C ${quoteForShell(path)} update-ref ${quoteForShell(ref)} ${commit}`
}

async function hasObject({ repository }: KeptIn, id: string): Promise<boolean> {
  return (await tryGitOn(repository, ['cat-file', '-e', id], { read: true })).ok
}

/** Of lines `key value`. */
function pairsIn(lines: string): Array<[key: string, value: string]> {
  return [...lines.matchAll(/^(\S+) (\S+)$/gm)].map(([, key, value]) => [key!, value!])
}
