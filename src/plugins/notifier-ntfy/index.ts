// The notifier `ntfy`: push messages through ntfy.sh or a self-hosted server.
import * as z from 'zod/mini'
import type { NotificationPriority } from '../../slots/notifier.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { httpUrl } from '../http-api/plugin-options.ts'
import { postJson } from '../notify-http/post.ts'
import { clipped, titleOf } from '../notify-http/wording.ts'

const optionsSchema = z.strictObject({
  topic: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'may hold letters, digits, - and _ only')),
  server: z._default(httpUrl, 'https://ntfy.sh'),
  token: z.optional(z.string()),
})

/** ntfy refuses more. */
const MOST_ACTIONS = 3

const PRIORITIES: Record<NotificationPriority, number> = { urgent: 5, action: 4, warning: 3, info: 2 }

export const plugin = definePlugin({
  manifest: { slot: 'notifier', name: 'ntfy', description: 'Pushes to phones through ntfy' },
  options: optionsSchema,
  create({ topic, server, token }) {
    return {
      name: 'ntfy',
      notify: (notification) =>
        postJson(
          server,
          {
            topic,
            title: titleOf(notification),
            message: clipped(notification.message, 3_500),
            priority: PRIORITIES[notification.priority ?? 'info'],
            click: notification.url,
            actions: notification.actions
              ?.slice(0, MOST_ACTIONS)
              .map(({ label, url }) => ({ action: 'view', label, url })),
          },
          token === undefined ? {} : { authorization: `Bearer ${token}` },
        ),
    }
  },
  detect: async () => ({ ok: true, detail: 'ships with ao; needs a topic' }),
})
