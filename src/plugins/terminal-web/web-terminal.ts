// Shows a session's page of the dashboard: prints its address, and opens it if there is a browser.
import { openInBrowser } from '../../lib/open-in-browser.ts'
import type { Terminal, TerminalTarget } from '../../slots/terminal.ts'

export interface WebTerminalOptions {
  /** Of the pages, now. */
  address: () => string
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
  print: (line: string) => void
}

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
