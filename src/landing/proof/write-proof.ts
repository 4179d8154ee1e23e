// The proof of a landed commit, as a git note: what was tested, how it ended, who approved it, who wrote it.
import type { Proof } from '../../core/landing/judge-proof.ts'
import type { LocalForge } from '../../forge/types.ts'
import { gitOn } from '../../git/repository.ts'
import { treeOf } from '../train/build-cars.ts'
import { readTestedTree } from './tested-tree.ts'

export const PROOF_REF = 'ao/proof'

/** Who wrote it, from the session's record. */
export type Origin = Pick<Proof, 'agent' | 'costUsd' | 'issue'>

export interface ProofRequest {
  directory: string
  pull: number
  headSha: string
  commit: string
  originOf(sessionId: string): Origin | null
}

const IDENTITY = ['-c', 'user.name=ao', '-c', 'user.email=ao@localhost']

/** Written again it is the same note: a process that died in between leaves nothing half-done. */
export async function writeProof(forge: LocalForge, request: ProofRequest): Promise<void> {
  const { directory, pull: number, headSha, commit } = request
  const pull = forge.pulls.read(number)
  const tree = await treeOf(forge, commit)
  const head = (await treeOf(forge, headSha)) === tree ? headSha : null
  const tested = readTestedTree(forge, { directory, tree, head, reviewed: headSha })
  const origin = pull?.session ? request.originOf(pull.session) : null
  const proof: Proof = {
    version: 1,
    tree,
    pull: number,
    head: headSha,
    checks: forge.options.ci.map(({ name, run }) => {
      const { record = null, log = null } = tested.get(name) ?? {}
      return { name, run, status: record?.status ?? 'unknown', log }
    }),
    approvals: (pull?.reviews ?? [])
      .filter(({ state, commit }) => state === 'approved' && commit === headSha)
      .map(({ author, commit, submittedAt }) => ({ by: author, commit, at: submittedAt })),
    session: pull?.session ?? null,
    agent: origin?.agent ?? null,
    costUsd: origin?.costUsd ?? null,
    issue: origin?.issue ?? null,
  }
  const args = [...IDENTITY, 'notes', `--ref=${PROOF_REF}`, 'add', '--force', '-F', '-', commit]
  await gitOn(forge.repository(), args, { input: `${JSON.stringify(proof, null, 2)}\n` })
}
