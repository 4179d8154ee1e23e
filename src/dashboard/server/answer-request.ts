// One request: webhooks by their signature, the API by credentials, and the page, which contains no secrets.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AoError } from '../../contract/errors.ts'
import { ANSWER_PATH } from '../../http/answer-link.ts'
import { sendError } from '../../http/exchange.ts'
import type { Router } from '../../http/route-table.ts'
import type { Observer } from '../../store/observability/observability.ts'
import { type ApiCaller, checkHost } from '../access/admit-request.ts'
import { answerByLink } from '../access/answer-by-link.ts'
import type { WebhookContext } from '../access/answer-webhook.ts'
import { receiveWebhook, WEBHOOK_PATHS } from '../access/receive-webhook.ts'
import { SIGN_IN_PATH, signIn } from '../access/sign-in.ts'
import { PAIR_PATH, pairDevice } from '../devices/pair-device.ts'
import { METRICS_PATH } from '../system/observability-routes.ts'
import type { DashboardContext } from './context.ts'
import { answerProbe, isProbePath } from './health.ts'
import type { PageFiles } from './page-files.ts'

export interface RequestTarget {
  context: DashboardContext
  webhooks: WebhookContext | null
  router: Router<DashboardContext, ApiCaller>
  observer: Observer
  pages: PageFiles
}

export async function answerRequest(
  target: RequestTarget,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { context, pages } = target
  setSecurityHeaders(response)
  try {
    dropVersion(request)
    const url = parseUrl(request)
    if (url.pathname.startsWith(WEBHOOK_PATHS)) {
      return await receiveWebhook(target.webhooks, request, response, context.log)
    }
    if (url.pathname.startsWith('/api/') || url.pathname === METRICS_PATH)
      return await answerApi(target, request, response)
    if (isProbePath(url.pathname)) return answerProbe(context, url.pathname, request, response)
    checkHost(request, context.access.reach.hosts)
    if (url.pathname === SIGN_IN_PATH) return signIn(context.access, request, response, url.searchParams)
    if (url.pathname.startsWith(PAIR_PATH)) return pairDevice(context, request, response)
    if (url.pathname.startsWith(ANSWER_PATH)) return await answerByLink(context, request, response)
    pages.send(request, response, url.pathname)
  } catch (error) {
    if (response.headersSent) response.destroy()
    else sendError(response, error)
  }
}

/** `/api/v1/…` is the API of today; a later one that is not compatible gets a number of its own. */
function dropVersion(request: IncomingMessage): void {
  request.url = request.url?.replace(/^\/api\/v1(?=\/)/, '/api')
}

function parseUrl({ url }: IncomingMessage): URL {
  try {
    return new URL(url ?? '/', 'http://localhost')
  } catch {
    // An invalid address has no answer.
    throw new AoError('USAGE', 'The address is not well formed')
  }
}

const REFUSED: readonly number[] = [401, 403]

async function answerApi(target: RequestTarget, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const started = performance.now()
  const { context, router, observer } = target
  await router.answer(context, request, response)
  // A stream lasts as long as its page is open, and is counted as one. Whoever has no access is not counted.
  if (response.getHeader('content-type') === 'text/event-stream' || REFUSED.includes(response.statusCode)) return
  const failed = response.statusCode >= 500
  observer.record('api_request', {
    projectId: '*',
    outcome: failed ? 'failure' : 'success',
    durationMs: Math.round(performance.now() - started),
    reason: failed ? `${request.method} ${request.url?.split('?')[0]}: ${response.statusCode}` : undefined,
  })
}

// Pages load no script and no markup but their own files.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The terminal sets colours by style elements and attributes it creates itself; scripts have no such exception.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  // For notifications only.
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text becomes markup, whatever a bug in the page does with it.
  "require-trusted-types-for 'script'",
  // The page names its worker through it, and nothing else.
  'trusted-types ao-worker',
]

const HEADERS: ReadonlyArray<readonly [string, string]> = [
  ['content-security-policy', POLICY.join('; ')],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
  // Each route declares how long its response may be cached; the rest is not cached.
  ['cache-control', 'no-store'],
]

function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of HEADERS) response.setHeader(name, value)
}
