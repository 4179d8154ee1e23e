// The file that a pane starts with: it sets the agent's whole environment, removes itself and becomes the agent. A file,
// because an argument list can be read by every user of the machine.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { quoteForShell } from '../../core/text/command-line.ts'
import { withoutCallersTerminal } from '../../core/text/terminal-variables.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { RuntimeLaunch } from '../../slots/runtime.ts'

/**
 * argv of the pane: clears the environment of the tmux server except for what describes the terminal, then runs the file.
 */
export function paneCommand(scriptFile: string): string[] {
  const keep = ['TERM', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'TMUX', 'TMUX_PANE']
  const kept = keep.map((name) => `\${${name}+"${name}=$${name}"}`).join(' ')
  return ['/bin/sh', '-c', `exec /usr/bin/env -i ${kept} /bin/sh "$0"`, scriptFile]
}

export function launchScriptFile(stateDir: string, spawnId: string): string {
  return join(stateDir, `launch-${spawnId}.sh`)
}

export function writeLaunchScript(launch: RuntimeLaunch): string {
  const file = launchScriptFile(launch.stateDir, launch.spawnId)
  mkdirSync(launch.stateDir, { recursive: true, mode: 0o700 })
  writeFileAtomic(file, launchScript(launch), { mode: 0o700, durable: false })
  return file
}

/** A missing script starts nothing, whoever still tries to run it. */
export function removeLaunchScript(stateDir: string, spawnId: string): void {
  rmSync(launchScriptFile(stateDir, spawnId), { force: true })
}

/** Names that some shells reserve or refuse to set. They hold no secrets, so `env` may set them. */
const SHELL_OWN_NAMES: ReadonlySet<string> = new Set(
  'IFS OPTIND SHLVL PPID UID EUID GROUPS LINENO RANDOM SECONDS HISTCMD DIRSTACK FUNCNAME SHELLOPTS BASHOPTS BASH_VERSINFO'.split(
    ' ',
  ),
)
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

export function launchScript(launch: RuntimeLaunch): string {
  const environment = Object.entries(withoutCallersTerminal(launch.environment, launch.workspacePath))
  // Exported shell functions (BASH_FUNC_x%%) have names that sh cannot export; they are left out.
  const exported = environment.filter(([name]) => SHELL_NAME.test(name) && name !== '_' && !SHELL_OWN_NAMES.has(name))
  const shellOwn = environment.filter(([name]) => SHELL_OWN_NAMES.has(name))
  const viaEnv = shellOwn.length === 0 ? [] : ['/usr/bin/env', ...shellOwn.map(([name, value]) => `${name}=${value}`)]
  return [
    'rm -f -- "$0"',
    // tmux would start in HOME when the directory is missing: an agent must never run there.
    `cd -- ${quoteForShell(launch.workspacePath)} || exit 126`,
    'unset OLDPWD SHLVL',
    ...exported.map(([name, value]) => `export ${name}=${quoteForShell(value)}`),
    `exec ${[...viaEnv, ...launch.command].map(quoteForShell).join(' ')}`,
    '',
  ].join('\n')
}
