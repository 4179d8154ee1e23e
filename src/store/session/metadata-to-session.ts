// From raw pairs to a Session. Pure: what is not in the pairs is not known here.
import {
  type AgentSessionInfo,
  DAMAGED_KEY,
  type PRInfo,
  type RuntimeHandle,
  type Session,
} from '../../contract/session.ts'
import { isSessionStatus, type SessionStatus } from '../../contract/status.ts'

export interface MetadataFacts {
  /** When the file was last written, where no key says when the agent was last active. */
  modifiedAt?: Date
  /** What in the record could not be read. */
  problems?: string[]
}

const SHOWN_PROBLEMS = 3

export function metadataToSession(sessionId: string, raw: Record<string, string>, facts: MetadataFacts = {}): Session {
  const createdAt = toDate(raw.createdAt) ?? facts.modifiedAt ?? new Date(0)
  const restoredAt = toDate(raw.restoredAt)
  const damaged = facts.problems?.slice(0, SHOWN_PROBLEMS).join('; ')
  const runtimeHandle = toRuntimeHandle(raw.runtimeHandle)
  return {
    id: sessionId,
    projectId: raw.project ?? '',
    status: toStatus(raw.status, Boolean(damaged) && runtimeHandle === null),
    activity: null,
    branch: raw.branch || null,
    issueId: raw.issue || null,
    pr: toPR(raw.pr),
    workspacePath: raw.worktree || null,
    runtimeHandle,
    agentInfo: toAgentInfo(raw),
    createdAt,
    lastActivityAt: toDate(raw.lastActivityAt) ?? facts.modifiedAt ?? createdAt,
    ...(restoredAt ? { restoredAt } : {}),
    metadata: { ...raw, ...(damaged ? { [DAMAGED_KEY]: damaged } : {}) },
  }
}

/**
 * A word we do not know (a typo, a newer version) reads as `working`: the next look at the facts puts it right, while
 * a terminal status would offer a running agent to cleanup and `spawning` would offer it to recovery. A record that lost
 * both its status and its way to the agent says nothing about work: it is `errored`, and `damaged` says why.
 */
function toStatus(word: string | undefined, isLost: boolean): SessionStatus {
  if (word !== undefined && isSessionStatus(word)) return word
  return isLost ? 'errored' : 'working'
}

/** Our own JSON, or the bare tmux name of older files and scripts. A handle is never made up from anything else. */
function toRuntimeHandle(text: string | undefined): RuntimeHandle | null {
  if (!text) return null
  if (!text.startsWith('{')) return { id: text, runtimeName: 'tmux' }
  try {
    const { id, runtimeName, data } = JSON.parse(text) as Partial<RuntimeHandle>
    if (typeof id !== 'string' || typeof runtimeName !== 'string') return null
    return { id, runtimeName, ...(typeof data === 'object' && data !== null ? { data } : {}) }
  } catch {
    // A broken handle is no handle: acting on a guess could reach somebody else's session.
    return null
  }
}

const PR_URL = /^https?:\/\/[^/]+\/(.+)\/((?!-\/)[^/]+)\/(?:-\/)?(?:pulls?|merge_requests)\/([0-9]+)\/?(?:[?#].*)?$/

function toPR(url: string | undefined): PRInfo | null {
  if (!url) return null
  const match = PR_URL.exec(url)
  if (!match) return { url }
  const [, owner = '', repo = '', number] = match
  return { url, number: Number(number), owner, repo }
}

function toAgentInfo(raw: Record<string, string>): AgentSessionInfo | null {
  const summary = raw.pinnedSummary || raw.summary
  if (!summary) return null
  return { summary, agentSessionId: raw.opencodeSessionId || null }
}

function toDate(text: string | undefined): Date | null {
  if (!text) return null
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? null : date
}
