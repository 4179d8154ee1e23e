// Opens sessions as tabs of iTerm2, one each: an open tab is shown again.
import { AoError } from '../../contract/errors.ts'
import { quoteForShell } from '../../core/text/command-line.ts'
import { exec, execFailure } from '../../lib/exec.ts'
import type { Terminal, TerminalTarget } from '../../slots/terminal.ts'

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

// The arguments of the tab's script for a session.

/** Key, title, command line. The key is unique on this machine; the title is the session's name. */
export function tabArguments({ session, attach }: TerminalTarget): [key: string, title: string, commandLine: string] {
  return [attach.target, session.id, commandLine(attach.command, attach.environment ?? {})]
}

/** For the user's login shell, whose PATH a tab has and a script has not. `exec`: the tab closes when they leave. */
function commandLine(command: string[], environment: Record<string, string>): string {
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  return ['exec', 'env', '-u', 'TMUX', ...[...settings, ...command].map(quote)].join(' ')
}

/** A typed control character would be a key press. */
function quote(word: string): string {
  if (/\p{Cc}/u.test(word)) {
    throw new AoError('RUNTIME_FAILED', `${JSON.stringify(word)} cannot be typed into a terminal`)
  }
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(word) && !word.startsWith('=') ? word : quoteForShell(word)
}

/**
 * The AppleScript that shows or opens a tab. Constant: what differs is passed as arguments, so that nothing can be
 * injected. Arguments: the key that marks the tab, its title, the command line to type into it. A tab is identified by a
 * variable of its session, because titles change with what runs inside.
 */
export const TAB_SCRIPT = `on run argv
  set tabKey to item 1 of argv
  set tabTitle to item 2 of argv
  set commandLine to item 3 of argv
  tell application "iTerm2"
    activate
    repeat with oneWindow in windows
      repeat with oneTab in tabs of oneWindow
        repeat with oneSession in sessions of oneTab
          set foundKey to ""
          try
            tell oneSession to set foundKey to (variable named "user.aoSession")
          end try
          if foundKey is tabKey then
            select oneWindow
            select oneTab
            select oneSession
            return "shown"
          end if
        end repeat
      end repeat
    end repeat
    if (count of windows) is 0 then
      create window with default profile
    else
      tell current window to create tab with default profile
    end if
    tell current session of current window
      set name to tabTitle
      set variable named "user.aoSession" to tabKey
      write text commandLine
    end tell
  end tell
  return "opened"
end run
`
