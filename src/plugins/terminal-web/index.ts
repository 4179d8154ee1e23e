// The terminal `web` as a plugin: a session's page in the dashboard.
import * as z from 'zod/mini'
import { AoError } from '../../contract/errors.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createWebTerminal } from './web-terminal.ts'

const DEFAULT_PORT = 3000

const optionsSchema = z.strictObject({
  port: z._default(z.int().check(z.minimum(1), z.maximum(65_535)), DEFAULT_PORT),
})

export const plugin = definePlugin({
  manifest: {
    slot: 'terminal',
    name: 'web',
    description: "Opens a session's page in the dashboard",
    version: '1.0.0',
  },
  create(options, { env }) {
    const parsed = optionsSchema.safeParse(options)
    if (!parsed.success) {
      throw new AoError('CONFIG_INVALID', `Options of the terminal web: ${z.prettifyError(parsed.error)}`)
    }
    return createWebTerminal({
      port: parsed.data.port,
      env,
      platform: process.platform,
      print: (line) => process.stdout.write(`${line}\n`),
    })
  },
  detect: async () => ({ ok: true, detail: 'ships with ao' }),
})
