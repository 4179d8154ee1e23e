// Computes again what the note of a commit claims that a train landed on a forge elsewhere: the forge is asked about its checks and
// approvals, and logs of gates are compared. Reads only, except for `rerun`, which runs the gates anew.
import { isCommitId } from '../../contract/blocker.ts'
import type { ProjectConfig } from '../../contract/config.ts'
import type { Check, Pull } from '../../contract/pull.ts'
import { judgeProof, readProof } from '../../core/landing/judge-proof.ts'
import { tryMerge } from '../../git/merge-trees.ts'
import { gitOn, type Repository, tryGitOn } from '../../git/repository.ts'
import { gateCommands } from '../checks/gate-commands.ts'
import type { ProjectGates } from '../checks/project-gates.ts'
import type { Verified } from '../proof/landed-commits.ts'
import { runAgain } from '../proof/run-again.ts'
import { readSignature, splitNote } from '../proof/sign-note.ts'
import { PROOF_REF } from '../proof/write-note.ts'
import { treeOf } from '../train/build-cars.ts'
import type { HostedScm } from './hosted-train.ts'

export interface HostedContext {
  project: ProjectConfig
  scm: HostedScm
  repository: Repository
  gates: Pick<ProjectGates, 'onCars'> | null
  /** Also runs the gates again, with the train's files in this directory. */
  rerun?: { directory: string } | undefined
}

const MOST_ATTEMPTS = 10

export async function verifyHosted(context: HostedContext, commit: string): Promise<Verified> {
  const { project, scm, repository, gates } = context
  const note = await tryGitOn(repository, ['notes', `--ref=${PROOF_REF}`, 'show', commit], { read: true })
  const signed = note.ok ? splitNote(note.stdout) : null
  const proof = signed && readProof(signed.text)
  const tree = await treeOf({ repository: () => repository }, commit)
  const tested = [...new Set((proof?.checks ?? []).flatMap(({ on }) => (isCommitId(on) ? [on] : [])))]
  const reported = new Map<string, Check[]>()
  // A commit with another tree says nothing about this one.
  for (const one of tested)
    if ((await treeIf(repository, one)) === tree) reported.set(one, await scm.readChecks(one, project))
  const pull = proof ? await pullOf(context, proof.pull) : null
  const findings = judgeProof({
    proof,
    commit,
    landedAs: proof && pull && (await landedAs({ repository, commit, tree }, proof.head, pull)),
    tree,
    signature: signed ? await readSignature(repository, signed) : { kind: 'none' },
    mustSign: project.landing?.sign === true,
    configured: project.landing?.checks ?? [],
    logOf: (name) => logOf(gates, tree, name),
    forgeSays({ name, on = '' }) {
      const found = reported.get(on)?.filter((check) => check.name === name) ?? []
      return found.length === 0 ? null : found.every(({ status }) => status === 'passed')
    },
    isRecorded: ({ by, commit: reviewed }) =>
      pull?.reviews.some(
        ({ author, state, commit }) => author.login === by && state === 'approved' && commit === reviewed,
      ) ?? null,
  })
  const host = { project, context: { env: repository.env }, repository: () => repository }
  const again = context.rerun
    ? await runAgain({ host, commands: gateCommands(project), ...context.rerun, commit, tree })
    : []
  const subject = (await gitOn(repository, ['log', '-1', '--format=%s', commit], { read: true })).trim()
  return { commit, subject, proof, findings: [...findings, ...again] }
}

async function treeIf(repository: Repository, commit: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{tree}`]
  const found = await tryGitOn(repository, args, { read: true })
  return found.ok ? found.stdout.trim() : null
}

function logOf(gates: HostedContext['gates'], tree: string, name: string): string | null {
  for (let attempt = MOST_ATTEMPTS; attempt > 0; attempt--) {
    const found = gates
      ?.onCars(attempt)
      ?.proven(tree)
      .find((check) => check.name === name && check.status === 'passed')
    if (found) return found.log
  }
  return null
}

async function pullOf({ scm, project }: HostedContext, pull: number) {
  const pr = await scm.resolvePR(String(pull), project)
  const reading = (await scm.readPullRequests([{ sessionId: 'verify', branch: null, pr }], project)).get('verify')
  return reading?.kind === 'read' ? reading.snapshot : null
}

/** Not every forge names the commit that was pushed, so a merge of exactly that head counts, too. */
async function landedAs(
  { repository, commit, tree }: { repository: Repository; commit: string; tree: string },
  head: string,
  { state, mergeCommit = null }: Pull,
): Promise<string | null> {
  if (state !== 'merged' || mergeCommit === commit) return state === 'merged' ? mergeCommit : null
  const merge = await tryMerge(repository, [`${commit}^1`, head])
  return merge?.isClean && merge.tree === tree ? commit : mergeCommit
}
