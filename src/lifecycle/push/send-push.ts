// One push message: encrypted for its browser and signed with this machine's keys by `web-push`, sent like every other request.
import { lookup } from 'node:dns/promises'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { areAllPublic, endpointProblem } from '../../core/access/check-endpoint.ts'
import { createFileExclusive } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { isDirect, wayOut } from '../../plugins/http-api/way-out.ts'
import { post } from '../../plugins/notify-http/post.ts'
import { NotifierError } from '../../slots/notifier.ts'
import type { PushSubscriber } from './push-store.ts'

export interface PushKeys {
  publicKey: string
  privateKey: string
}

/** Made at first use, and kept: browsers accept messages of the key that they subscribed to only. */
export async function readOrMakePushKeys(file: string): Promise<PushKeys> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const stored = readIfThere(file)
  if (stored !== null) return JSON.parse(stored) as PushKeys
  const { default: webPush } = await import('web-push')
  // Two processes that need them at once end up with the same ones.
  createFileExclusive(file, `${JSON.stringify(webPush.generateVAPIDKeys())}\n`)
  return JSON.parse(readIfThere(file) ?? '') as PushKeys
}

export interface PushRequest {
  subscriber: Pick<PushSubscriber, 'endpoint' | 'keys'>
  keys: PushKeys
  payload: string
  isUrgent: boolean
}

/** Older messages are of no use to a phone that comes back. */
const KEEP_SECONDS = 12 * 60 * 60
/** Names whom a push service may write to; there is nobody but the user, who is not named. */
const SUBJECT = 'https://github.com/'

/** Throws a NotifierError; with status 404 or 410 the browser wants no more messages. */
export async function sendPush({ subscriber, keys, payload, isUrgent }: PushRequest): Promise<void> {
  const { endpoint } = subscriber
  await requirePublic(endpoint)
  const { default: webPush } = await import('web-push')
  const { headers, body } = webPush.generateRequestDetails(subscriber, payload, {
    vapidDetails: { subject: SUBJECT, ...keys },
    TTL: KEEP_SECONDS,
    urgency: isUrgent ? 'high' : 'normal',
    contentEncoding: 'aes128gcm',
  })
  const { 'Content-Length': _, ...rest } = headers as Record<string, string | number>
  const texts = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]))
  await post({ url: endpoint, headers: texts, body })
}

async function requirePublic(endpoint: string): Promise<void> {
  const problem = endpointProblem(endpoint)
  if (problem !== null) throw new NotifierError(`The address for push messages ${problem}`, { permanent: true })
  // A proxy finds the way itself, and decides itself whom it reaches.
  const url = new URL(endpoint)
  const way = wayOut(url, process.env)
  if (way?.proxy !== undefined && !isDirect(url, way.noProxy)) return
  const { hostname } = url
  if (areAllPublic(await addressesOf(hostname))) return
  throw new NotifierError(`${hostname} is not on the internet`, { permanent: true })
}

async function addressesOf(host: string): Promise<string[]> {
  try {
    return (await lookup(host.replace(/^\[|\]$/g, ''), { all: true })).map(({ address }) => address)
  } catch (error) {
    throw new NotifierError(`${host} could not be found: ${(error as Error).message}`, { cause: error })
  }
}
