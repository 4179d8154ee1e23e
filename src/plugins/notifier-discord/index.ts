// The notifier `discord`: a webhook of a Discord channel.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { httpUrl } from '../http-api/plugin-options.ts'
import { postJson } from '../notify-http/post.ts'
import { clipped, titleOf } from '../notify-http/wording.ts'

const optionsSchema = z.strictObject({ webhookUrl: httpUrl, username: z.optional(z.string()) })

/** Discord refuses longer ones. */
const LONGEST = 1_900

export const plugin = definePlugin({
  manifest: { slot: 'notifier', name: 'discord', description: 'Notifies a Discord channel' },
  options: optionsSchema,
  create({ webhookUrl, username }) {
    return {
      name: 'discord',
      notify: (notification) => {
        const { message, url, actions = [] } = notification
        // <…>: without a preview, for which Discord would open the link.
        const links = actions.map((action) => `[${action.label}](<${action.url}>)`).join(' · ')
        const end = [url, links].filter(Boolean).map((line) => `\n${line}`)
        return postJson(webhookUrl, {
          content:
            clipped(`**${titleOf(notification)}**\n${withoutLinks(message)}`, LONGEST - end.join('').length) +
            end.join(''),
          // A message must not mention everybody, whatever an agent wrote into it.
          allowed_mentions: { parse: [] },
          username,
        })
      },
    }
  },
  detect: async () => ({ ok: true, detail: 'ships with ao; needs a webhookUrl' }),
})

/** What an agent wrote must not look like a link of ours with another address behind it. */
function withoutLinks(text: string): string {
  return text.replace(/[\\[<]/g, '\\$&')
}
