// The notifier `slack`: an incoming webhook of a Slack workspace.
import * as z from 'zod/mini'
import type { Notification } from '../../slots/notifier.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { httpUrl } from '../http-api/plugin-options.ts'
import { postJson } from '../notify-http/post.ts'
import { clipped, titleOf } from '../notify-http/wording.ts'

const optionsSchema = z.strictObject({
  webhookUrl: httpUrl,
  channel: z.optional(z.string()),
  username: z.optional(z.string()),
})

export const plugin = definePlugin({
  manifest: { slot: 'notifier', name: 'slack', description: 'Notifies a Slack channel' },
  options: optionsSchema,
  create({ webhookUrl, channel, username }) {
    return {
      name: 'slack',
      notify: (notification) =>
        postJson(webhookUrl, {
          text: messageOf(notification),
          channel,
          username,
        }),
    }
  },
  detect: async () => ({ ok: true, detail: 'ships with ao; needs a webhookUrl' }),
})

function messageOf(notification: Notification): string {
  const link = notification.url ? `\n<${notification.url.replaceAll(/[<>|]/g, '')}>` : ''
  return `*${escaped(titleOf(notification))}*\n${escaped(clipped(notification.message, 3_000))}${link}`
}

/** Slack interprets these three; everything else is plain. So no message can mention a whole channel. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
