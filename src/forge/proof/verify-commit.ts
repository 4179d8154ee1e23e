// Computes again what the notes of landed commits claim. Reads only, except for `rerun`, which runs the checks anew.
import { foundText, judgeProof, type Proof, readProof } from '../../core/landing/judge-proof.ts'
import { mergeBase } from '../../git/merge-memory.ts'
import { gitOn, hasCommit, tryGitOn } from '../../git/repository.ts'
import type { Verified } from '../../landing/proof/landed-commits.ts'
import { runAgain } from '../../landing/proof/run-again.ts'
import { readSignature, splitNote } from '../../landing/proof/sign-note.ts'
import { PROOF_REF } from '../../landing/proof/write-note.ts'
import { firstParent, treeOf } from '../../landing/train/build-cars.ts'
import { requireTrust } from '../create-forge.ts'
import { earlierStarts } from '../pulls/observe-pulls.ts'
import { isAbout } from '../pulls/pull-view.ts'
import type { LocalForge } from '../types.ts'
import { changedChecksOf } from './changed-checks.ts'
import { readTestedTree } from './tested-tree.ts'

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
    landedAs: pull?.mergeCommit ?? null,
    tree,
    signature: signed ? await readSignature(repository, signed) : { kind: 'none' },
    mustSign: forge.project.landing?.sign === true,
    configured: forge.options.ci.map(({ name }) => name),
    logOf: (name) => tested.get(name)?.log ?? null,
    foundBy: (name) => foundText(tested.get(name)?.record?.finding) ?? null,
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
