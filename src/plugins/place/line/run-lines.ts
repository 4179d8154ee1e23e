// The program at home that keeps the lines to all sessions in places: one per home. It leaves when it has none, and when a newer
// version of ao asks; it may be killed at any moment, since links name its lines and their state is on disk.
import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { AoError } from '../../../contract/errors.ts'
import { refuseRequest } from '../../../core/boundary/rights.ts'
import { listenPrivately } from '../../../host/serve.ts'
import { type AskedRoute, createRouter, routesIn } from '../../../http/route-table.ts'
import { callerAmong } from '../../../inside/find-caller.ts'
import { sleep } from '../../../lib/clock.ts'
import { withFreeLock } from '../../../lib/lock.ts'
import { createLog } from '../../../lib/log.ts'
import { writeReport } from '../../../lib/process/detached-host.ts'
import { peerEnvironments } from '../../../lib/process/peer-process.ts'
import { removeFile } from '../../../lib/remove.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { type LinesPaths, linesPaths } from '../home/line-files.ts'
import { dropLine, keepLine, listLines, SPAWN_ID } from '../line-routes.ts'
import type { OpenEngine } from './line.ts'
import { createLines, type Lines } from './lines.ts'

/** For the first request after a start. */
const UNUSED_MS = 20_000
/** Answers that are on their way. */
const LAST_ANSWER_MS = 2_000

export async function runLines(home: string, openEngine: OpenEngine): Promise<void> {
  const paths = linesPaths(home)
  mkdirSync(paths.directory, { recursive: true, mode: 0o700 })
  await withFreeLock(paths.lock, () => serve(home, paths, openEngine))
  // Now, or because another one was faster.
  writeReport('over')
  process.exit(0)
}

async function serve(home: string, paths: LinesPaths, openEngine: OpenEngine): Promise<void> {
  const log = createLog('info', undefined, 'lines')
  const leaving = Promise.withResolvers<void>()
  let isLeaving = false
  const leave = () => {
    isLeaving = true
    leaving.resolve()
  }
  const lines = createLines({ links: paths.links, openEngine, log, onEmpty: leave })
  process.on('uncaughtException', (error) => {
    if (lines.blame(error)) return
    log.error(`of no line: ${error.stack}`)
    process.exit(1)
  })
  process.on('SIGTERM', leave)
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => undefined)
  const routes = routesOf({ lines, leave, isLeaving: () => isLeaving })
  const admit = (_: null, request: IncomingMessage, route: AskedRoute<null, null> | null) =>
    admitCaller(home, request, route)
  const router = createRouter(routes, { log, docs: 'docs/places.md', admit })
  const server = createServer((request, response) => void router.answer(null, request, response))
  // Whoever connects and says nothing keeps nobody out for long.
  server.headersTimeout = server.requestTimeout = 10_000
  await listenPrivately(paths.socket, server)
  writeReport('up')
  await lines.keepLinked(process.env)
  const unused = setTimeout(() => lines.list().length === 0 && leave(), UNUSED_MS)
  await leaving.promise
  clearTimeout(unused)
  const closed = new Promise((resolve) => server.close(resolve))
  removeFile(paths.socket)
  await Promise.all([lines.close(), Promise.race([closed, sleep(LAST_ANSWER_MS)])])
}

interface Served {
  lines: Lines
  leave(): void
  isLeaving(): boolean
}

function routesOf({ lines, leave, isLeaving }: Served) {
  const row = routesIn<null, null>()
  return [
    row({
      ...keepLine,
      async handle({ params: { spawnId }, body: { stateDir, environment, version } }) {
        if (isNewer(version)) leave()
        if (isLeaving()) return { state: 'leaving' as const }
        await lines.keep({ spawnId: checked(spawnId), stateDir, env: environment })
        return { state: 'kept' as const }
      },
    }),
    row({
      ...dropLine,
      async handle({ params: { spawnId } }) {
        await lines.drop(checked(spawnId))
        return { ok: true as const }
      },
    }),
    row({ ...listLines, handle: async () => ({ version: AO_VERSION, lines: lines.list() }) }),
  ]
}

function checked(spawnId: string): string {
  if (SPAWN_ID.test(spawnId)) return spawnId
  throw new AoError('USAGE', 'That is not the mark of a launch')
}

function isNewer(version: string | null): boolean {
  if (version === null || AO_VERSION === null) return false
  return version.localeCompare(AO_VERSION, 'en', { numeric: true }) > 0
}

/** The socket is this user's alone. Agents are programs of the same user, and change nothing here but what an orchestrator may. */
async function admitCaller(
  home: string,
  { socket }: IncomingMessage,
  route: AskedRoute<null, null> | null,
): Promise<null> {
  if (route === null || route.row.method === 'GET') return null
  const peer = await peerEnvironments(socket)
  // This system does not say who asks.
  if (peer === 'unknown') return null
  if (typeof peer === 'string')
    throw new AoError('ACCESS_REFUSED', 'Refused: the process that connected cannot be seen')
  const caller = callerAmong({ env: process.env, home }, peer)
  const why = caller && refuseRequest({ kind: caller.kind, aghSession: null }, route.row, [])
  if (why) throw new AoError('ROLE_REFUSED', `Refused: ${why}`)
  return null
}
