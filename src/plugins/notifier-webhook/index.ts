// The notifier `webhook`: the notification as JSON to any address, with the headers of Standard Webhooks
// (standardwebhooks.com) and signed when there is a secret.
import { createHash, createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import { AO_VERSION } from '../../lib/version.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { post } from '../notify-http/post.ts'

const optionsSchema = z.strictObject({
  url: z.string().check(z.regex(/^https?:\/\/[^\s@#]+$/, 'must be an http or https URL without user and #')),
  headers: z.optional(z.record(z.string(), z.string())),
  /** Signs: `webhook-signature` over id, time and body; `x-ao-signature-256` over the body alone. `whsec_…` is base64. */
  secret: z.optional(z.string().check(z.minLength(8))),
})

const LONGEST_HEADER = 500

export const plugin = definePlugin({
  manifest: { slot: 'notifier', name: 'webhook', description: 'Sends JSON to any address' },
  options: optionsSchema,
  create({ url, headers, secret }) {
    return {
      name: 'webhook',
      notify: (notification) => {
        const body = JSON.stringify(notification)
        return post({
          url,
          headers: {
            'content-type': 'application/json',
            'user-agent': `ao/${AO_VERSION ?? 'source'}`,
            ...(notification.dedupeKey === undefined ? {} : { 'x-ao-dedupe-key': headerSafe(notification.dedupeKey) }),
            ...standardHeaders(notification.dedupeKey, body, secret),
            ...(secret === undefined ? {} : { 'x-ao-signature-256': `sha256=${hmac(secret, body).toString('hex')}` }),
            ...headers,
          },
          body,
        })
      },
    }
  },
  detect: async () => ({ ok: true, detail: 'ships with ao; needs a url' }),
})

/** The id stays the same when a delivery is retried; the time is that of the attempt. */
function standardHeaders(dedupeKey: string | undefined, body: string, secret: string | undefined) {
  const id = `msg_${sha256(dedupeKey ?? body).slice(0, 32)}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp }
  if (secret === undefined) return headers
  return { ...headers, 'webhook-signature': signMessage(secret, `${id}.${timestamp}.${body}`) }
}

export function signMessage(secret: string, message: string): string {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret
  return `v1,${hmac(key, message).toString('base64')}`
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** A header allows only printable ASCII, and not too much of it. Two keys never become the same one. */
function headerSafe(text: string): string {
  const encoded = encodeURIComponent(text)
  return encoded.length <= LONGEST_HEADER ? encoded : sha256(text)
}
