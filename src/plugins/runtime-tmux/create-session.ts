// Starts an agent as the command of a new tmux session, and finds the session of a launch whose handle was never recorded,
// because the process that created it died. Safe against other processes that do the same at the same time.
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import { isSafeName, shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { quoteForShell } from '../../core/text/command-line.ts'
import { withoutCallersTerminal } from '../../core/text/terminal-variables.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { sleep } from '../../lib/clock.ts'
import { readIfThere } from '../../lib/plain-file.ts'
import { formatIdentity, identify } from '../../lib/process/process-identity.ts'
import { readProcessTable } from '../../lib/process/process-table.ts'
import { stopProcesses } from '../../lib/process/process-tree.ts'
import { removeFile } from '../../lib/remove.ts'
import type { RuntimeLaunch } from '../../slots/runtime.ts'
import { findPane, listPanes } from './pane-list.ts'
import { askTmux, callTmux, sequence, type TmuxServer } from './tmux-command.ts'

const CREATE_DEADLINE_MS = 15_000
const ANSWER_MS = 10_000

export async function startTmuxSession(server: TmuxServer, launch: RuntimeLaunch): Promise<RuntimeHandle> {
  refuseUnusable(launch)
  writeServerConfig(server.configFile)
  await requireAnswer(server, launch)
  try {
    return await createUntilDeadline(server, launch)
  } catch (error) {
    // tmux may have started the agent and then failed to report it.
    await stopProcesses(launch.spawnId, [], { graceMs: 0 })
    throw error
  }
}

/** The configuration of our own server, which never reads the user's ~/.tmux.conf. -q: an option that this tmux does not know yet is skipped. */
const CONFIG = `# Written by ao for its own tmux server (tmux -L ao). Changes are overwritten.
set -sq exit-empty off
set -sq escape-time 0
set -sq extended-keys on
set -sq set-clipboard external
set -gq default-terminal "${process.platform === 'darwin' ? 'screen-256color' : 'tmux-256color'}"
set -asq terminal-features ",*:RGB"
set -gq update-environment ""
set -gq remain-on-exit on
set -gq window-size latest
set -gq history-limit 10000
set -gq mouse on
set -gq focus-events on
# What an agent prints must not reach the user's terminal around tmux.
set -gq allow-passthrough off
set -gq allow-rename off
set -gq automatic-rename off
set -gq detach-on-destroy on
set -gq status on
set -gq status-interval 0
set -gq status-style "bg=colour236,fg=colour250"
set -gq status-left " #{@ao_session} "
set -gq status-left-length 60
set -gq status-right " leave: #{prefix} d "
set -gq window-status-format ""
set -gq window-status-current-format ""
`

function writeServerConfig(file: string): void {
  if (readIfThere(file) === CONFIG) return
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, CONFIG, { durable: false })
}

/**
 * A server that is suspended takes every command and carries it out when it continues, long after this launch was given up:
 * an empty session. So it has to answer first. That there is none is an answer.
 */
async function requireAnswer(server: TmuxServer, launch: RuntimeLaunch): Promise<void> {
  const answer = await askTmux(server, [['show-options', '-sv', 'exit-empty']], ANSWER_MS)
  if (answer.kind === 'failed') throw notCreated(launch, answer.why)
}

async function createUntilDeadline(server: TmuxServer, launch: RuntimeLaunch): Promise<RuntimeHandle> {
  const deadline = performance.now() + CREATE_DEADLINE_MS
  for (let attempt = 0; ; attempt++) {
    const script = writeLaunchScript(launch)
    const answer = await callTmux(server, newSession(launch, script), { timeoutMs: CREATE_DEADLINE_MS, inTurn: true })
    if (answer.kind === 'done') return toHandle(launch, answer.stdout)
    // This launch may have succeeded earlier, or now without a response. If not, its script is gone after this.
    const existing = await findTmuxSession(server, launch)
    if (existing !== null) return existing
    // The current server was just exiting, or did not exist yet: the next one is new.
    const raced = answer.kind === 'lost-server' || answer.kind === 'no-server'
    if (!raced || performance.now() > deadline) throw notCreated(launch, answer.why)
    await pause(attempt)
  }
}

function refuseUnusable(launch: RuntimeLaunch): void {
  if (!isSafeName(launch.name))
    throw new AoError('RUNTIME_FAILED', `${shownName(launch.name)} cannot be the name of a tmux session`)
  if (launch.command.length === 0)
    throw new AoError('RUNTIME_FAILED', `Session ${launch.sessionId} has no command to run`)
}

function newSession(launch: RuntimeLaunch, script: string): string[] {
  const target = `=${launch.name}:`
  return sequence(
    // Also on a server that was started with another configuration.
    ['set-option', '-s', 'exit-empty', 'off'],
    ['set-option', '-gw', 'remain-on-exit', 'on'],
    [
      'new-session',
      '-d',
      '-E',
      ...['-s', launch.name],
      ...['-x', String(launch.cols ?? 120)],
      ...['-y', String(launch.rows ?? 40)],
      // A format: # is its only special character.
      ...['-c', launch.workspacePath.replaceAll('#', '##')],
      ...['-P', '-F', '#{pane_id} #{pane_pid} #{socket_path}'],
      '--',
      ...paneCommand(script),
    ],
    ['set-option', '-t', target, '@ao_spawn_id', launch.spawnId],
    ['set-option', '-t', target, '@ao_session', launch.sessionId],
  )
}

function toHandle(launch: RuntimeLaunch, printed: string): RuntimeHandle {
  const [, pane, pid, socket] = /^(%\d+) (\d+) (.*)$/m.exec(printed) ?? []
  if (pane === undefined || pid === undefined || socket === undefined) {
    throw new AoError('RUNTIME_FAILED', `tmux answered new-session with: ${printed.trim()}`)
  }
  return makeHandle(launch, { pane, pid: Number(pid), socket })
}

interface HandleSource {
  name: string
  spawnId: string
  stateDir: string
  workspacePath?: string
}

export function makeHandle(
  launch: HandleSource,
  { pane, pid, socket }: { pane: string; pid: number; socket: string },
): RuntimeHandle {
  const { name, spawnId, stateDir, workspacePath } = launch
  const agent = identify(pid)
  return {
    id: name,
    runtimeName: 'tmux',
    data: {
      socket,
      pane,
      spawnId,
      stateDir,
      workspacePath,
      // An agent that has already ended leaves no process to identify; tmux keeps how it ended.
      agent: agent === null ? undefined : formatIdentity(agent),
    },
  }
}

function notCreated(launch: RuntimeLaunch, why: string): AoError {
  return new AoError('RUNTIME_FAILED', `The tmux session ${shownName(launch.name)} could not be created: ${why}`, {
    details: { session: launch.sessionId, name: launch.name },
  })
}

function pause(attempt: number): Promise<void> {
  const base = Math.min(5 * 2 ** attempt, 100)
  return sleep(base / 2 + Math.random() * base)
}

const FIND_TIMEOUT_MS = 5_000

/**
 * null is a promise: nothing of this launch is running, and nothing of it will start later. Throws when that is uncertain.
 */
export async function findTmuxSession(server: TmuxServer, launch: HandleSource): Promise<RuntimeHandle | null> {
  // A tmux call of the dead process may still be in progress. Without the script it starts no agent.
  removeLaunchScript(launch.stateDir, launch.spawnId)
  await untilNoneStarts(server, launchScriptFile(launch.stateDir, launch.spawnId))
  const list = await listPanes(server, FIND_TIMEOUT_MS)
  if (list.kind === 'unknown') {
    throw new AoError('RUNTIME_FAILED', `tmux could not say whether ${shownName(launch.name)} exists: ${list.why}`)
  }
  const pane = findPane(list.panes, { name: launch.name, spawnId: launch.spawnId })
  return pane ? makeHandle(launch, pane) : null
}

/**
 * tmux calls and panes that have yet to read the script have its path in their arguments. So has the server for its whole
 * life, if it was started by this call.
 */
async function untilNoneStarts(server: TmuxServer, script: string): Promise<void> {
  const deadline = performance.now() + FIND_TIMEOUT_MS
  const naming = () => readProcessTable().filter((row) => row.commandLine().includes(script))
  if (naming().length === 0) return
  const answer = await callTmux(server, ['display-message', '-p', '#{pid}'], { timeoutMs: FIND_TIMEOUT_MS })
  const serverPid = answer.kind === 'done' ? Number(answer.stdout.trim()) : null
  while (naming().some(({ identity }) => identity.pid !== serverPid) && performance.now() < deadline) await sleep(10)
}

// The file that a pane starts with: it sets the agent's whole environment, removes itself and becomes the agent. A file, because
// an argument list can be read by every user of the machine.

/**
 * argv of the pane: clears the environment of the tmux server except for what describes the terminal, then runs the file.
 */
function paneCommand(scriptFile: string): string[] {
  const keep = ['TERM', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'TMUX', 'TMUX_PANE']
  const kept = keep.map((name) => `\${${name}+"${name}=$${name}"}`).join(' ')
  return ['/bin/sh', '-c', `exec /usr/bin/env -i ${kept} /bin/sh "$0"`, scriptFile]
}

function launchScriptFile(stateDir: string, spawnId: string): string {
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
  removeFile(launchScriptFile(stateDir, spawnId))
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
