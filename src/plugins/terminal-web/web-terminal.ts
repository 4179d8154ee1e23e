// Shows a session's page of the dashboard: prints its address, and opens it where there is a browser to open it in.
import { spawn } from 'node:child_process'
import { findExecutable } from '../../lib/find-executable.ts'
import type { Terminal, TerminalTarget } from '../../slots/terminal.ts'

export interface WebTerminalOptions {
  port: number
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
  print: (line: string) => void
}

/** An opener that is still busy then has started a browser and waits for it. */
const OPENER_TIMEOUT_MS = 2_000

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
  const url = `http://localhost:${options.port}/sessions/${encodeURIComponent(sessionId)}`
  options.print(url)
  const opener = findOpener(options)
  // Without one, or when it fails, the printed address is the answer.
  if (opener !== null) await runOpener(opener, url, options.env)
}

/** null on a machine without a screen: there xdg-open would put a text browser over the user's terminal. */
function findOpener({ env, platform }: WebTerminalOptions): string | null {
  if (platform === 'darwin') return findExecutable('open', { env })
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME)
  return hasScreen ? findExecutable('xdg-open', { env }) : null
}

/** The browser it may become is the user's: it is left alone, also when we end. */
function runOpener(opener: string, url: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(opener, [url], { env, stdio: 'ignore', detached: true })
    const timer = setTimeout(resolve, OPENER_TIMEOUT_MS)
    const finish = () => {
      clearTimeout(timer)
      resolve()
    }
    child.once('error', finish)
    child.once('exit', finish)
    child.unref()
  })
}
