// Answers of the pages that only show: observability, feedback, archive, settings.
import type { ReactionRule } from '../reactions.ts'
import type { SessionStatus } from '../status.ts'

/** GET /api/observability: the merged snapshots of all processes (seed 001), as the store's summary writes them. */
export interface ObservabilityAnswer {
  overallStatus: 'ok' | 'warn' | 'error'
  processes: Array<{ component: string; pid: number; running: boolean | null; startedAt: string; updatedAt: string }>
  metrics: Record<
    string,
    {
      total: number
      success: number
      failure: number
      lastAt: string
      lastFailureAt?: string | undefined
      lastFailureReason?: string | undefined
    }
  >
  traces: Array<{
    id: string
    timestamp: string
    component: string
    operation: string
    outcome: 'success' | 'failure'
    correlationId: string
    projectId?: string | undefined
    sessionId?: string | undefined
    durationMs?: number | undefined
    reason?: string | undefined
  }>
  /** The sessions that something was done to last, newest first. */
  sessions: Record<
    string,
    {
      projectId: string
      lastOperation: string
      outcome: 'success' | 'failure'
      timestamp: string
      reason?: string | undefined
    }
  >
  health: Record<string, { status: 'ok' | 'warn' | 'error'; reason?: string | undefined; updatedAt: string }>
  damaged: string[]
}

/** GET /api/observability/series[?hours=24]: computed from the histories, oldest first. */
export interface SeriesAnswer {
  /** What is spanned; when not requested, as few as show everything. */
  hours: number
  /** ISO 8601, one per point. */
  times: string[]
  byStatus: Partial<Record<SessionStatus, number[]>>
  /** Running totals over all sessions. */
  tokens: number[]
  costUsd: number[]
  /** Minutes that sessions waited for the human, within each step. */
  waitingMinutes: number[]
}

/** GET /api/feedback */
export interface FeedbackAnswer {
  reports: Array<{
    id: string
    projectId: string
    tool: string
    createdAt: string
    title: string
    body: string
    session: string
    source: string
    confidence: number
    evidence: string[]
  }>
  damaged: string[]
}

/** GET /api/archive */
export interface ArchiveAnswer {
  sessions: Array<{
    id: string
    projectId: string
    title: string
    status: SessionStatus
    agent: string
    branch: string | null
    issueId: string | null
    prUrl: string | null
    createdAt: string
    archivedAt: string
    canRestore: boolean
  }>
}

/** GET /api/settings. Secrets are hidden by the server. */
export interface SettingsAnswer {
  configPath: string
  version: string
  dataDir: string
  projects: Array<{
    id: string
    name: string
    path: string
    repo: string | null
    defaultBranch: string
    agent: string
    runtime: string
    workspace: string
    tracker: string | null
    scm: string | null
    reactions: Array<{
      key: string
      rule: ReactionRule
      /** Where each value comes from. */
      from: Partial<Record<keyof ReactionRule, 'default' | 'global' | 'project'>>
    }>
  }>
  notifiers: Array<{ name: string; plugin: string; priorities: string[] }>
}
/** POST /api/notifiers/:name/test. Answer: { ok: boolean, message: string } */
