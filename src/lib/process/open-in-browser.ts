// Opens an address in the person's browser, if there is one.
import { findExecutable } from '../find-executable.ts'
import { startProgram } from '../start-program.ts'

export interface BrowserOptions {
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
}

/** An opener that is still running then has started a browser and waits for it. */
const OPENER_TIMEOUT_MS = 2_000

/** false: there is none, so the caller must print the address. */
export async function openInBrowser(url: string, options: BrowserOptions): Promise<boolean> {
  const opener = findOpener(options)
  if (opener === null) return false
  await runOpener(opener, url, options.env)
  return true
}

/** null on a machine without a screen: xdg-open would put a text browser over the user's terminal. */
function findOpener({ env, platform }: BrowserOptions): string | null {
  if (platform === 'darwin') return findExecutable('open', { env })
  const hasScreen = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.WSL_DISTRO_NAME)
  return hasScreen ? findExecutable('xdg-open', { env }) : null
}

/** The browser it may become is the user's: it is left alone, even when we end. */
function runOpener(opener: string, url: string, env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve) => {
    const child = startProgram(opener, [url], { env, stdio: 'ignore', detached: true })
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
