// Which sessions a person means by a few words: the same on the page, for the cards it has, and on the server, for all others.
import type { SessionCard } from '../../contract/dashboard/cards.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { prNumber, titleOf } from '../status/describe-session.ts'

export interface SessionFilter {
  project: string
  agent: string
  text: string
}

interface Described {
  projectId: string
  agent: string
  /** Everything that it can be found by. */
  text: string
}

/** Every word must occur. */
export function matchesFilter({ project, agent, text }: SessionFilter, describe: () => Described): boolean {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (project === '' && agent === '' && terms.length === 0) return true
  const session = describe()
  if (project !== '' && session.projectId !== project) return false
  if (agent !== '' && session.agent !== agent) return false
  const all = session.text.toLowerCase()
  return terms.every((word) => all.includes(word))
}

export function describeCard(card: SessionCard): Described {
  const { id, title, projectId, agent, branch, issue, pr, status, lastMessage, model } = card
  const parts = [
    id,
    title,
    projectId,
    agent,
    model,
    branch,
    labelOf(status),
    issue?.id,
    pr && `#${pr.number}`,
    lastMessage,
  ]
  return { projectId, agent, text: parts.filter(Boolean).join('\n') }
}

/** What its record says; what its agent said last is known only where its card is. */
export function describeStored(session: Session): Described {
  const { id, projectId, status, branch, issueId } = session
  const { agent = 'unknown', model } = recordOf(session)
  const number = prNumber(session)
  const parts = [
    id,
    titleOf(session),
    projectId,
    agent,
    model,
    branch,
    labelOf(status),
    issueId,
    number && `#${number}`,
  ]
  return { projectId, agent, text: parts.filter(Boolean).join('\n') }
}

function labelOf(status: string): string {
  return status.replaceAll('_', ' ')
}
