// The proof of what a train landed on a forge elsewhere, as a git note at home, and on the remote where that is configured.
import { errorText } from '../../contract/errors.ts'
import type { Pull } from '../../contract/pull.ts'
import type { Proof, ProvenCheck } from '../../core/landing/judge-proof.ts'
import type { TrainEventBody } from '../../core/landing/train-state.ts'
import { gitOn, tryGitOn } from '../../git/repository.ts'
import { PROOF_REF, writeNote } from '../proof/write-note.ts'
import { treeOf } from '../train/build-cars.ts'
import type { HostedTrain } from './hosted-train.ts'

const NOTES = `refs/notes/${PROOF_REF}`
const THERE = `${NOTES}-there`
const NETWORK_MS = 60_000

type LandedEvent = Extract<TrainEventBody, { type: 'landed' }>

/** A pull request that was merged untested has no proof. A missing note is reported by `ao verify`; the landing stands. */
export async function proveHosted(
  train: HostedTrain,
  { pull, headSha, commit, untested }: LandedEvent,
  { snapshot, changedChecks }: { snapshot: Pull | undefined; changedChecks: string[] },
): Promise<void> {
  const { remote, project, say } = train
  try {
    const tree = await treeOf({ repository: () => remote.repository }, commit)
    const checks = checksOf(train, tree)
    if (untested !== undefined || checks === null) return
    const session = train.ledger.read().pulls.find(({ number }) => number === pull)?.session ?? null
    const origin = session === null ? null : (train.originOf?.(session) ?? null)
    const approvals = (snapshot?.reviews ?? [])
      .filter((review) => review.state === 'approved' && review.commit === headSha)
      .map(({ author, submittedAt }) => ({ by: author.login, commit: headSha, at: submittedAt }))
    const { agent = null, model = null, costUsd = null, issue = null } = origin ?? {}
    const made = { agent, model, costUsd, issue }
    const proof: Proof = {
      version: 1,
      commit,
      tree,
      pull,
      head: headSha,
      checks,
      approvals,
      session,
      ...made,
      changedChecks,
      flaky: train.file.read().riders.find((rider) => rider.pull === pull)?.flaky,
    }
    const problem = await writeNote(remote.repository, project, commit, proof)
    if (problem !== null) say(`the train: the proof of #${pull} is not signed: ${problem}`)
    if (project.landing?.pushProof === true) await pushNotes(train)
  } catch (error) {
    say(`the train: the proof of #${pull} could not be written: ${errorText(error)}`)
  }
}

/** null: this tree was not tested here. */
function checksOf({ ledger, gates }: HostedTrain, tree: string): ProvenCheck[] | null {
  const run = ledger.read().runs.findLast((one) => one.tree === tree && one.result?.state === 'passed')
  if (run === undefined) return null
  const ofForge = run.required.map((name): ProvenCheck => {
    return { name, run: 'the CI of the forge', status: 'passed', log: null, on: run.commit }
  })
  return [...ofForge, ...(gates?.onCars(run.attempt)?.proven(tree) ?? [])]
}

/** Others may have pushed notes too: theirs stay, and nothing is overwritten. */
async function pushNotes({ remote: { repository, name }, say }: HostedTrain): Promise<void> {
  const network = { timeoutMs: NETWORK_MS }
  const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--', name, `+${NOTES}:${THERE}`]
  const isThere = (await tryGitOn(repository, fetch, network)).ok
  const identity = ['-c', 'user.name=ao', '-c', 'user.email=ao@localhost']
  if (isThere)
    await gitOn(repository, [...identity, 'notes', `--ref=${PROOF_REF}`, 'merge', '--quiet', '-s', 'ours', THERE])
  const pushed = await tryGitOn(
    repository,
    ['push', '--quiet', '--no-verify', '--', name, `${NOTES}:${NOTES}`],
    network,
  )
  if (!pushed.ok)
    say(`the train: the proofs could not be pushed to ${name}: ${pushed.stderr.trim().split('\n').at(-1)}`)
}
