// What home can ask of a host, by method and path. Each answers with JSON, or takes its stream over.

import { createWriteStream, existsSync } from 'node:fs'
import type { ServerHttp2Stream } from 'node:http2'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isAttachments } from '../../../contract/agh/attachment.ts'
import { AoError } from '../../../contract/errors.ts'
import { createInbox, REMEMBERED_KEYS } from '../../../host/inbox.ts'
import { serveTerminal } from '../../../host/io/terminal.ts'
import { findLeftover } from '../../../host/spool.ts'
import { writeAttachmentFile, writeMessageFile } from '../../../inside/write-message-file.ts'
import { systemClock } from '../../../lib/clock.ts'
import { createTurns } from '../../../lib/lock/turns.ts'
import { openEmpty } from '../../../lib/plain-file.ts'
import { stopProcesses } from '../../../lib/process/process-tree.ts'
import { continueFamilies, stopFamilies } from '../../../lib/process/stop-families.ts'
import { AO_VERSION } from '../../../lib/version.ts'
import { nextPiece } from '../../../store/recording/next-piece.ts'
import type { FarAnswer, FarBody, FarRoute } from '../far-routes.ts'
import { drainInto } from '../wire.ts'
import { readPack } from '../work/pack.ts'
import { findConversation, sendConversation } from './conversation.ts'
import type { FarHost } from './far-host.ts'
import { addToCache, copyFromCache, forgetUnused } from './object-cache.ts'
import { captureWork, packWork } from './work.ts'
import {
  checkOut,
  createOrigin,
  fetchOrigin,
  isComplete,
  readRemoteBranches,
  runCommands,
  setRemoteBranches,
  writeFiles,
} from './workspace.ts'

/** An answer that a route has written itself. */
export const ANSWERED = Symbol('answered')

interface FarCall<N extends FarRoute> {
  stream: ServerHttp2Stream
  query: URLSearchParams
  /** Checked against the row; where it has none, the stream is the handler's. */
  body: FarBody<N>
}

/** The name of a repository, as home computes it. */
const CACHE = /^[0-9a-f]{64}$/
const MOST_TIPS = 1_000

/** null: there is nothing to send. */
export type FarHandlers = { [N in FarRoute]: (call: FarCall<N>) => Promise<FarAnswer<N> | null | typeof ANSWERED> }

export interface RouteEvents {
  /** Home has fetched the work and the conversation of an agent that has ended. */
  onLastWork(): void
  end(): void
}

export function createRoutes(far: FarHost, host: string[], on: RouteEvents): FarHandlers {
  const { paths, note, asks } = far
  /** One at a time: they share a scratch directory. */
  const turns = createTurns()
  const inTurn = <T>(work: () => Promise<T>) => turns.run('', work)
  const inbox = createInbox(REMEMBERED_KEYS)
  const workspace = { path: paths.workspace, ownCheckout: null }

  return {
    'GET /hello': async () => ({
      version: AO_VERSION ?? 'dev',
      ...note,
      now: systemClock.now().getTime(),
      agent: far.agentState(),
      pid: far.hosted()?.pid ?? null,
      directory: paths.directory,
      workspace: paths.workspace,
    }),
    'POST /repository': async ({ body }) => {
      await createOrigin(paths)
      forgetUnused(paths.caches, systemClock.now().getTime())
      const cached = await copyFromCache(join(paths.caches, body.cache), paths.origin)
      const fetched = body.remote ? await fetchOrigin(paths, body.remote) : { has: [] }
      return { ...fetched, has: [...cached, ...fetched.has].slice(0, MOST_TIPS) }
    },
    'POST /objects': async ({ stream, query }) => {
      await createOrigin(paths)
      const pack = await readPack({ gitDir: paths.origin, env: process.env }, stream)
      const tips = ids(query, 'tips')
      const isWhole = !query.has('check') || (await isComplete(paths.origin, tips))
      const cache = query.get('cache') ?? ''
      if (isWhole && CACHE.test(cache)) addToCache(join(paths.caches, cache), pack, tips)
      return { ok: true, isWhole }
    },
    'POST /checkout': ({ body }) => done(checkOut(paths, body, host)),
    'GET /remote': () => readRemoteBranches(paths),
    'POST /remote': ({ body }) => done(setRemoteBranches(paths, body)),
    'POST /files': async ({ body }) => done(writeFiles(paths, body)),
    'POST /attachment': async ({ body: { data, ...file } }) => {
      const attachments = [{ ...file, type: 'application/octet-stream', size: 0 }]
      if (!isAttachments(attachments)) throw new AoError('USAGE', 'This is not a file that goes along with a message')
      return done(writeAttachmentFile(workspace, attachments[0]!, Buffer.from(data, 'base64')))
    },
    'POST /message': async ({ body: { id, text } }) => done(writeMessageFile(workspace, id, text)),
    'POST /stopped': async ({ body: { stopped } }) => done((stopped ? stopFamilies : continueFamilies)([note.spawnId])),
    'GET /recording': async ({ stream, query }) => {
      const has = { part: Number(query.get('part')) || 0, bytes: Number(query.get('bytes')) || 0 }
      const piece = nextPiece(paths.directory, has)
      if (piece === null) return null
      stream.respond({ ':status': 200, 'x-part': String(piece.part) })
      stream.end(piece.data)
      return ANSWERED
    },
    'GET /conversation': async ({ stream, query }) => {
      // Home asks for it after the work.
      if (far.agentState() === 'ended') stream.once('close', () => stream.rstCode === 0 && on.onLastWork())
      const agent = far.hosted()?.far
      const conversation = agent ? await findConversation(agent) : null
      const isNew = conversation !== null && conversation.stamp !== query.get('known')
      if (!isNew) return null
      stream.respond({ ':status': 200, 'x-conversation': conversation.stamp })
      await sendConversation(conversation, stream)
      return ANSWERED
    },
    'POST /conversation': async ({ stream }) =>
      done(drainInto(stream, createWriteStream('', { fd: openEmpty(paths.conversation) }))),
    'POST /commands': async ({ body }) => ({ failed: await runCommands(paths, body) }),
    'POST /launch': ({ body }) => far.launch(body),
    'POST /terminal': async ({ stream }) => {
      const hosted = far.hosted()
      if (!hosted?.terminal) throw new Error('its terminal is gone')
      stream.respond({ ':status': 200 })
      const { stop, terminal: agent } = hosted
      serveTerminal(stream, { ...note, agent, stop, inbox, hasSeen: far.hasSeen })
      return ANSWERED
    },
    'POST /pipes': async ({ stream }) => {
      const pipes = far.hosted()?.pipes
      if (!pipes) throw new Error('its pipes are gone')
      stream.respond({ ':status': 200 })
      pipes.accept(stream)
      return ANSWERED
    },
    'GET /output': async ({ stream }) => {
      const left = far.agentState() === 'ended' ? findLeftover(paths.output) : null
      if (left === null) return null
      stream.respond({ ':status': 200, 'x-offset': String(left.from) })
      await pipeline(Readable.from(left.pieces()), stream)
      return ANSWERED
    },
    'GET /log': async ({ stream, query }) => {
      stream.respond({ ':status': 200 })
      far.follow(stream, Number(query.get('after')) || 0)
      return ANSWERED
    },
    'GET /work': ({ stream, query }) =>
      inTurn(async () => {
        const maxBytes = query.has('limit') ? Number(query.get('limit')) : Number.POSITIVE_INFINITY
        const onlyCommits = query.get('only') === 'commits' && far.agentState() !== 'ended'
        const work = existsSync(paths.workspace) ? await captureWork(paths.workspace, { maxBytes, onlyCommits }) : null
        if (work === null) return null
        const wants = [work.work, ...ids(query, 'want')]
        const { pack, done: packed } = await packWork(paths.workspace, { wants, haves: ids(query, 'have') })
        stream.respond({ ':status': 200, 'x-work': JSON.stringify(work) })
        await Promise.all([pipeline(pack, stream), packed])
        return ANSWERED
      }),
    'POST /gates': ({ body }) => done(far.gates.checkOut(body)),
    'POST /gates/run': ({ body }) => far.gates.run(body),
    'GET /gates/log': async ({ stream, query }) => {
      const log = far.gates.log(query.get('id') ?? '', Number(query.get('n')))
      stream.respond({ ':status': 200 })
      stream.end(log)
      return ANSWERED
    },
    'POST /gates/close': ({ body }) => done(far.gates.close(body.id)),
    'POST /forward': async ({ stream }) => {
      stream.respond({ ':status': 200 })
      asks.begin(stream)
      return ANSWERED
    },
    'POST /ask': async ({ stream, query }) => {
      // First the headers: a write would send them, and sending them again would end the stream.
      const accept = () => stream.respond({ ':status': 200 })
      if (!asks.take(query.get('id') ?? '', stream, accept)) throw new Error('the caller is no longer waiting for this')
      return ANSWERED
    },
    'POST /connection': async ({ stream, query }) => {
      stream.respond({ ':status': 200 })
      const refused = query.get('refused')
      if (!far.proxy()?.take(query.get('id') ?? '', stream, refused) || refused !== null) stream.close()
      return ANSWERED
    },
    'POST /stop': async ({ body: { graceMs } }) => {
      await far.gates.close()
      const hosted = far.hosted()
      if (hosted) await hosted.stop(graceMs)
      await stopProcesses(note.spawnId, [], { graceMs: 0 })
      return { ok: true, unproven: hosted?.unproven ?? [] }
    },
    'POST /end': async () => done(setTimeout(on.end, 100)),
  }
}

async function done(work: unknown): Promise<{ ok: true }> {
  await work
  return { ok: true }
}

function ids(query: URLSearchParams, name: string): string[] {
  return (query.get(name) ?? '').split(',').filter((id) => /^[0-9a-f]{40,64}$/.test(id))
}
