// How a restored session continues: by the agent's own resume, the runtime's, or afresh with the prompt; and what its record says then.
import { type OtherEvent, THE_USER } from '../../contract/events.ts'
import { EMPTY_RECORD, type RecordChange, recordOf, type SessionRecord } from '../../contract/record.ts'
import { firstMessageId, isFirstMessage, messageIdsOf, withoutMessages } from '../../contract/record-values.ts'
import type { Session } from '../../contract/session.ts'
import { storedSession } from '../../contract/stored-session.ts'
import { firstMessageAgain } from '../../core/prompt/first-message-again.ts'
import { recordedPrFacts } from '../../core/status/recorded-facts.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import { findActive, findArchived, type ManagerContext, reachSessions } from '../context.ts'
import { accountKeys } from '../fallback/account-keys.ts'
import { hasSeen } from '../message/entry-check.ts'
import { NOT_GOING_BACK } from '../operation.ts'
import { ownRecord } from '../own-record.ts'
import type { OnProgress } from '../types.ts'
import type { LaunchRun, Restoring, Resume } from './launch-run.ts'
import { type LaunchParts, launchCommand } from './plan.ts'
import { launchIn } from './start-agent.ts'

export async function findLaunchCommand(context: ManagerContext, run: LaunchRun): Promise<void> {
  const { project, parts } = run
  if (run.restoring!.change) {
    // Conversations are kept by account. What it has to know was sent along as a message.
    run.onProgress(`${parts.agent.name} takes over in a new conversation`)
    return
  }
  const session = storedSession(run.restoring!.stored, project.id)
  const launch = await launchIn(context, run)
  run.resume =
    (await findFork(context, run, launch)) ??
    (await findReturn(context, run, session, launch)) ??
    (await findResume(parts, session, { ...launch, prompt: undefined }, run.onProgress))
  run.promptDelivered = await promptAfterStart(context, run, session)
  run.onProgress(`${parts.agent.name} ${howItBegins(run.resume)}`)
}

function howItBegins(resume: Resume | null): string {
  if (resume === null) return 'starts afresh with the original prompt'
  if (resume.goesBack) return 'begins with a copy of its conversation until then'
  return resume.fork ? 'begins with a copy of the other conversation' : 'resumes its own session'
}

/** Only at its first start: from then on it has a conversation of its own. null: there is nothing that could be copied. */
async function findFork(
  context: ManagerContext,
  { parts, restoring }: LaunchRun,
  launch: AgentLaunch,
): Promise<Resume | null> {
  const { forkedFrom, forkConversation, runtimeHandle, account } = restoring!.stored.record
  if (forkedFrom === undefined || forkConversation !== undefined || runtimeHandle !== undefined) return null
  const found = findActive(context, forkedFrom) ?? findArchived(context, forkedFrom)
  if (!found) return null
  const claims = await ownRecord(context, found.project, forkedFrom, found.stored)
  const { agent, runtime } = parts
  // Conversations are kept by agent and account.
  if (claims.record.agent !== agent.name || claims.record.account !== account || runtime.elsewhere) return null
  const source = storedSession(claims, found.project.id)
  const stateDir = context.paths.project(found.project.id).stateDir(forkedFrom)
  const point = await pointBefore(context, forkedFrom, restoring!.stored.record)
  // The whole conversation knows what came after that turn.
  if (point === null || (point && runtime.drivesAcpAgents)) return null
  const copy = () => agent.fork?.copy(source, stateDir, launch, point)
  if (!runtime.drivesAcpAgents) {
    const id = (await copy()) ?? null
    return id === null ? null : { command: agent.fork!.command(launch, id), ended: null, fork: { of: undefined } }
  }
  const of = source.runtimeHandle ?? undefined
  if (of?.runtimeName !== runtime.name || !(await runtime.canFork?.(of))) return null
  // An agent that finds its conversations by directory would not find it from the new one.
  await copy()
  return { command: launchCommand(parts, launch), ended: null, fork: { of } }
}

/** Written down by a rewind, and over once its agent was started. null: it goes on where it is. */
async function findReturn(
  context: ManagerContext,
  { parts: { agent, runtime }, restoring }: LaunchRun,
  session: Session,
  launch: AgentLaunch,
): Promise<Resume | null> {
  const { record } = restoring!.stored
  const point =
    record.forkedFrom === undefined || record.runtimeHandle ? await pointBefore(context, session.id, record) : null
  if (!point) return null
  const bare = { ...launch, prompt: undefined }
  const isElsewhere = runtime.drivesAcpAgents || runtime.elsewhere !== undefined
  const id = isElsewhere ? null : ((await agent.fork?.copy(session, launch.stateDir, bare, point)) ?? null)
  if (id !== null) return { command: agent.fork!.command(bare, id), ended: null, goesBack: true }
  restoring!.onNotice(`The conversation of ${session.id} could not be taken back: its agent remembers what came later`)
  return null
}

/** undefined: it is not to go back. null: where that was has been lost. */
async function pointBefore(context: ManagerContext, sessionId: string, { conversationTo }: SessionRecord) {
  if (conversationTo === undefined) return undefined
  const { pointOf, turnsOf } = await import('../remove/turns.ts')
  const turn =
    findActive(context, sessionId) && (await turnsOf(context, sessionId)).find((one) => one.turn === conversationTo)
  return turn ? pointOf(context, sessionId, turn) : null
}

async function findResume(
  parts: LaunchParts,
  session: Session,
  launch: AgentLaunch,
  onProgress: OnProgress,
): Promise<Resume | null> {
  const { agent, runtime } = parts
  if (!runtime.drivesAcpAgents && !runtime.elsewhere) {
    const command = await agent.getRestoreCommand?.(session, launch, onProgress)
    return command ? { command, ended: null } : null
  }
  const { runtimeHandle } = session
  // From one place to another the conversation goes along.
  const isSameKind = runtimeHandle?.runtimeName === runtime.name || runtime.elsewhere !== undefined
  const canResume = runtimeHandle && isSameKind && (await runtime.canResume?.(runtimeHandle))
  return canResume ? { command: launchCommand(parts, launch), ended: runtimeHandle } : null
}

/** What is known about the prompt once the agent is running; `no`: it has to be sent, `resumed`: it was sent earlier. */
async function promptAfterStart(
  context: ManagerContext,
  { plan, parts, resume }: LaunchRun,
  session: Session,
): Promise<NonNullable<SessionRecord['promptDelivered']> | null> {
  if (plan.prompt === null) return null
  if (!resume || resume.fork) return parts.promptDelivery === 'inline' ? 'unconfirmed' : 'no'
  const { promptDelivered: before, spawnId } = recordOf(session)
  // An agent that was ended before it got its task has nothing to continue.
  if (before === 'yes' || (before === 'no' && parts.promptDelivery === 'post-launch')) return before
  const messageId = firstMessageId(session.id, { spawnId })
  const [reached] = await reachSessions(context, [session])
  const seen = await hasSeen(context, reached!, { messageId, text: plan.prompt, since: session.createdAt })
  return seen === true ? 'yes' : 'resumed'
}

interface MessageAgain {
  change: (record: SessionRecord) => RecordChange
  events: OtherEvent[]
}

/**
 * The first message of an agent whose own resume leaves it out: queued in the update that records the restore, so that no crash
 * loses it, and delivered once the agent takes messages. null: it has its first message, or there was none.
 */
function messageAgain(run: LaunchRun): MessageAgain | null {
  const { parts, plan } = run
  if (!run.resume || run.resume.fork || run.promptDelivered === 'no' || parts.runtime.drivesAcpAgents) return null
  const message = parts.agent.messageLostByResume?.({ ...run.launch!, prompt: plan.prompt ?? undefined }) ?? null
  if (message === null) return null
  const messageId = `again-${plan.spawnId}`
  return {
    // Before what waits already: that is about the same work.
    change: (record) => ({ messagesOnTheWay: [messageId, ...messageIdsOf(record).filter((id) => id !== messageId)] }),
    events: [
      { type: 'message.queued', messageId, text: firstMessageAgain(message), source: 'restore' },
      { type: 'message.held', messageId, why: 'the agent is starting' },
    ],
  }
}

/** In one update with what follows from it, before the session counts as started. */
export async function recordRestored(
  context: ManagerContext,
  run: LaunchRun,
  started: RecordChange,
  runs: OtherEvent,
): Promise<void> {
  const { store, plan, resume, saved } = run
  const restoring = run.restoring!
  const change = { ...started, ...restored(context, run, restoring), ...forked(run, restoring) }
  const again = messageAgain(run)
  const replaced = replacedPrompts(run)
  await store.update(
    plan.session,
    (record) => ({
      ...change,
      ...accountKeys(record, restoring.change, run.usedBefore),
      ...withoutClosedPr(record),
      ...withoutMessages(record, replaced),
      ...again?.change(record),
    }),
    [
      ...saved,
      runs,
      { type: 'session.restored', how: howRestored(resume), launch: plan.launch },
      ...(restoring.change ? [{ type: 'account.changed', ...restoring.change } as const] : []),
      ...(again?.events ?? []),
      ...replaced.map((messageId) => ({ type: 'message.withdrawn', messageId, why: REPLACED }) as const),
    ],
  )
  run.remindsAgent = again !== null
}

function howRestored(resume: LaunchRun['resume']): 'resume' | 'fresh' | 'fork' | 'rewind' {
  if (resume === null) return 'fresh'
  if (resume.goesBack) return 'rewind'
  return resume.fork ? 'fork' : 'resume'
}

/** Of a fork that is started for the first time. */
function forked({ resume }: LaunchRun, { stored: { record } }: Restoring): RecordChange {
  if (record.forkedFrom === undefined || record.runtimeHandle !== undefined) return {}
  return { forkConversation: resume?.fork ? 'copied' : 'new' }
}

function restored(context: ManagerContext, { plan, handle }: LaunchRun, { by }: Restoring): RecordChange {
  return {
    endedAs: null,
    mergeReported: null,
    restoredAt: context.clock.now(),
    runtime: handle!.runtimeName,
    place: plan.place,
    spawnId: plan.spawnId,
    launch: plan.launch,
    attendedAt: by === THE_USER ? context.clock.now() : undefined,
    inputLine: null,
    submittingMessage: null,
    ...NOT_GOING_BACK,
  }
}

/** A closed pull request is history: the restored session is free to open another. */
function withoutClosedPr(record: SessionRecord): RecordChange {
  return recordedPrFacts(record)?.state === 'closed'
    ? { pr: null, prFacts: null, prState: null, ci: null, review: null }
    : {}
}

const REPLACED = 'its agent starts afresh and gets the prompt anew'

/** First prompts of earlier starts that wait still: the agent would get its task twice. */
function replacedPrompts({ store, plan, promptDelivered }: LaunchRun): string[] {
  if (promptDelivered !== 'no') return []
  return messageIdsOf(store.read(plan.session)?.record ?? EMPTY_RECORD).filter(isFirstMessage)
}
