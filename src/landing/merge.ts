// The one way a pull request is merged, whoever asks: the page, `ao pr merge`, `ao next`, MCP, a reaction, an agent's gh, a train.
// Exactly the head that was read is merged. With a train it boards; merging past the train is a person's explicit word. The
// session whose work it is hears of it here.
import type { ProjectConfig } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import type { Pull, PullRef } from '../contract/pull.ts'
import { foldGates } from '../core/landing/fold-gates.ts'
import { boardingProblem, type MergeRules, mergeProblem } from '../core/landing/merge-problem.ts'
import { localAuthor, sessionOf } from '../inside/local-author.ts'
import type { Clock } from '../lib/clock.ts'
import { ignoreFailure } from '../lib/ignore-failure.ts'
import type { Log } from '../lib/log.ts'
import type { ExpectedMerge, MergedPR, Scm } from '../slots/scm.ts'
import { notePullStatus } from '../store/session/note-pull-status.ts'
import type { SessionStore } from '../store/session/session-store.ts'
import { canHostTrain } from './hosted/hosted-train.ts'
import { hasOwnTrain } from './own-train.ts'
import type { ProjectGates } from './project-gates.ts'
import { type PullTarget, readPull, requireAbility } from './read-pull.ts'
import { openTrainFile } from './train/train-file.ts'

export interface MergeContext {
  projectDir: string
  env: NodeJS.ProcessEnv
  clock: Clock
  log: Log
  /** The project's. */
  store: Pick<SessionStore, 'read' | 'readAll' | 'update'>
  /** Those that ao itself runs beside the forge's checks. */
  gates?: Pick<ProjectGates, 'read'> | null | undefined
}

export interface MergeOrder extends PullTarget, Omit<ExpectedMerge, 'sha'> {
  /** The head that was read; undefined: whatever it is now. */
  head?: string | undefined
  /** As it was read just now, gates included; undefined: it is read here. */
  pull?: Pull | undefined
  /** Whose work it is; absent: as the forge or the records have it. */
  sessionId?: string | null | undefined
}

export interface MergeOutcome extends MergedPR {
  pull: Pull
  boarded: boolean
  warnings: string[]
}

export async function mergePull(context: MergeContext, order: MergeOrder): Promise<MergeOutcome> {
  const { scm, project, pr, head, pastTrain } = order
  const pull = order.pull ?? (await readWithGates(context, order))
  if (!pastTrain && ridesTrain(project, scm, pull.pr)) {
    await boardRead(context, pull, { project, head, needsApproval: order.needsApproval })
    return { pull, commit: null, boarded: true, warnings: [] }
  }
  requireAbility({ scm, pr }, 'mergePR')
  requireHead(pull, head, 'is not merged')
  requireMergeable(pull, order)
  const { method, force, needsApproval, subject, body } = order
  const expected = { sha: pull.headSha, method, force, needsApproval, pastTrain, subject, body }
  const merged = await mergeHead({ scm, project, pr: pull.pr }, expected)
  // `ao start` follows it through the forge's own queue.
  if (merged.boarded && canHostTrain(scm)) await noteAboard(context, pull)
  if (!merged.boarded) await noteMerged(context, pull, order.sessionId)
  return { ...merged, pull, boarded: merged.boarded ?? false, warnings: merged.warnings ?? [] }
}

/** The forge's own merge, of exactly this head. Nothing else asks a forge to merge: a train that has tested a car comes here too. */
export function mergeHead({ scm, project, pr }: PullTarget, expected: ExpectedMerge): Promise<MergedPR> {
  return requireAbility({ scm, pr }, 'mergePR')(pr, expected, project)
}

/** Durable when it resolves. One that is aboard with this head keeps its position. */
export async function boardPull(
  context: MergeContext,
  { head, ...target }: PullTarget & { head?: string | undefined },
): Promise<Pull> {
  const pull = await readWithGates(context, target)
  await boardRead(context, pull, { project: target.project, head })
  return pull
}

/** Does this pull request land with a train of ao's? */
export function ridesTrain(project: ProjectConfig, scm: Scm | null, { baseBranch }: PullRef): boolean {
  if (project.landing?.mode !== 'train' || !(hasOwnTrain(scm) || canHostTrain(scm))) return false
  return baseBranch === undefined || baseBranch === project.defaultBranch
}

async function readWithGates({ gates }: MergeContext, target: PullTarget): Promise<Pull> {
  const pull = await readPull(target)
  return gates && pull.state === 'open' ? foldGates(pull, await gates.read(pull.headSha)) : pull
}

async function boardRead(
  context: MergeContext,
  pull: Pull,
  {
    project,
    head,
    needsApproval,
  }: { project: ProjectConfig; head?: string | undefined } & Pick<MergeRules, 'needsApproval'>,
): Promise<void> {
  requireHead(pull, head, 'cannot board')
  const isApproved = !needsApproval || pull.review === 'approved'
  const why = isApproved
    ? boardingProblem(pull, project.defaultBranch)
    : `nobody has approved ${pull.headSha.slice(0, 10)}`
  if (why !== null) throw refuse(pull, 'cannot board', why)
  await noteAboard(context, pull)
}

async function noteAboard({ projectDir, env, clock }: MergeContext, { pr, headSha }: Pull): Promise<void> {
  const { number: pull } = pr
  const file = openTrainFile({ projectDir, clock })
  const isAboard = file.read().riders.some((rider) => rider.pull === pull && rider.headSha === headSha)
  // A session's word is not a person's: it rides only as long as it is approved and green.
  const by = sessionOf(env) === null ? localAuthor(env) : 'ao'
  if (!isAboard) await file.append({ type: 'boarded', pull, headSha, by })
}

/** The pull request is what counts: a record that cannot be written is updated by the next tick. */
async function noteMerged({ store, log }: MergeContext, pull: Pull, owner: string | null | undefined): Promise<void> {
  const { url } = pull.pr
  await ignoreFailure(`the record of the session of ${url} was not updated`, log, async () => {
    const sessionId = owner ?? pull.session ?? store.readAll().find(({ record }) => record.pr === url)?.id
    if (sessionId) await notePullStatus(store, { sessionId, url, status: 'merged' })
  })
}

function requireHead(pull: Pull, expected: string | undefined, what: string): void {
  const { headSha, pr } = pull
  if (expected === undefined || expected === headSha) return
  const why = `its head is ${headSha.slice(0, 10)}, not ${expected.slice(0, 10)} as expected`
  throw refuse(pull, what, why, `See what was pushed with: ao pr diff ${pr.number}`)
}

/** A forge that judges by itself says why, with the next command. One that is merged as it was read is done. */
function requireMergeable(pull: Pull, rules: MergeRules): void {
  if (pull.mergeProblem !== undefined || pull.state === 'merged') return
  const why = mergeProblem(pull, rules)
  if (why !== null) throw refuse(pull, 'is not merged', why, `See it with: ao pr view ${pull.pr.number}`)
}

function refuse({ pr }: Pull, what: string, why: string, hint?: string): AoError {
  const { number } = pr
  return new AoError('PR_NOT_MERGEABLE', `Pull request ${number} ${what}: ${why}`, { hint, details: { number, why } })
}
