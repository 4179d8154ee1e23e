// The API: all its routes and its description.
import { ANSWERS, DaemonAnswer, type DaemonStatus } from '../../../contract/agh/answers.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import type { MetricsText } from '../../../http/metrics.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { type AghRoute, route } from './agh-route.ts'
import { CONVERSATION_ROUTES } from './conversation-routes.ts'
import { HISTORY_ROUTES } from './history-routes.ts'
import { QUEUE_ROUTES } from './queue-routes.ts'
import { SESSION_ROUTES } from './session-routes.ts'
import { SETUP_ROUTES } from './setup-routes.ts'
import { TASK_ROUTES } from './task-routes.ts'

/** What comes from the daemon itself. */
export interface DaemonParts {
  status(): Promise<DaemonStatus>
  metrics: Pick<MetricsText, 'send'>
}

/** The API of this daemon, over the socket and TCP. */
export function allRoutes({ status, metrics }: DaemonParts) {
  return [
    ...SESSION_ROUTES,
    ...CONVERSATION_ROUTES,
    ...QUEUE_ROUTES,
    ...HISTORY_ROUTES,
    ...TASK_ROUTES,
    ...SETUP_ROUTES,
    route({
      method: 'GET',
      path: '/api/daemon/status',
      inside: EVERYONE,
      summary: 'What the daemon is and how many sessions it runs',
      answer: DaemonAnswer,
      handle: status,
    }),
    route({
      method: 'GET',
      path: '/metrics',
      inside: EVERYONE,
      summary: 'Metrics of the daemon and its live sessions, for Prometheus',
      stream: 'text/plain',
      async handle({ response }) {
        await metrics.send(response)
        return undefined
      },
    }),
    route({
      method: 'GET',
      path: '/api/openapi.json',
      inside: EVERYONE,
      summary: 'This description',
      stream: 'application/json',
      handle: describeAghApi,
    }),
  ] as const
}

/** For the API description only; it never serves a request. */
export function describedRoutes(): readonly AghRoute[] {
  const none = () => Promise.reject(new Error('there is no daemon'))
  return allRoutes({ status: none, metrics: { send: none } })
}

export async function describeAghApi(): Promise<object> {
  const { describeApi } = await import('../../../http/openapi.ts')
  return describeApi({
    title: 'agh',
    version: AO_VERSION ?? 'source',
    description:
      'Durable sessions of ACP agents. On the Unix socket daemon.sock, and on loopback TCP for processes of the same user, no browsers. Where the system does not say who is asking (macOS) a request needs the token in ~/.agh/http-token as bearer.',
    servers: [
      {
        url: 'http://127.0.0.1:{port}',
        description: 'Loopback, for processes of the same user; the same API is on the Unix socket daemon.sock',
        variables: { port: { default: '2123', description: '`[http] port` in config.toml' } },
      },
    ],
    security: {},
    routes: describedRoutes(),
    schemas: ANSWERS,
  })
}
