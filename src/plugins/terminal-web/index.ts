// The terminal `web` as a plugin: a session's page in the dashboard.
import * as z from 'zod/mini'
import { definePlugin } from '../../slots/plugin.ts'
import { createWebTerminal } from './web-terminal.ts'

const DEFAULT_PORT = 3000

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
  create(options, { env, port }) {
    return createWebTerminal({
      // The dashboard's, unless the plugin is configured with another.
      port: options.port ?? port ?? DEFAULT_PORT,
      env,
      platform: process.platform,
      print: (line) => process.stdout.write(`${line}\n`),
    })
  },
  detect: async () => ({ ok: true, detail: 'ships with ao' }),
})
