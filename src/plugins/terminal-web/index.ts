// The terminal `web` as a plugin: a session's page in the dashboard.
import * as z from 'zod/mini'
import { pageAddress } from '../../slots/page-address.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createWebTerminal } from './web-terminal.ts'

const optionsSchema = z.strictObject({
  port: z.optional(z.int().check(z.minimum(1), z.maximum(65_535))),
})

export const plugin = definePlugin({
  manifest: {
    slot: 'terminal',
    name: 'web',
    description: "Opens a session's page in the dashboard",
  },
  options: optionsSchema,
  create(options, context) {
    // The dashboard's own, unless the plugin is configured with another port.
    const where = options.port === undefined ? context : { port: options.port }
    return createWebTerminal({
      address: () => pageAddress(where),
      env: context.env,
      platform: process.platform,
      print: (line) => process.stdout.write(`${line}\n`),
    })
  },
  detect: async () => ({ ok: true, detail: 'ships with ao' }),
})
