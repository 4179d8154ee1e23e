// The one way git is run: argv only, no prompts, no pager, nothing from an outer GIT_* environment, bounded in time and
// output, patient with locks held by other processes. Agents can write the repository, so nothing in it makes git show other
// content than what is stored, or start a program: no replacements, grafts or hooks, and only the user's own settings where
// they decide about that (guard/local-config.ts). Which commands make sense is up to the caller.
import { existsSync } from 'node:fs'
import { AoError } from '../contract/errors.ts'
import type { Override } from '../core/git/local-settings.ts'
import { quoteForShell } from '../core/text/command-line.ts'
import { type ExecResult, exec } from '../lib/exec.ts'
import { startProgram } from '../lib/start-program.ts'
import { brokenRefs, mendLink, mendRefs } from './broken-refs.ts'
import { locateGit } from './git-dir.ts'
import { clearsOwnLocks, contendedLock, retryWhileLocked } from './git-locks.ts'
import { type Guard, guardOf } from './guard/local-config.ts'

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
  /** Undoes what a run did before it failed; then it is run again, behind a lock or with what a power loss had torn mended. */
  beforeRetry?: () => Promise<unknown>
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
  return guarded({ cwd, args, options }, (flags) => ['git', [...hardening(options), ...flags]])
}

/**
 * stdout of a shell script, a constant, that runs git as `git "$@" …`: several commands for the price of starting one. It can be repeated
 * when one of them meets a lock, and none of them shows files or talks to others.
 */
export async function runGitScript(
  cwd: string,
  script: string,
  options: GitOptions & { settings?: readonly string[] },
): Promise<string> {
  const args = ['-c', script, 'sh', ...hardening(options), ...(options.settings ?? [])]
  const result = await guarded({ cwd, args: [], options }, () => ['sh', args])
  if (!result.ok) throw gitFailure(cwd, [], result)
  return result.stdout
}

interface Guarded {
  cwd: string
  args: readonly string[]
  options: GitOptions
}

async function guarded(
  { cwd, args, options }: Guarded,
  programOf: (flags: readonly string[]) => [string, readonly string[]],
): Promise<ExecResult> {
  const guard = await guardOf({ cwd, args, env: options.env }, plainGit(cwd, options.env))
  const maxOutputBytes = options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT
  let runs = 0
  const once = async () => {
    if (runs++ > 0) await options.beforeRetry?.()
    return exec(...programOf(withFlags(args, guard)), {
      cwd,
      env: gitEnvironment(options, guard),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxOutputBytes,
      input: options.input,
      readsAll: true,
      encoding: options.encoding,
    })
  }
  const run = () =>
    retryWhileLocked(
      async () => {
        const result = await once()
        const location = /\/commondir/.test(result.stderr) ? locateGit(cwd) : null
        return location !== null && mendLink(location.commonDir, result) ? once() : result
      },
      options.lockWaitMs,
      clearsOwnLocks(() => locateGit(cwd)?.commonDir ?? null),
    )
  const first = await run()
  const result = !first.ok && (await mendBroken(cwd, first, options)) ? await run() : first
  if (Buffer.byteLength(result.stdout) < maxOutputBytes) return result
  // Its beginning was dropped: half of a list must never be taken for the list.
  throw new AoError('GIT_FAILED', `git ${args[0] ?? ''} in ${cwd} printed more than ${maxOutputBytes} bytes`)
}

interface StartOptions extends Pick<GitOptions, 'env'> {
  gitDir: string
  settings?: readonly string[]
  extraEnv?: Record<string, string> | undefined
}

/** For what flows through git: its input and output are streams. No command that converts files or starts programs. */
export function startGit(
  args: readonly ['pack-objects' | 'index-pack', ...string[]],
  { gitDir, env, settings = [], extraEnv }: StartOptions,
) {
  const argv = [...hardening({}), ...settings.flatMap((one) => ['-c', one]), `--git-dir=${gitDir}`, ...args]
  return startProgram('git', argv, {
    env: gitEnvironment({ env, ...(extraEnv && { extraEnv }) }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** `git --version`. Ended before the detection that asks for it gives up, so that a hanging one does not stay behind. */
export function gitVersion(env: NodeJS.ProcessEnv): Promise<ExecResult> {
  return exec('git', ['--version'], { env, timeoutMs: 4_000 })
}

async function mendBroken(cwd: string, failed: ExecResult, options: GitOptions): Promise<boolean> {
  const refs = brokenRefs(failed)
  const location = refs.length === 0 ? null : locateGit(cwd)
  if (location === null) return false
  const git = plainGit(cwd, options.env)
  const isCommit = async (id: string) => (await git(location.commonDir, ['cat-file', '-e', `${id}^{commit}`])).ok
  return mendRefs(location.commonDir, refs, isCommit)
}

function plainGit(cwd: string, env: NodeJS.ProcessEnv) {
  return (gitDir: string, args: readonly string[], extraEnv: Record<string, string> = {}) =>
    exec('git', [...hardening({}), `--git-dir=${gitDir}`, ...args], {
      cwd,
      env: gitEnvironment({ env, read: true, extraEnv }),
      timeoutMs: DEFAULT_TIMEOUT_MS,
    })
}

/** Commands that can show a file as some program converts it. */
const SHOWING = new Set(['diff', 'diff-files', 'diff-index', 'diff-tree', 'format-patch', 'log', 'show'])

/** The same command with what cannot be said by settings. */
function withFlags(args: readonly string[], guard: Guard): readonly string[] {
  const at = commandAt(args)
  const flags = flagsOf(args[at] ?? '', guard)
  return flags.length === 0 ? args : [...args.slice(0, at + 1), ...flags, ...args.slice(at + 1)]
}

function flagsOf(command: string, { overrides }: Guard): string[] {
  if (SHOWING.has(command)) return ['--no-ext-diff', '--no-textconv']
  // Of these settings git takes the first, which is the repository's.
  const program = (name: string) =>
    overrides.find(([key]) => key.startsWith('remote.') && key.endsWith(`.${name}`))?.[1]
  const upload = program('uploadpack')
  const receive = program('receivepack')
  if (upload !== undefined && ['fetch', 'ls-remote'].includes(command)) return [`--upload-pack=${upload}`]
  return receive !== undefined && command === 'push' ? [`--receive-pack=${receive}`] : []
}

/** Behind git's own options, two of which have their value in the next word. */
function commandAt(args: readonly string[]): number {
  let at = 0
  while (args[at]?.startsWith('-')) at += args[at] === '-c' || args[at] === '-C' ? 2 : 1
  return at
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
      hint: `If no git process is running there, remove it: rm ${quoteForShell(lock)}`,
      details: { ...details, lock },
    })
  }
  // Of some objects git notices it.
  const isDamaged = /\bhash mismatch|is corrupt\b/.test(result.stderr)
  return new AoError(isDamaged ? 'GIT_OBJECT_DAMAGED' : 'GIT_FAILED', `${command} in ${cwd} ${howItEnded(result)}`, {
    details,
  })
}

/** The lines that explain a failure: the last ones, without advice. */
export function lastLines(text: string, count = 5): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'))
  return lines.slice(-count).join('\n')
}

function howItEnded(result: ExecResult): string {
  if (result.startError) return `could not be started: ${result.startError.message}`
  if (result.timedOut) return 'did not finish in time'
  if (result.exitCode === 0 && result.inputError) return `did not get its input: ${result.inputError.message}`
  const how = result.signal ? `was ended by ${result.signal}` : `failed with exit code ${result.exitCode}`
  const stderr = lastLines(result.stderr)
  return stderr ? `${how}: ${stderr}` : how
}

function hardening(options: Pick<GitOptions, 'hooks'>): string[] {
  const settings = [
    'core.fsmonitor=false',
    'core.quotePath=true',
    'color.ui=false',
    // Whatever is answered with success is on the disk first: objects, refs and the index survive a power loss.
    'core.fsync=committed,loose-object,reference,index',
    'core.fsyncMethod=batch',
    'gc.auto=0',
    'maintenance.auto=false',
    // Would check signatures with a program.
    'log.showSignature=false',
    // A forged one changes parents and trees of commits.
    'core.commitGraph=false',
    // Names of files in a diff would be others.
    'diff.noprefix=false',
    'diff.mnemonicPrefix=false',
    'diff.srcPrefix=a/',
    'diff.dstPrefix=b/',
    'diff.relative=false',
    // Runs whatever a URL says.
    'protocol.ext.allow=never',
    // Submodules have settings of their own.
    'submodule.recurse=false',
    'fetch.recurseSubmodules=false',
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
  'GIT_ATTR_SOURCE',
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

function gitEnvironment(
  options: Pick<GitOptions, 'env' | 'read' | 'extraEnv'>,
  { overrides, ignoreShallow }: Guard = { overrides: [], ignoreShallow: false },
): NodeJS.ProcessEnv {
  const env = withoutForeignGit(options.env)
  // Would translate the messages we parse.
  delete env.LANGUAGE
  return {
    ...env,
    LC_ALL: 'C.UTF-8',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    // Nobody is there to edit anything.
    GIT_EDITOR: ':',
    GIT_SEQUENCE_EDITOR: ':',
    ...(options.read ? { GIT_OPTIONAL_LOCKS: '0' } : {}),
    ...withOverrides(env, overrides),
    // Removed above; an empty name is none.
    GIT_SHALLOW_FILE: ignoreShallow ? '' : undefined,
    ...options.extraEnv,
  }
}

/** After what the user's environment sets in the same way. */
function withOverrides(env: NodeJS.ProcessEnv, overrides: readonly Override[]): Record<string, string> {
  if (overrides.length === 0) return {}
  const before = Number(env.GIT_CONFIG_COUNT) || 0
  const pairs = overrides.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${before + at}`, key],
    [`GIT_CONFIG_VALUE_${before + at}`, value],
  ])
  const proxy = overrides.some(([key]) => key === 'core.gitproxy')
    ? { GIT_PROXY_COMMAND: env.GIT_PROXY_COMMAND ?? '' }
    : {}
  return { ...proxy, ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(before + overrides.length) }
}
