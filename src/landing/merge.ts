// The one way a pull request is merged, whoever asks: the page, `ao pr merge`, `ao next`, MCP, a reaction, an agent's gh, a train.
// Exactly the head that was read is merged. With a train it boards; merging past the train is a person's explicit word. The
// session whose work it is hears of it here.
import type { ProjectConfig } from '../contract/config.ts'
import { AoError } from '../contract/errors.ts'
import type { Pull, PullRef } from '../contract/pull.ts'
import type { SessionRecord } from '../contract/record.ts'
import { foldGates } from '../core/landing/fold-gates.ts'
import { flakyOf } from '../core/landing/judge-checks.ts'
import { boardingProblem, type MergeRules, mergeProblem } from '../core/landing/merge-problem.ts'
import { pullUrls } from '../core/status/recorded-facts.ts'
import { whyNotAlone } from '../core/task/decide-landing.ts'
import { openRepository, type Repository } from '../git/repository.ts'
import { readProjectRemote } from '../git/transfer/project-remote.ts'
import { localAuthor, sessionOf } from '../inside/local-author.ts'
import type { Clock } from '../lib/clock.ts'
import { ignoreFailure } from '../lib/ignore-failure.ts'
import type { Log } from '../lib/log.ts'
import type { ExpectedMerge, MergedPR, Scm } from '../slots/scm.ts'
import { notePullStatus } from '../store/session/note-pull-status.ts'
import type { SessionStore } from '../store/session/session-store.ts'
import type { ProjectGates } from './checks/project-gates.ts'
import { canHostTrain } from './hosted/hosted-train.ts'
import { ensureCommit, readRemote, startOfChange } from './hosted/remote-branches.ts'
import { verifyChange } from './make-merge-commit.ts'
import { hasOwnTrain } from './own-train.ts'
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
  requireAlone(context, pull, order)
  if (!pastTrain && ridesTrain(project, scm, pull.pr)) {
    await boardRead(context, pull, { project, head, needsApproval: order.needsApproval })
    return { pull, commit: null, boarded: true, warnings: [] }
  }
  requireAbility({ scm, pr }, 'mergePR')
  requireHead(pull, head, 'is not merged')
  requireGround(context, pull, order)
  requireMergeable(pull, order)
  const { method, force, needsApproval, subject, body } = order
  const expected = { sha: pull.headSha, method, force, needsApproval, pastTrain, subject, body }
  const merged = await mergeHead({ scm, project, pr: pull.pr }, expected, context)
  // `ao start` follows it through the forge's own queue.
  if (merged.boarded && canHostTrain(scm)) await noteAboard(context, pull)
  if (!merged.boarded) await noteMerged(context, pull, order.sessionId)
  return { ...merged, pull, boarded: merged.boarded ?? false, warnings: merged.warnings ?? [] }
}

/** The forge's own merge, of exactly this head. Nothing else asks a forge to merge: a train that has tested a car comes here too. */
export async function mergeHead(
  target: PullTarget & { pr: Pull['pr'] },
  expected: ExpectedMerge,
  context: Pick<MergeContext, 'env' | 'gates'>,
): Promise<MergedPR> {
  const merge = requireAbility(target, 'mergePR')
  await requireOneChange(target, expected, context)
  return merge(target.pr, expected, target.project)
}

/** A forge elsewhere merges histories that cross like any others: then no diff has shown everything that it would change. */
async function requireOneChange(
  { scm, project, pr }: PullTarget & { pr: Pull['pr'] },
  { sha: head, force }: ExpectedMerge,
  { env, gates }: Pick<MergeContext, 'env' | 'gates'>,
): Promise<void> {
  // One that shares its branches with us checks this itself.
  if (scm.sharesRepository || !scm.readRange) return
  const branch = pr.baseBranch ?? project.defaultBranch
  const repository = openRepository(project.path, env)
  const name = (await readProjectRemote(project.path, env))?.name
  const base = name === undefined ? null : (await readRemote({ repository, name }, branch)).base
  const remote = { repository, name: name ?? '' }
  const isHere = base !== null && (await ensureCommit(remote, base, branch))
  if (!isHere || !(await ensureCommit(remote, head, pr.branch)))
    throw new AoError('SCM_FAILED', `Pull request ${pr.number} is not merged: its commits are not on this machine`, {
      hint: `Fetch ${branch} and ${head.slice(0, 10)} into ${project.path} with git, then merge it again`,
    })
  await verifyChange(repository, { pull: { number: pr.number, head: pr.branch ?? head, base: branch }, head, base })
  const open = force || !gates ? null : await openGate(gates, { repository, head, branch, base })
  if (open !== null)
    throw new AoError('PR_NOT_MERGEABLE', `Pull request ${pr.number} is not merged: ${open} has not passed`, {
      hint: `Its gates judge what it changes in ${branch} now; see them with: ao pr checks ${pr.number}`,
      details: { number: pr.number, refusal: 'gates' },
    })
}

/** The first rule that has not passed for exactly this change; null: all have. What was judged from another start is judged again. */
export async function openGate(
  gates: Pick<ProjectGates, 'read'>,
  { repository, head, branch, base }: { repository: Repository; head: string; branch: string; base: string },
): Promise<string | null> {
  const from = (await startOfChange(repository, { base, head })) ?? base
  const checks = await gates.read({ head, base: branch }, from)
  // Commands belong to the tree, whatever its change is.
  return checks.find(({ id, status }) => id.endsWith(`/${from}`) && status !== 'passed')?.name ?? null
}

/** Durable when it resolves. One that is aboard with this head keeps its position. */
export async function boardPull(
  context: MergeContext,
  { head, ...target }: PullTarget & { head?: string | undefined },
): Promise<Pull> {
  const pull = await readWithGates(context, target)
  requireAlone(context, pull)
  await boardRead(context, pull, { project: target.project, head })
  return pull
}

/** Does this pull request land with a train of ao's? */
export function ridesTrain(project: ProjectConfig, scm: Scm | null, { baseBranch }: PullRef): boolean {
  if (project.landing?.mode !== 'train' || !(hasOwnTrain(scm) || canHostTrain(scm))) return false
  return baseBranch === undefined || baseBranch === project.defaultBranch
}

/** As its forge has it now, with the gates that ao runs itself. */
export async function readWithGates({ gates }: MergeContext, target: PullTarget): Promise<Pull> {
  const pull = await readPull(target)
  const judged = { head: pull.headSha, base: pull.pr.baseBranch }
  return gates && pull.state === 'open' ? foldGates(pull, await gates.read(judged)) : pull
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

async function noteAboard({ projectDir, env, clock }: MergeContext, { pr, headSha, checks }: Pull): Promise<void> {
  const { number: pull } = pr
  const file = openTrainFile({ projectDir, clock })
  const isAboard = file.read().riders.some((rider) => rider.pull === pull && rider.headSha === headSha)
  // A session's word is not a person's: it rides only as long as it is approved and green.
  const by = sessionOf(env) === null ? localAuthor(env) : 'ao'
  const flaky = flakyOf(checks)
  if (!isAboard) await file.append({ type: 'boarded', pull, headSha, by, ...(flaky.length > 0 && { flaky }) })
}

/** The pull request is what counts: a record that cannot be written is updated by the next tick. */
async function noteMerged({ store, log }: MergeContext, pull: Pull, owner: string | null | undefined): Promise<void> {
  const { url } = pull.pr
  await ignoreFailure(`the record of the session of ${url} was not updated`, log, async () => {
    const sessionId = ownerOf({ store }, pull, owner)
    if (sessionId) await notePullStatus(store, { sessionId, url, status: 'merged' })
  })
}

function ownerOf({ store }: Pick<MergeContext, 'store'>, pull: Pull, owner: string | null | undefined): string | null {
  const isOwner = ({ record }: { record: SessionRecord }) => pullUrls(record).includes(pull.pr.url)
  return owner ?? pull.session ?? store.readAll().find(isOwner)?.id ?? null
}

/** Of several tries only the chosen one lands, whoever asks; a group as a whole, unless a person insists. */
function requireAlone(context: MergeContext, pull: Pull, order: Partial<MergeOrder> = {}): void {
  const sessionId = ownerOf(context, pull, order.sessionId)
  const record = sessionId === null ? undefined : context.store.read(sessionId)?.record
  if (record?.task?.kind === 'group' && order.force && sessionOf(context.env) === null) return
  const why = record ? whyNotAlone(record, sessionId!) : null
  if (why !== null) throw refuse(pull, 'is not merged', why)
}

function requireHead(pull: Pull, expected: string | undefined, what: string): void {
  const { headSha, pr } = pull
  if (expected === undefined || expected === headSha) return
  const why = `its head is ${headSha.slice(0, 10)}, not ${expected.slice(0, 10)} as expected`
  throw refuse(pull, what, why, `See what was pushed with: ao pr diff ${pr.number}`)
}

/** Nothing lands before the work that it stands on, nor in a branch that has landed itself: it would never come out of there. */
function requireGround(context: MergeContext, pull: Pull, { sessionId, force }: MergeOrder): void {
  const owner = ownerOf(context, pull, sessionId)
  const { stack, baseBranch } = (owner && context.store.read(owner)?.record) || {}
  const { baseBranch: base = '' } = pull.pr
  const isLanded = stack?.on ? context.store.read(stack.on)?.record.status === 'merged' : true
  // Whatever it is for by now: its agent can change that.
  if (!isLanded && !force)
    throw refuse(pull, 'is not merged', `it stands on ${stack?.on}, which has not landed`, 'See both with: ao stack')
  if (stack?.dead?.includes(base) || (stack?.on && isLanded && base === baseBranch))
    throw refuse(pull, 'is not merged', `${base} has landed: ao start makes it for what that landed in`)
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
