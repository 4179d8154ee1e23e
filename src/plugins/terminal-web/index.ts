// The terminal `web` as a plugin: a session's page in the dashboard.
import * as z from 'zod/mini'
import { openInBrowser } from '../../lib/process/open-in-browser.ts'
import { pageAddress } from '../../slots/page-address.ts'
import { definePlugin } from '../../slots/plugin.ts'
import type { Terminal, TerminalTarget } from '../../slots/terminal.ts'

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

interface WebTerminalOptions {
  /** Of the pages, now. */
  address: () => string
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
  print: (line: string) => void
}

/** Shows a session's page of the dashboard: prints its address, and opens it if there is a browser. */
export function createWebTerminal(options: WebTerminalOptions): Terminal {
  const openSession = (target: TerminalTarget) => openPage(target.session.id, options)
  return {
    name: 'web',
    openSession,
    async openAll(targets) {
      for (const target of targets) await openSession(target)
    },
  }
}

async function openPage(sessionId: string, options: WebTerminalOptions): Promise<void> {
  const url = `${options.address()}/sessions/${encodeURIComponent(sessionId)}`
  options.print(url)
  // Without a browser, or when it fails, the printed address has to suffice.
  await openInBrowser(url, options)
}
