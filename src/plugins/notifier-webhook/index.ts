// The notifier `webhook`: the notification as JSON to any address, signed when there is a secret.
import { createHash, createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { post } from '../notify-http/post.ts'

const optionsSchema = z.strictObject({
  url: z.string().check(z.regex(/^https?:\/\/[^\s@#]+$/, 'must be an http or https URL without user and #')),
  headers: z.optional(z.record(z.string(), z.string())),
  /** Makes `x-ao-signature-256: sha256=…` over the body. */
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
            ...(notification.dedupeKey === undefined ? {} : { 'x-ao-dedupe-key': headerSafe(notification.dedupeKey) }),
            ...(secret === undefined ? {} : { 'x-ao-signature-256': sign(body, secret) }),
            ...headers,
          },
          body,
        })
      },
    }
  },
  detect: async () => ({ ok: true, detail: 'ships with ao; needs a url' }),
})

function sign(body: string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

/** A header takes printable ASCII only, and not too much of it. Two keys never become the same one. */
function headerSafe(text: string): string {
  const encoded = encodeURIComponent(text)
  return encoded.length <= LONGEST_HEADER ? encoded : createHash('sha256').update(text).digest('hex')
}
