// What a person can do right from a notification: answer the question by a link that is valid once.
import type { OrchestratorConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { PermissionRequest } from '../../contract/permission.ts'
import { MAX_QUESTION, requestLine } from '../../core/queue/describe-request.ts'
import { readOrMakeToken } from '../../http/access-token.ts'
import { ANSWER_PATH, LINKED_DECISIONS, signAnswer } from '../../http/answer-link.ts'
import type { Notification, NotificationAction } from '../../slots/notifier.ts'
import type { LoopContext } from '../loop/loop-context.ts'
import { runFiles, runningPage } from '../loop/run-state.ts'

export interface LinkContext {
  config: Pick<OrchestratorConfig, 'dashboard'>
  /** The address of the pages on this machine; undefined: nothing serves them. */
  page: string | undefined
  /** Where the key of links is. */
  keyFile: string
  now: number
}

const GOOD_FOR_MS = 24 * 3_600_000

export interface Answers extends Pick<Notification, 'actions' | 'url' | 'onPage'> {
  question?: string | undefined
}

/** What it asks now, and where that can be answered. A notification without links is better than none. */
export async function findAnswers({ context, manager }: LoopContext, sessionId: string): Promise<Answers> {
  const { config, paths, clock, log } = context
  const pending = await manager.pendingPermissions(sessionId).catch((error: unknown) => {
    log.debug(`what ${sessionId} asks could not be read: ${errorText(error)}`)
    return []
  })
  const [request] = pending
  const question = request && requestLine(request, MAX_QUESTION)
  const local = runningPage(paths)()
  if (local === undefined) return { question }
  const links = { config, page: local, keyFile: runFiles(paths).links, now: clock.now().getTime() }
  const page = pageFromElsewhere(links)
  const url = page === undefined ? undefined : `${page}/sessions/${encodeURIComponent(sessionId)}`
  const { origin, pathname } = new URL(local)
  const path = `${pathname.replace(/\/$/, '')}/sessions/${encodeURIComponent(sessionId)}`
  try {
    const actions = answerActions(links, sessionId, pending)
    const own = answerActions({ ...links, config: { dashboard: { url: origin } } }, sessionId, pending)
    const onPage = { path, actions: own.map(({ label, url }) => ({ label, url: new URL(url).pathname })) }
    return { question, url, actions: actions.length === 0 ? undefined : actions, onPage }
  } catch (error) {
    log.debug(`the notification about ${sessionId} has no links to answer by: ${errorText(error)}`)
    return { question, url, onPage: { path, actions: [] } }
  }
}

/** undefined: `dashboard.url` is not configured, or nothing is listening. */
function pageFromElsewhere({ config, page }: Pick<LinkContext, 'config' | 'page'>): string | undefined {
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
