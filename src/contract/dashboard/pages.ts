// Responses for the read-only pages: observability, feedback, archive, settings. Each shape once, as a schema.
import * as z from 'zod/mini'
import { REACTION_KEYS } from '../config/reaction-keys.ts'
import { SESSION_STATUSES } from '../status.ts'

const text = z.nullable(z.string())
const outcome = z.enum(['success', 'failure'])
const reason = z.optional(z.string())

/** GET /api/observability: the merged snapshots of all processes (seed 001), as the store's summary writes them. */
export const observabilityAnswer = z.object({
  overallStatus: z.enum(['ok', 'warn', 'error']),
  processes: z.array(
    z.object({
      component: z.string(),
      pid: z.int(),
      running: z.nullable(z.boolean()),
      startedAt: z.string(),
      updatedAt: z.string(),
    }),
  ),
  metrics: z.record(
    z.string(),
    z.object({
      total: z.number(),
      success: z.number(),
      failure: z.number(),
      lastAt: z.string(),
      lastFailureAt: z.optional(z.string()),
      lastFailureReason: z.optional(z.string()),
    }),
  ),
  traces: z.array(
    z.object({
      id: z.string(),
      timestamp: z.string(),
      component: z.string(),
      operation: z.string(),
      outcome,
      correlationId: z.string(),
      projectId: z.optional(z.string()),
      sessionId: z.optional(z.string()),
      durationMs: z.optional(z.number()),
      reason,
    }),
  ),
  /** The sessions that were changed last, newest first. */
  sessions: z.record(
    z.string(),
    z.object({ projectId: z.string(), lastOperation: z.string(), outcome, timestamp: z.string(), reason }),
  ),
  health: z.record(z.string(), z.object({ status: z.enum(['ok', 'warn', 'error']), reason, updatedAt: z.string() })),
  damaged: z.array(z.string()),
})
export type ObservabilityAnswer = z.infer<typeof observabilityAnswer>

/** GET /api/observability/series[?hours=24]: computed from the histories, oldest first. */
export const seriesAnswer = z.object({
  /** The span; by default as short as shows everything. */
  hours: z.number(),
  /** ISO 8601, one per point. */
  times: z.array(z.string()),
  byStatus: z.partialRecord(z.enum(SESSION_STATUSES), z.array(z.number())),
  /** Running totals over all sessions. */
  tokens: z.array(z.number()),
  costUsd: z.array(z.number()),
  /** Minutes that sessions waited for a person, within each step. */
  waitingMinutes: z.array(z.number()),
  /** The same for each of the last seven days of the server's calendar, oldest first. */
  waitedPerDay: z.array(z.object({ day: z.string(), minutes: z.number() })),
})
export type SeriesAnswer = z.infer<typeof seriesAnswer>

/** GET /api/feedback */
export const feedbackAnswer = z.object({
  reports: z.array(
    z.object({
      id: z.string(),
      projectId: z.string(),
      tool: z.string(),
      createdAt: z.string(),
      title: z.string(),
      body: z.string(),
      session: z.string(),
      source: z.string(),
      confidence: z.number(),
      evidence: z.array(z.string()),
    }),
  ),
  damaged: z.array(z.string()),
})
export type FeedbackAnswer = z.infer<typeof feedbackAnswer>

/** GET /api/archive */
export const archiveAnswer = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      projectId: z.string(),
      title: z.string(),
      status: z.enum(SESSION_STATUSES),
      agent: z.string(),
      branch: text,
      issueId: text,
      prUrl: text,
      createdAt: z.string(),
      archivedAt: z.string(),
      costUsd: z.nullable(z.number()),
      canRestore: z.boolean(),
    }),
  ),
})
export type ArchiveAnswer = z.infer<typeof archiveAnswer>

/** As `ReactionRule` in reactions.ts; keys without a value are absent in JSON. */
const reactionRule = z.object({
  auto: z.boolean(),
  action: z.enum([
    'send-to-agent',
    'notify',
    'auto-merge',
    'restart-agent',
    'pause',
    'stop',
    'switch-account',
    'review',
  ]),
  message: z.optional(z.string()),
  priority: z.enum(['urgent', 'action', 'warning', 'info']),
  retries: z.optional(z.number()),
  escalateAfterAttempts: z.optional(z.number()),
  escalateAfterMs: z.optional(z.number()),
  thresholdMs: z.number(),
})

/** GET /api/settings. The server hides secrets. */
export const settingsAnswer = z.object({
  configPath: z.string(),
  version: z.string(),
  dataDir: z.string(),
  projects: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      path: z.string(),
      repo: text,
      defaultBranch: z.string(),
      agent: z.string(),
      runtime: z.string(),
      workspace: z.string(),
      tracker: text,
      scm: text,
      reactions: z.array(
        z.object({
          key: z.enum(REACTION_KEYS),
          rule: reactionRule,
          /** Where each value comes from. */
          from: z.partialRecord(z.keyof(reactionRule), z.enum(['default', 'global', 'project'])),
        }),
      ),
    }),
  ),
  notifiers: z.array(
    z.object({
      name: z.string(),
      plugin: z.string(),
      priorities: z.array(z.string()),
      /** false: a route names the plugin itself, which has no entry of its own. */
      isWritten: z.boolean(),
      /** Why its last notification was not delivered; null: it was, or there has been none. */
      problem: z.nullable(z.string()),
    }),
  ),
})
export type SettingsAnswer = z.infer<typeof settingsAnswer>

/** POST /api/notifiers/:name/test */
export const notifierTestAnswer = z.object({ ok: z.boolean(), message: z.string() })

/** One of the configurations that a server has, for the page's list. */
export const repository = z.object({
  hash: z.string(),
  /** Where its page is. */
  href: z.string(),
  /** The name of its directory. */
  name: z.string(),
  configPath: z.string(),
  projects: z.array(z.object({ id: z.string(), name: z.string() })),
  sessions: z.int(),
  needsYou: z.int(),
  /** What is wrong with it; null: nothing. */
  problem: z.nullable(z.string()),
  /** The one that was asked. */
  isThis: z.boolean(),
})
export type Repository = z.infer<typeof repository>

export const repositoriesAnswer = z.object({ repositories: z.array(repository) })

/** GET /api/cost */
export const costAnswer = z.object({
  by: z.string(),
  rows: z.array(
    z.object({
      name: z.string(),
      sessions: z.int(),
      tokens: z.number(),
      /** null: no price is known. */
      costUsd: z.nullable(z.number()),
      /** Sessions with an unknown price. */
      unpriced: z.int(),
    }),
  ),
})

const scheduleRun = z.object({
  due: z.string(),
  state: z.string(),
  session: z.optional(z.string()),
  why: z.optional(z.string()),
  missed: z.optional(z.number()),
})

/** GET /api/schedules */
const scheduleRow = z.object({
  project: z.string(),
  name: z.string(),
  kind: z.enum(['schedule', 'trigger']),
  when: z.string(),
  timezone: z.nullable(z.string()),
  paused: z.boolean(),
  next: z.nullable(z.string()),
  invalid: z.nullable(z.string()),
  waiting: z.number(),
  last: z.nullable(scheduleRun),
  /** Newest first. */
  runs: z.array(scheduleRun),
})
export type ScheduleRowAnswer = z.infer<typeof scheduleRow>
export const schedulesAnswer = z.object({
  schedules: z.array(scheduleRow),
  /** Projects whose schedules cannot be read. */
  problems: z.array(z.object({ projectId: z.string(), message: z.string() })),
})

/** POST /api/projects/:project/schedules/:name/pause */
export const schedulePauseBody = z.strictObject({ paused: z.boolean() })
/** POST /api/projects/:project/schedules/:name/run */
export const scheduleRunAnswer = z.object({ session: z.string() })
