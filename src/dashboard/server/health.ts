// For probes of systemd, containers and load balancers: `/healthz` says that the server answers, `/readyz` that the loop is
// working. Neither contains secrets, so they need no credentials and accept any host.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendJson } from '../../http/exchange.ts'
import { ownFiles } from '../../lib/process/own-files.ts'
import type { LoopState } from '../../lifecycle/loop/create-loop.ts'
import type { DashboardContext } from './context.ts'

const PROBES: readonly string[] = ['/healthz', '/readyz']

export function isProbePath(path: string): boolean {
  return PROBES.includes(path)
}

export function answerProbe(
  { loop, version }: DashboardContext,
  path: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): void {
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  if (path === '/healthz') {
    sendJson(response, 200, { status: 'ok', version })
    return
  }
  // Without a loop (`ao dashboard`) only the page has to be ready.
  const status: LoopState | 'replaced' = ownFiles() === 'same' ? (loop?.state() ?? 'ready') : 'replaced'
  sendJson(response, status === 'ready' ? 200 : 503, { status })
}
