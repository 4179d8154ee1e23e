// Computes again what the notes of landed commits claim. Reads only, except for `rerun`, which runs the checks anew.
import { AoError } from '../../contract/errors.ts'
import { type Finding, judgeProof, type Proof, readProof } from '../../core/landing/judge-proof.ts'
import { requireTrust } from '../../forge/ci/advance-ci.ts'
import { mergeBase } from '../../forge/merge/merge-memory.ts'
import { earlierStarts } from '../../forge/pulls/observe-pulls.ts'
import { isAbout } from '../../forge/pulls/review-decision.ts'
import type { LocalForge } from '../../forge/types.ts'
import { gitOn, hasCommit, tryGitOn } from '../../git/repository.ts'
import { changedChecksOf } from '../read-changed-checks.ts'
import { firstParent, treeOf } from '../train/build-cars.ts'
import { runAgain } from './run-again.ts'
import { readSignature, splitNote } from './sign-note.ts'
import { readTestedTree } from './tested-tree.ts'
import { PROOF_REF } from './write-proof.ts'

export interface Verified {
  commit: string
  subject: string
  proof: Proof | null
  findings: Finding[]
}

const MOST_COMMITS = 500

/** A commit, or a range: then each commit on its first line of parents, newest first. */
export async function commitsOf(forge: Pick<LocalForge, 'repository'>, revision: string): Promise<string[]> {
  const args = revision.includes('..')
    ? ['rev-list', '--first-parent', `--max-count=${MOST_COMMITS}`, '--end-of-options', revision]
    : ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const result = await tryGitOn(forge.repository(), args, { read: true })
  if (!result.ok) {
    throw new AoError('USAGE', `${revision} is neither a commit nor a range of commits here`, {
      hint: 'Name one, such as main, or a range, such as main~5..main',
    })
  }
  return result.stdout.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line))
}

export async function verifyCommit(
  forge: LocalForge,
  { directory, commit, rerun }: { directory: string; commit: string; rerun: boolean },
): Promise<Verified> {
  const repository = forge.repository()
  const note = await tryGitOn(repository, ['notes', `--ref=${PROOF_REF}`, 'show', commit], { read: true })
  const signed = note.ok ? splitNote(note.stdout) : null
  const proof = signed && readProof(signed.text)
  const tree = await treeOf(forge, commit)
  const head = proof && (await headIfSame(forge, proof, tree))
  const base = proof && (await firstParent(forge, commit))
  const from = base && ((await mergeBase(forge.memory, repository, { head: proof.head, base })) ?? base)
  // Notes of older versions.
  const rulesFrom = proof?.from === undefined ? null : from
  const tested = readTestedTree(forge, { directory, tree, head, reviewed: proof?.head ?? null, from: rulesFrom })
  const pull = proof && forge.pulls.read(proof.pull)
  const change = pull && { headSha: proof.head, from, earlier: await earlierStarts(forge, pull, from) }
  const findings = judgeProof({
    proof,
    commit,
    tree,
    signature: signed ? await readSignature(repository, signed) : { kind: 'none' },
    mustSign: forge.project.landing?.sign === true,
    configured: forge.options.ci.map(({ name }) => name),
    logOf: (name) => tested.get(name)?.log ?? null,
    runOf: (name) => tested.get(name)?.record?.run ?? null,
    changedChecks: proof && base ? await changedChecksOf(forge, { head: proof.head, base }) : null,
    from,
    isRecorded: ({ by }) =>
      change && pull.reviews.some((one) => one.author === by && one.state === 'approved' && isAbout(one, pull, change)),
  })
  const { ci: commands } = forge.options
  if (rerun && commands.length > 0) requireTrust(forge)
  const again = rerun ? await runAgain({ host: forge, commands, directory, commit, tree }) : []
  const subject = (await gitOn(repository, ['log', '-1', '--format=%s', commit], { read: true })).trim()
  return { commit, subject, proof, findings: [...findings, ...again] }
}

async function headIfSame(forge: LocalForge, { head }: Proof, tree: string): Promise<string | null> {
  if (!(await hasCommit(forge.repository(), head))) return null
  return (await treeOf(forge, head)) === tree ? head : null
}
