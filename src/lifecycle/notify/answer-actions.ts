// What a person can do right from a notification: answer the question by a link that is valid once.
import type { OrchestratorConfig } from '../../contract/config.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import { readOrMakeToken } from '../../http/access-token.ts'
import { ANSWER_PATH, LINKED_DECISIONS, signAnswer } from '../../http/answer-link.ts'
import type { NotificationAction } from '../../slots/notifier.ts'

export interface LinkContext {
  config: Pick<OrchestratorConfig, 'dashboard'>
  /** The address of the pages on this machine; undefined: nothing serves them. */
  page: string | undefined
  /** Where the key of links is. */
  keyFile: string
  now: number
}

const GOOD_FOR_MS = 24 * 3_600_000

/** undefined: `dashboard.url` is not configured, or nothing is listening. */
export function pageFromElsewhere({ config, page }: Pick<LinkContext, 'config' | 'page'>): string | undefined {
  const { url } = config.dashboard ?? {}
  if (url === undefined || page === undefined) return undefined
  return `${url.replace(/\/$/, '')}${new URL(page).pathname.replace(/\/$/, '')}`
}

/**
 * Only for the one question that is pending, and only where it can be told from every other: a dialog on a screen that looks
 * the same tomorrow may be about something else.
 */
export function answerActions(
  context: LinkContext,
  sessionId: string,
  pending: readonly PermissionRequest[],
): NotificationAction[] {
  const base = pageFromElsewhere(context)
  const [request, ...more] = pending
  if (base === undefined || request === undefined || more.length > 0 || request.kind === 'dialog') return []
  const { requestId, askedAt, options, expiresAt } = request
  const until = Math.min(
    expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
    context.now + GOOD_FOR_MS,
  )
  const key = readOrMakeToken(context.keyFile)
  // What a notification cannot show whole is not allowed from it.
  const offered = LINKED_DECISIONS.filter((decision) => decision !== 'allow-once' || !request.isCut)
  return offered
    .filter((decision) => options.some((one) => one.decision === decision))
    .map((decision) => ({
      label: LABELS[decision],
      url: `${base}${ANSWER_PATH}${signAnswer(key, { sessionId, requestId, askedAt, decision, until })}`,
    }))
}

const LABELS = { 'allow-once': 'Allow once', 'reject-once': 'Deny' } as const
