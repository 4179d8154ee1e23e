// The proof of a landed commit, as a git note: what was tested, how it ended, who approved it, who wrote it.

import { foundText, type Proof } from '../../core/landing/judge-proof.ts'
import { mergeBase } from '../../git/merge-memory.ts'
import { type Origin, writeNote } from '../../landing/proof/write-note.ts'
import { firstParent, treeOf } from '../../landing/train/build-cars.ts'
import { readCars } from '../../landing/train/ride-files.ts'
import { earlierStarts } from '../pulls/observe-pulls.ts'
import { isAbout } from '../pulls/pull-view.ts'
import type { LocalForge } from '../types.ts'
import { changedChecksOf } from './changed-checks.ts'
import { readTestedTree } from './tested-tree.ts'

export interface ProofRequest {
  directory: string
  pull: number
  headSha: string
  commit: string
  flaky?: string[] | undefined
  originOf(sessionId: string): Origin | null
}

/**
 * Written again it is the same note: a process that died in between leaves nothing half-done. Returns why it is not signed
 * although it should be; null: it is, or need not be.
 */
export async function writeProof(forge: LocalForge, request: ProofRequest): Promise<string | null> {
  const { directory, pull: number, headSha, commit } = request
  const pull = forge.pulls.read(number)
  const tree = await treeOf(forge, commit)
  const head = (await treeOf(forge, headSha)) === tree ? headSha : null
  const base = await firstParent(forge, commit)
  const from = (await mergeBase(forge.memory, forge.repository(), { head: headSha, base })) ?? base
  const earlier = pull === null ? undefined : await earlierStarts(forge, pull, from)
  const tested = readTestedTree(forge, { directory, tree, head, reviewed: headSha, from })
  const origin = pull?.session ? request.originOf(pull.session) : null
  const proof: Proof = {
    version: 1,
    commit,
    tree,
    pull: number,
    head: headSha,
    from,
    checks: forge.options.ci.map(({ name, run }) => {
      const { record = null, log = null } = tested.get(name) ?? {}
      return { name, run, status: record?.status ?? 'unknown', log, found: foundText(record?.finding) }
    }),
    approvals: (pull?.reviews ?? [])
      .filter((review) => review.state === 'approved' && isAbout(review, pull!, { headSha, from, earlier }))
      .map(({ author, commit, submittedAt }) => ({ by: author, commit, at: submittedAt })),
    session: pull?.session ?? null,
    agent: origin?.agent ?? null,
    model: origin?.model ?? null,
    costUsd: origin?.costUsd ?? null,
    issue: origin?.issue ?? null,
    changedChecks: await changedChecksOf(forge, { head: headSha, base }),
    resolved: readCars(directory).find((car) => car.commit === commit)?.resolved,
    flaky: request.flaky,
  }
  return writeNote(forge.repository(), forge.project, commit, proof)
}
