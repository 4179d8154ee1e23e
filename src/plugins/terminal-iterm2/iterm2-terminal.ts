// Opens sessions as tabs of iTerm2, one each: an open tab is shown again.
import { AoError } from '../../contract/errors.ts'
import { exec, execFailure } from '../../lib/exec.ts'
import type { Terminal, TerminalTarget } from '../../slots/terminal.ts'
import { tabArguments } from './tab-arguments.ts'
import { TAB_SCRIPT } from './tab-script.ts'

export interface Iterm2Options {
  env: NodeJS.ProcessEnv
  platform: NodeJS.Platform
}

/** iTerm2 may have to start first, and macOS may ask the user for permission. */
const TIMEOUT_MS = 60_000

export function createIterm2Terminal(options: Iterm2Options): Terminal {
  const openSession = (target: TerminalTarget) => openTab(target, options)
  return {
    name: 'iterm2',
    openSession,
    async openAll(targets) {
      // One at a time: two scripts at once would both write into the frontmost tab.
      for (const target of targets) await openSession(target)
    },
  }
}

async function openTab(target: TerminalTarget, { env, platform }: Iterm2Options): Promise<void> {
  const { id } = target.session
  if (platform !== 'darwin') {
    throw new AoError('TOOL_MISSING', `iTerm2 exists on macOS only, so ${id} cannot be opened in it`, {
      hint: `Attach here with: ao session attach ${id}`,
    })
  }
  const result = await exec('osascript', ['-', ...tabArguments(target)], {
    env,
    input: TAB_SCRIPT,
    timeoutMs: TIMEOUT_MS,
  })
  if (result.ok) return
  throw new AoError('RUNTIME_FAILED', `iTerm2 could not open ${id}: ${execFailure('osascript', result)}`, {
    hint: `Attach here with: ao session attach ${id}`,
  })
}
