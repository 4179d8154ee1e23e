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
  const { url, actions = [] } = notification
  const link = url ? `\n<${addressOf(url)}>` : ''
  const links = actions.map((action) => `<${addressOf(action.url)}|${escaped(action.label)}>`).join('  ·  ')
  const text = `*${escaped(titleOf(notification))}*\n${escaped(clipped(notification.message, 3_000))}${link}`
  return links === '' ? text : `${text}\n${links}`
}

function addressOf(url: string): string {
  return url.replaceAll(/[<>|]/g, '')
}

/** Slack interprets these three; everything else is plain. So no message can mention a whole channel. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
