// The session that a record describes, nothing observed.
import { pullRef } from './ids.ts'
import { recordOf } from './record.ts'
import { DAMAGED_KEY, type Session } from './session.ts'
import type { SessionStatus } from './status.ts'

interface MetadataFacts {
  /** When the file was last written, if no key says when the agent was last active. */
  modifiedAt?: Date
  /** Anything that could not be read in the record. */
  problems?: string[]
}

const SHOWN_PROBLEMS = 3

/** A hand-written file may not name its project; its directory does. */
export function storedSession(
  stored: MetadataFacts & { id: string; pairs: Record<string, string> },
  projectId: string,
): Session {
  return { ...metadataToSession(stored.id, stored.pairs, stored), projectId }
}

export function metadataToSession(sessionId: string, raw: Record<string, string>, facts: MetadataFacts = {}): Session {
  const record = recordOf({ metadata: raw })
  const createdAt = record.createdAt ?? facts.modifiedAt ?? new Date(0)
  const damaged = facts.problems?.slice(0, SHOWN_PROBLEMS).join('; ')
  const { runtimeHandle = null } = record
  const summary = record.pinnedSummary ?? record.summary
  return {
    id: sessionId,
    projectId: record.project ?? '',
    status: record.status ?? statusWithoutWord(Boolean(damaged) && runtimeHandle === null),
    activity: null,
    branch: record.branch ?? null,
    issueId: record.issue ?? null,
    pr: record.pr === undefined ? null : pullRef(record.pr),
    workspacePath: record.worktree ?? null,
    runtimeHandle,
    agentInfo: summary === undefined ? null : { summary, agentSessionId: record.opencodeSessionId ?? null },
    createdAt,
    lastActivityAt: record.lastActivityAt ?? facts.modifiedAt ?? createdAt,
    ...(record.restoredAt ? { restoredAt: record.restoredAt } : {}),
    // The same object when nothing is added: parsed results are cached with it.
    metadata: damaged ? { ...raw, [DAMAGED_KEY]: damaged } : raw,
  }
}

/**
 * An unknown word (a typo, a newer version) reads as `working`: the next observation corrects it, while a terminal status
 * would offer a running agent to cleanup and `spawning` would offer it to recovery. A record that lost both its status and
 * its handle says nothing about work: it is `errored`, and `damaged` says why.
 */
function statusWithoutWord(isLost: boolean): SessionStatus {
  return isLost ? 'errored' : 'working'
}
