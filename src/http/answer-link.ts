// Links in notifications that answer one question of one agent, once. The link itself is the permission: it is signed with a
// key that never leaves this machine, names the question, the answer and when it expires, and nothing else can be done with it.
import { createHmac } from 'node:crypto'
import { isSameSecret } from './access-token.ts'

export const LINKED_DECISIONS = ['allow-once', 'reject-once'] as const

export interface LinkedAnswer {
  sessionId: string
  requestId: string
  /** ISO 8601. A session that was restored may use the id again. */
  askedAt: string
  decision: (typeof LINKED_DECISIONS)[number]
  /** Milliseconds since 1970. */
  until: number
}

export const ANSWER_PATH = '/answer/'

/** Safe in an address as it is. */
export function signAnswer(key: string, { sessionId, requestId, askedAt, decision, until }: LinkedAnswer): string {
  const payload = Buffer.from(JSON.stringify([sessionId, requestId, askedAt, decision, until])).toString('base64url')
  return `${payload}.${signatureOf(key, payload)}`
}

/** null: it was not signed with this key. Whether it has expired is up to the caller, who can say so. */
export function readSigned(key: string, text: string): LinkedAnswer | null {
  const [payload = '', signature = '', ...more] = text.split('.')
  if (more.length > 0 || !isSameSecret(signature, signatureOf(key, payload))) return null
  const [sessionId, requestId, askedAt, decision, until] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [
    string,
    string,
    string,
    LinkedAnswer['decision'],
    number,
  ]
  return { sessionId, requestId, askedAt, decision, until }
}

function signatureOf(key: string, payload: string): string {
  return createHmac('sha256', key).update(`answer ${payload}`).digest('base64url')
}
