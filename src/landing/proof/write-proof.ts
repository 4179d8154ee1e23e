// The proof of a landed commit, as a git note: what was tested, how it ended, who approved it, who wrote it.

import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { Proof } from '../../core/landing/judge-proof.ts'
import { mergeBase } from '../../forge/merge/merge-memory.ts'
import { earlierStarts } from '../../forge/pulls/observe-pulls.ts'
import { isAbout } from '../../forge/pulls/review-decision.ts'
import type { LocalForge } from '../../forge/types.ts'
import { gitOn, type Repository } from '../../git/repository.ts'
import { changedChecksOf } from '../read-changed-checks.ts'
import { firstParent, treeOf } from '../train/build-cars.ts'
import { signText } from './sign-note.ts'
import { readTestedTree } from './tested-tree.ts'

export const PROOF_REF = 'ao/proof'

/** Who wrote it, from the session's record. */
export type Origin = Pick<Proof, 'agent' | 'model' | 'costUsd' | 'issue'>

export interface ProofRequest {
  directory: string
  pull: number
  headSha: string
  commit: string
  originOf(sessionId: string): Origin | null
}

const IDENTITY = ['-c', 'user.name=ao', '-c', 'user.email=ao@localhost']

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
      return { name, run, status: record?.status ?? 'unknown', log }
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
  }
  return writeNote(forge.repository(), forge.project, commit, proof)
}

/** Returns why it is not signed although it should be. */
export async function writeNote(
  repository: Repository,
  project: Pick<ProjectConfig, 'landing'>,
  commit: string,
  proof: Proof,
): Promise<string | null> {
  const args = [...IDENTITY, 'notes', `--ref=${PROOF_REF}`, 'add', '--force', '-F', '-', commit]
  const text = `${JSON.stringify(proof, null, 2)}\n`
  const { note, problem } = await sign(repository, project, text)
  await gitOn(repository, args, { input: note })
  return problem
}

/** A landed commit stays landed: a key that cannot be used leaves the note unsigned, and `ao verify` says so. */
async function sign(
  repository: Repository,
  { landing }: Pick<ProjectConfig, 'landing'>,
  text: string,
): Promise<{ note: string; problem: string | null }> {
  if (landing?.sign !== true) return { note: text, problem: null }
  try {
    return { note: await signText(repository, text), problem: null }
  } catch (error) {
    return { note: text, problem: errorText(error) }
  }
}
