// The arguments of the tab's script for a session. Pure.
import { AoError } from '../../contract/errors.ts'
import { quoteForShell } from '../../core/text/command-line.ts'
import type { TerminalTarget } from '../../slots/terminal.ts'

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
