// Gathers what the next agent of a session has to know. Changes nothing; what cannot be read is left out.
import type { Session } from '../../contract/session.ts'
import { deliveredMessages } from '../../core/message/delivered-messages.ts'
import { handoverNote } from '../../core/prompt/handover-note.ts'
import { tryGit } from '../../git/git.ts'
import { readPrompt } from '../../store/session/session-file.ts'
import type { FoundSession, ManagerContext } from '../context.ts'
import { sessionCommits } from '../observe/session-diff.ts'

const RECENT_BYTES = 8 * 1024 * 1024
const GIT_MS = 10_000

export async function composeHandover(
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
