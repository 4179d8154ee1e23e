// The notifier `slack`: an incoming webhook of a Slack workspace.
import * as z from 'zod/mini'
import { escapeTags } from '../../core/text/escape-markup.ts'
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

/** Slack interprets & < > and nothing else: escaped, no message can mention a whole channel. */
function messageOf(notification: Notification): string {
  const { url, actions = [] } = notification
  const link = url ? `\n<${addressOf(url)}>` : ''
  const links = actions.map((action) => `<${addressOf(action.url)}|${escapeTags(action.label)}>`).join('  ·  ')
  const text = `*${escapeTags(titleOf(notification))}*\n${escapeTags(clipped(notification.message, 3_000))}${link}`
  return links === '' ? text : `${text}\n${links}`
}

function addressOf(url: string): string {
  return url.replaceAll(/[<>|]/g, '')
}
