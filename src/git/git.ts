// The one way git is run: argv only, no prompts, no pager, nothing from an outer GIT_* environment, bounded in time and
// output, patient with locks held by other processes. Which commands make sense is up to the caller.
import { existsSync } from 'node:fs'
import { AoError } from '../contract/errors.ts'
import { type ExecResult, exec } from '../lib/exec.ts'
import { misledCommonDir, readGitLink } from './git-dir.ts'
import { contendedLock, retryWhileLocked } from './git-locks.ts'

export interface GitOptions {
  env: NodeJS.ProcessEnv
  /** Only reads: takes no optional locks, so that the user's own git is never disturbed. */
  read?: boolean
  /** Run the repository's hooks. They are the user's own, but our plumbing should not trigger them. */
  hooks?: boolean
  /** Set after the outer GIT_* variables were removed, for example GIT_INDEX_FILE. */
  extraEnv?: Record<string, string>
  input?: string | Buffer
  /** `latin1` keeps every byte of what it prints. */
  encoding?: 'latin1'
  timeoutMs?: number
  maxOutputBytes?: number
  /** How long to wait for a lock that another process holds. */
  lockWaitMs?: number
}

const DEFAULT_TIMEOUT_MS = 120_000
const DEFAULT_MAX_OUTPUT = 64 * 1024 * 1024

/** stdout of a git command that must succeed. */
export async function runGit(cwd: string, args: readonly string[], options: GitOptions): Promise<string> {
  const result = await tryGit(cwd, args, options)
  if (!result.ok) throw gitFailure(cwd, args, result)
  return result.stdout
}

/** The same without checking the exit code. */
export async function tryGit(cwd: string, args: readonly string[], options: GitOptions): Promise<ExecResult> {
  requireOwnSettings(cwd)
  const maxOutputBytes = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT
  const result = await retryWhileLocked(
    () =>
      exec('git', [...hardening(options), ...args], {
        cwd,
        env: gitEnvironment(options),
        timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        maxOutputBytes,
        input: options.input,
        encoding: options.encoding,
      }),
    options.lockWaitMs,
  )
  if (Buffer.byteLength(result.stdout) < maxOutputBytes) return result
  // Its beginning was dropped: half of a list must never be taken for the list.
  throw new AoError('GIT_FAILED', `git ${args[0]} in ${cwd} printed more than ${maxOutputBytes} bytes`)
}

/**
 * A worktree shares the settings of its repository. Anyone who can write its git directory could substitute another
 * repository's settings, and with them programs that git runs.
 */
function requireOwnSettings(cwd: string): void {
  const commonDir = misledCommonDir(cwd)
  if (commonDir === null) return
  throw new AoError('GIT_FAILED', `${cwd} was made to obey the git settings of ${commonDir}; git is not run there`, {
    hint: `If you did not do that, undo it: echo ../.. > '${readGitLink(cwd)}/commondir'`,
    details: { cwd, commonDir },
  })
}

export function gitFailure(cwd: string, args: readonly string[], result: ExecResult): AoError {
  const command = `git ${args.find((word) => !word.startsWith('-')) ?? ''}`.trim()
  const details = { cwd, args: [...args], exitCode: result.exitCode, stderr: lastLines(result.stderr) }
  if (result.startError?.code === 'ENOENT' && existsSync(cwd)) {
    return new AoError('TOOL_MISSING', 'git is not installed or not on PATH', { details })
  }
  const lock = contendedLock(result)
  if (lock !== null) {
    return new AoError('GIT_FAILED', `${command} in ${cwd} waited for the lock ${lock}, which was not released`, {
      hint: `If no git process is running there, remove it: rm '${lock}'`,
      details: { ...details, lock },
    })
  }
  return new AoError('GIT_FAILED', `${command} in ${cwd} ${howItEnded(result)}`, { details })
}

/** The lines that explain a failure: the last ones, without advice. */
export function lastLines(text: string, count = 5): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'))
  return lines.slice(-count).join('\n')
}

function howItEnded(result: ExecResult): string {
  if (result.startError) return `could not be started: ${result.startError.message}`
  if (result.timedOut) return 'did not finish in time'
  const how = result.signal ? `was ended by ${result.signal}` : `failed with exit code ${result.exitCode}`
  const said = lastLines(result.stderr)
  return said ? `${how}: ${said}` : how
}

function hardening(options: GitOptions): string[] {
  const settings = [
    'core.fsmonitor=false',
    'core.quotePath=true',
    'color.ui=false',
    'gc.auto=0',
    'maintenance.auto=false',
  ]
  if (!options.hooks) settings.push('core.hooksPath=/dev/null')
  return ['--no-pager', ...settings.flatMap((setting) => ['-c', setting])]
}

/** What `git rev-parse --local-env-vars` lists: set inside hooks and aliases, and meant for another repository. */
const FOREIGN = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_GRAFT_FILE',
  'GIT_NAMESPACE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_REPLACE_REF_BASE',
  'GIT_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_EXTERNAL_DIFF',
  'GIT_LITERAL_PATHSPECS',
  'GIT_GLOB_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
]

/** The environment without what an outer git set for its own repository. */
function withoutForeignGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const clean = { ...env }
  for (const name of FOREIGN) delete clean[name]
  return clean
}

function gitEnvironment(options: GitOptions): NodeJS.ProcessEnv {
  const env = withoutForeignGit(options.env)
  // Would translate the messages we parse.
  delete env.LANGUAGE
  return {
    ...env,
    LC_ALL: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
    ...(options.read ? { GIT_OPTIONAL_LOCKS: '0' } : {}),
    ...options.extraEnv,
  }
}
