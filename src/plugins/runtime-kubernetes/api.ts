// Requests to a cluster's API server. A thin client: @kubernetes/client-node installs 83 MB for the six requests that a place needs.

import { type IncomingMessage, request as requestPlain } from 'node:http'
import { type RequestOptions, request as requestSecure } from 'node:https'
import { AoError, errorText } from '../../contract/errors.ts'
import { sleep } from '../../lib/clock.ts'
import type { ClusterAccess } from './kubeconfig.ts'

/** The API server's own words about a refusal. */
export class ApiError extends Error {
  readonly status: number
  readonly reason: string
  constructor(status: number, reason: string, message: string) {
    super(message)
    this.status = status
    this.reason = reason
  }
}

export interface Api {
  access: ClusterAccess
  /** Throws ApiError for a refusal and PLACE_UNREACHABLE when there is no answer. */
  ask<T>(method: string, path: string, body?: unknown): Promise<T>
  /** Lines of JSON, until the server ends it or `isEnough` says so. */
  watch(path: string, onEvent: (event: WatchEvent) => 'more' | 'enough', timeoutMs: number): Promise<void>
  /** What a connection needs: address, authorities, certificates, headers. */
  connection(path: string): Promise<Connection>
}

export interface WatchEvent {
  type: string
  object: Record<string, unknown>
}

export interface Connection {
  url: URL
  options: RequestOptions
}

const ANSWER_MS = 30_000
const MAX_ANSWER = 64 * 1024 * 1024
const TRIES = 5

export function openApi(access: ClusterAccess): Api {
  async function connection(path: string): Promise<Connection> {
    const { token, basic, cert, key } = await access.credentials()
    const headers: Record<string, string> = { accept: 'application/json' }
    if (token) headers.authorization = `Bearer ${token}`
    else if (basic) headers.authorization = `Basic ${Buffer.from(basic).toString('base64')}`
    const { ca, insecure, serverName: servername } = access
    const tls = { ca, cert, key: cert && key, servername, rejectUnauthorized: !insecure }
    return { url: new URL(access.server + path), options: { headers, ...tls } }
  }

  async function open(method: string, path: string, body: unknown, timeoutMs: number): Promise<IncomingMessage> {
    const { url, options } = await connection(path)
    const sent = body === undefined ? undefined : JSON.stringify(body)
    // The length too: node sends none with a DELETE, and the server would take the body for the next request.
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const about = sent === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(sent) }
    const headers = { ...options.headers, ...about }
    const send = url.protocol === 'http:' ? requestPlain : requestSecure
    return new Promise((resolve, reject) => {
      const request = send(url, { ...options, method, headers, timeout: timeoutMs, agent: false }, resolve)
      request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)))
      request.on('error', (error) => reject(unreachable(access, error)))
      request.end(sent)
    })
  }

  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    for (let tries = 1; ; tries++) {
      const answer = await open(method, path, body, ANSWER_MS)
      const reply = await readText(answer, access)
      const status = answer.statusCode ?? 0
      if (status < 300) return parseAnswer<T>(reply, access)
      const refusal = readRefusal(status, reply)
      // The server says when: it is busy, or just starting. The request was not carried out.
      const waits = status === 429 || (status === 503 && answer.headers['retry-after'] !== undefined)
      if (!waits || tries >= TRIES) throw refusal
      await sleep(Math.min(Number(answer.headers['retry-after'] ?? 1) || 1, 10) * 1000)
    }
  }

  async function watch(
    path: string,
    onEvent: (event: WatchEvent) => 'more' | 'enough',
    timeoutMs: number,
  ): Promise<void> {
    const answer = await open('GET', path, undefined, timeoutMs)
    const status = answer.statusCode ?? 0
    if (status >= 300) throw readRefusal(status, await readText(answer, access))
    let rest = ''
    answer.setEncoding('utf8')
    try {
      for await (const chunk of answer) {
        rest += chunk as string
        if (rest.length > MAX_ANSWER) throw new Error('a line of the watch is too long')
        const lines = rest.split('\n')
        rest = lines.pop()!
        for (const line of lines) {
          if (line.trim() !== '' && onEvent(JSON.parse(line) as WatchEvent) === 'enough') return
        }
      }
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw unreachable(access, error)
    } finally {
      answer.destroy()
    }
  }

  return { access, ask, watch, connection }
}

async function readText(answer: IncomingMessage, access: ClusterAccess): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of answer) {
      size += (chunk as Buffer).length
      if (size > MAX_ANSWER) throw new Error('the answer is too long')
      chunks.push(chunk as Buffer)
    }
  } catch (error) {
    throw unreachable(access, error)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseAnswer<T>(reply: string, access: ClusterAccess): T {
  try {
    return JSON.parse(reply) as T
  } catch {
    throw unreachable(access, new Error('what answers there is not an API server'))
  }
}

/** A Status object, or whatever a proxy in between said. */
export function readRefusal(status: number, reply: string): ApiError {
  try {
    const { reason, message } = JSON.parse(reply) as { reason?: unknown; message?: unknown }
    if (typeof message === 'string') return new ApiError(status, typeof reason === 'string' ? reason : '', message)
  } catch {
    // Not JSON: its first line is all there is.
  }
  return new ApiError(status, '', reply.trim().split('\n')[0]?.slice(0, 300) || `HTTP ${status}`)
}

export function unreachable({ server }: ClusterAccess, error: unknown): AoError {
  return new AoError('PLACE_UNREACHABLE', `The cluster at ${server} cannot be reached: ${errorText(error)}`, {
    hint: 'Try it by hand: kubectl get pods',
  })
}

/** A refusal of the API server as an error with a next step. What is no refusal stays as it is. */
export function explain(error: unknown, { template }: { template?: string | undefined }): unknown {
  if (!(error instanceof ApiError)) return error
  const details = { status: error.status, reason: error.reason }
  const message = error.message
  if (error.status === 401) {
    return new AoError('PLACE_UNREACHABLE', `The cluster does not accept your credentials: ${message}`, {
      hint: 'Log in again, and make this work first: kubectl get pods',
      details,
    })
  }
  if (error.status === 403 && /exceeded quota/i.test(message)) {
    return new AoError('PLACE_FULL', `The namespace's quota is used up: ${message.replace(/^.*?forbidden: /, '')}`, {
      hint: 'See it with: kubectl describe resourcequota',
      details,
    })
  }
  if (error.status === 403) {
    return new AoError('PLACE_FAILED', `The cluster forbids it: ${message}`, {
      hint: 'docs/places.md has a Role with exactly the rights that ao needs',
      details,
    })
  }
  if (error.status === 429) return new AoError('PLACE_UNREACHABLE', `The cluster is too busy: ${message}`, { details })
  if (error.status === 422 || error.status === 400) {
    const hint = template ? `Correct ${template}` : "Correct the place's options"
    return new AoError('PLACE_FAILED', `The cluster does not accept the pod: ${message}`, { hint, details })
  }
  if (error.status >= 500)
    return new AoError('PLACE_UNREACHABLE', `The cluster answers with an error: ${message}`, { details })
  return new AoError('PLACE_FAILED', `The cluster refused: ${message}`, { details })
}
