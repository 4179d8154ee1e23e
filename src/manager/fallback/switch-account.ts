// A session continues with another account or agent: in the same workspace, in a new conversation that begins with a note of
// what was done. The record says so first (`switchTo`), and messages wait from then on. Its agent is ended, then it is
// restored. A crash at any point leaves the intent, and the loop or a restore finishes it.

import { existsSync } from 'node:fs'
import type { AgentAccount } from '../../contract/account.ts'
import { AoError, SessionNotRestorableError } from '../../contract/errors.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import { messageIdsOf } from '../../contract/record-values.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession, NON_RESTORABLE_STATUSES } from '../../contract/status.ts'
import { accountName, agentAccount, isSameAccount, withLimit } from '../../core/budget/choose-fallback.ts'
import { deliveredMessages } from '../../core/message/delivered-messages.ts'
import { handoverNote } from '../../core/prompt/handover-note.ts'
import { spentOf, usageChange } from '../../core/status/spent.ts'
import { tryGit } from '../../git/git.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import { requireWritable } from '../../lib/process/own-home.ts'
import { readPrompt } from '../../store/session/session-file.ts'
import { type FoundSession, type ManagerContext, requireActive, requireLaunchConsent } from '../context.ts'
import { deliverHeld } from '../deliver.ts'
import { agentLaunch, launchCommand, launchParts, requireCommand } from '../launch/plan.ts'
import { restore } from '../launch/restore.ts'
import { requireAgentFileConsent } from '../launch/start-agent.ts'
import { withSendLock } from '../message/send-lock.ts'
import { enrichOne, get } from '../observe/enrich.ts'
import { sessionCommits } from '../observe/session-diff.ts'
import { kill } from '../remove/kill.ts'
import { recoverSession } from '../remove/recover.ts'
import type { SwitchOptions } from '../types.ts'
import { goBack, handoverId, noteUnusable, requirePresent } from './go-back.ts'

export async function switchAccount(
  context: ManagerContext,
  sessionId: string,
  options: SwitchOptions,
): Promise<Session> {
  requireWritable(context.paths)
  await recoverSession(context, sessionId)
  await announce(context, sessionId, options)
  failpoint('switch.announced')
  const { by, onProgress } = options
  const how = { ...(by !== undefined && { by }), ...(onProgress && { onProgress }) }
  const session = await get(context, sessionId)
  if (session && !isTerminalSession(session)) {
    await kill(context, sessionId, { keepWorkspace: true, keepMessages: true, switching: true, ...how })
  }
  failpoint('switch.ended')
  const done = await doneByAnother(context, sessionId, options.account)
  if (done) return done
  const restored = await restore(context, sessionId, { ...how, switching: true }).catch((error) =>
    goBack(context, sessionId, options, error),
  )
  failpoint('switch.restored')
  await ignoreFailure(`what waits for ${sessionId} is delivered later`, context.log, async () => {
    await deliverHeld(context, sessionId)
  })
  return restored
}

/** Two may want the same at the same moment. */
async function doneByAnother(
  context: ManagerContext,
  sessionId: string,
  account: string | null,
): Promise<Session | null> {
  const session = await get(context, sessionId)
  if (!session || isTerminalSession(session)) return null
  const record = recordOf(session)
  return record.switchTo === undefined && (record.account ?? null) === account ? session : null
}

/** Refuses what can be refused; then writes down what will be done, unless a run that was interrupted did. */
async function announce(context: ManagerContext, sessionId: string, options: SwitchOptions): Promise<void> {
  const found = requireActive(context, sessionId)
  const { record } = found.stored
  const from = requirePresent(sessionId, record)
  const to = agentAccount(context.config, found.project, record, options.account)
  if (record.switchTo?.account === options.account) return
  const session = await enrichOne(context, found)
  if (NON_RESTORABLE_STATUSES.has(session.status)) {
    throw new SessionNotRestorableError(sessionId, `its status is ${session.status}`)
  }
  if (isSameAccount(from, to)) {
    throw new AoError('STATE_REFUSED', `${sessionId} uses ${accountName(to)} already`, { details: { sessionId } })
  }
  try {
    await requireUsable(context, found, session, to)
  } catch (error) {
    await noteUnusable(context, sessionId, to, { limit: options.limit ?? null, error })
    throw error
  }
  await withSendLock(found.store, sessionId, 'message', () => writeIntent(context, { found, session, from, options }))
}

interface Intent {
  found: FoundSession
  session: Session
  from: AgentAccount
  options: SwitchOptions
}

/** Under the send lock: what was delivered before is in the note, and what is sent after it waits. */
async function writeIntent(context: ManagerContext, { found, session, from, options }: Intent): Promise<void> {
  const { store } = found
  const { account, why, limit } = options
  const now = context.clock.now()
  const text = await composeHandover(context, found, session, `${accountName(from)} stopped, because ${why}`)
  const before = recordOf(session)
  const messageId = handoverId(before)
  const spent = spentOf(session)
  // Somebody else may have been faster: then it is theirs to finish, or done.
  const isSame = (record: SessionRecord) =>
    record.launch === before.launch && record.switchTo?.account === before.switchTo?.account
  await store.update(
    session.id,
    (record) => {
      if (!isSame(record)) return {}
      return {
        switchTo: { account, why },
        ...(limit && { limits: withLimit(record.limits ?? [], limit, now.getTime()) }),
        ...(spent && usageChange(spent, now)),
        // Before what waits already: that is about the same work.
        messagesOnTheWay: [messageId, ...messageIdsOf(record).filter((id) => id !== messageId)],
      }
    },
    (record) =>
      isSame(record)
        ? [
            { type: 'message.queued', messageId, text, source: 'handover' },
            { type: 'message.held', messageId, why: 'it is for the agent that takes over' },
          ]
        : [],
  )
}

/** Everything that can be refused about an account before the agent that runs is ended for it. */
async function requireUsable(
  context: ManagerContext,
  { project, stored: { record } }: FoundSession,
  session: Session,
  { agent, account }: AgentAccount,
): Promise<void> {
  const role = record.role ?? 'worker'
  const chosen = account === null ? { agent } : { account }
  const parts = await launchParts(context, project, role, { ...chosen, runtime: record.runtime })
  requireLaunchConsent(context, project)
  const workspacePath = session.workspacePath ?? project.path
  if (!existsSync(workspacePath)) return
  await requireAgentFileConsent(context, project, parts, workspacePath)
  const launch = agentLaunch(context, {
    project,
    sessionId: session.id,
    role,
    workspacePath,
    parts,
    prompt: null,
    issueId: session.issueId,
  })
  const command = launchCommand(parts, launch)
  if (!parts.runtime.elsewhere) requireCommand(context, parts.agent, command, workspacePath)
}

const RECENT_BYTES = 8 * 1024 * 1024
const GIT_MS = 10_000

async function composeHandover(
  context: ManagerContext,
  { project, store, stored }: FoundSession,
  session: Session,
  why: string,
): Promise<string> {
  const { events } = store.readHistory(session.id, { maxBytes: RECENT_BYTES })
  return handoverNote({
    why,
    task: readPrompt(context.paths.project(project.id).stateDir(session.id)) ?? stored.record.userPrompt ?? null,
    branch: session.branch,
    commits: await commitLines(context, session),
    uncommitted: await uncommittedIn(context, session),
    messages: deliveredMessages(events),
    lastMessage: session.agentInfo?.lastMessage?.trim() || null,
  })
}

async function commitLines(context: ManagerContext, session: Session): Promise<string[]> {
  try {
    const commits = await sessionCommits(context, session)
    return commits.map(({ sha, subject }) => `${sha.slice(0, 10)} ${subject}`)
  } catch (error) {
    context.log.warn(`the commits of ${session.id} could not be read for the agent that takes over: ${String(error)}`)
    return []
  }
}

async function uncommittedIn({ env }: ManagerContext, { workspacePath }: Session): Promise<string> {
  if (workspacePath === null) return ''
  const status = await tryGit(workspacePath, ['status', '--short'], { env, read: true, timeoutMs: GIT_MS })
  return status.ok ? status.stdout : ''
}
