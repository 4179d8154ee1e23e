// Installs `~/.ao/bin`, the first entry in every agent's PATH: wrappers for gh and git, the shell helper, and `ao`; and says
// below which directories they may write.
import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { basename, isAbsolute, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AoError } from '../contract/errors.ts'
import { quoteForShell } from '../core/text/command-line.ts'
import { writeFileAtomic } from '../lib/atomic-write.ts'
import { findBash, findExecutable, type Lookup, lookupIn } from '../lib/find-executable.ts'
import { isInside } from '../lib/inside-directory.ts'
import { withLock } from '../lib/lock.ts'
import { readIfThere, readPlainText } from '../lib/plain-file.ts'
import { removeFile } from '../lib/remove.ts'

export interface PathWrapperOptions {
  home: string
  /** argv that runs this very ao, absolute. */
  aoCommand: string[]
  /** Finds bash; absent: with the environment of this process. */
  lookup?: Lookup | undefined
  /** Written again even where the installed ones look complete. */
  anew?: boolean | undefined
}

/** Increased when something about the installation changes that the files' own hash does not show. */
const WRAPPER_VERSION = '0.2.0'

const FILES = [
  'ao-lock.sh',
  'ao-metadata-helper.sh',
  'ao-session-rules.sh',
  'ao-wrapper.sh',
  'ao-hook.mjs',
  'ao-hook',
  'ao',
  'gh',
  'git',
] as const

interface Script {
  name: string
  text: string
}

/** Resolves with the directory. Does nothing when it is up to date. Refuses when there is no bash to run it. */
export async function setupPathWrapperWorkspace(options: PathWrapperOptions): Promise<string> {
  const bin = join(options.home, '.ao', 'bin')
  const bash = findBash(options.lookup ?? lookupIn(process.env))
  if (bash === null) throw bashMissing()
  const scripts = FILES.map((name) => ({ name, text: scriptText(name, options.aoCommand, bash) }))
  const version = versionOf(scripts)
  const isDone = () => !options.anew && (isInstalled(bin, version, scripts) || keepsInstalled(bin, options.aoCommand))
  if (isDone()) return bin
  mkdirSync(join(options.home, '.ao'), { recursive: true, mode: 0o700 })
  mkdirSync(bin, { recursive: true })
  await withLock(join(bin, '.install.lock'), () => {
    if (isDone()) return
    // Removed first and written last: an interrupted installation is never taken for a complete one. Everything is synced: an
    // empty executable would make each git command of every agent succeed and do nothing.
    removeFile(join(bin, '.ao-version'))
    for (const { name, text } of scripts) writeFileAtomic(join(bin, name), text, { mode: 0o755 })
    writeFileAtomic(join(bin, COMMAND_FILE), `${JSON.stringify(options.aoCommand)}\n`, { mode: 0o644 })
    writeFileAtomic(join(bin, '.ao-version'), `${version}\n`, { mode: 0o644 })
  })
  return bin
}

/** The argv that the wrappers were installed for. */
const COMMAND_FILE = '.ao-command'

/**
 * All running sessions use these wrappers: a copy that may vanish tomorrow does not take them over from a permanent one.
 */
function keepsInstalled(bin: string, aoCommand: string[]): boolean {
  if (!isFleeting(aoCommand) || !isComplete(bin) || !hasInterpreter(bin)) return false
  const installed = readCommand(bin)
  return installed !== null && !isFleeting(installed) && installed.every((word) => !isAbsolute(word) || isFile(word))
}

/** In a project's own dependencies, or in a cache such as npx's. */
function isFleeting(aoCommand: string[]): boolean {
  const entry = entryOf(aoCommand)
  if (/[\\/](?:_npx|dlx-[^\\/]*|bunx-[^\\/]*)[\\/]/.test(entry)) return true
  const at = entry.indexOf(`${sep}node_modules${sep}`)
  return at !== -1 && isFile(join(entry.slice(0, at), 'package.json'))
}

function readCommand(bin: string): string[] | null {
  try {
    const stored: unknown = JSON.parse(readIfThere(join(bin, COMMAND_FILE)) ?? 'null')
    return Array.isArray(stored) && stored.every((word) => typeof word === 'string') ? stored : null
  } catch {
    // Not what we wrote: treated as missing, and the installation writes it anew.
    return null
  }
}

/** By content, not by name: what is there may be empty or damaged. */
function isInstalled(bin: string, version: string, scripts: Script[]): boolean {
  if ((readIfThere(join(bin, '.ao-version')) ?? '').trim() !== version) return false
  return scripts.every(({ name, text }) => readScript(bin, name) === text)
}

/** Another copy's installation is judged by the hash that it wrote of its own scripts. */
export function isComplete(bin: string): boolean {
  const scripts = FILES.map((name) => ({ name, text: readScript(bin, name) ?? '' }))
  return (readIfThere(join(bin, '.ao-version')) ?? '').trim() === versionOf(scripts)
}

function hasInterpreter(bin: string): boolean {
  const path = /^#!(\S+)/.exec(readScript(bin, 'git') ?? '')?.[1]
  return path !== undefined && findExecutable(path, { env: {} }) !== null
}

function readScript(bin: string, name: string): string | null {
  const path = join(bin, name)
  return isFile(path) ? readIfThere(path) : null
}

function versionOf(scripts: Script[]): string {
  const hash = createHash('sha256')
  for (const { name, text } of scripts) hash.update(`${name}\0${text}\0`)
  return `${WRAPPER_VERSION} ${hash.digest('hex').slice(0, 16)}`
}

function scriptText(name: string, aoCommand: string[], bash: string): string {
  const template = readPlainText(fileURLToPath(new URL(`./shell/${name}`, import.meta.url)))
  return template
    .replace(/^#!\/bin\/bash -p/, () => `#!${bash} -p`)
    .replace('@AO_PROGRAM@', () => quoteForShell(aoCommand[0] ?? ''))
    .replace('@AO_ENTRY@', () => quoteForShell(entryOf(aoCommand)))
    .replace('@AO_COMMAND@', () => aoCommand.map(quoteForShell).join(' '))
    .replace('@AO_NODE@', () => quoteForShell(nodeOf(aoCommand)))
}

/** The last file in the command: what node runs. */
function entryOf(aoCommand: string[]): string {
  return aoCommand.findLast((word) => isAbsolute(word)) ?? aoCommand[0] ?? ''
}

/** Usually the command's own first word; a single-file ao brings no node. */
function nodeOf(aoCommand: string[]): string {
  const program = aoCommand[0] ?? ''
  return /^node(js)?$/.test(basename(program)) ? program : process.execPath
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

export const INSTALL_BASH = 'Install bash, for example with: apk add bash'

/** Without it the agent's git, gh and hooks would go past ao unnoticed, so that no session may start. */
export function bashMissing(): AoError {
  return new AoError('TOOL_MISSING', 'bash is not installed, and the git and gh of every agent need it', {
    hint: INSTALL_BASH,
    details: { command: 'bash' },
  })
}

/** `dataDir` must exist. The standard bases need no entry. */
export async function trustRoot(home: string, dataDir: string): Promise<void> {
  const root = realpathSync(dataDir)
  if (standardRoots(home).some((standard) => isInside(standard, root))) return
  if (/[\n\r]/.test(root)) throw new AoError('USAGE', 'The data directory must not have a line break in its name')
  const aoHome = join(home, '.ao')
  const file = join(aoHome, 'trusted-roots')
  if (readRoots(file).includes(root)) return
  mkdirSync(aoHome, { recursive: true, mode: 0o700 })
  await withLock(join(aoHome, '.trusted-roots.lock'), () => {
    const roots = readRoots(file)
    if (!roots.includes(root)) writeFileAtomic(file, [...roots, root].map((line) => `${line}\n`).join(''))
  })
}

function standardRoots(home: string): string[] {
  return [join(home, '.agent-orchestrator'), join(home, '.ao')].map(realIfThere)
}

function readRoots(file: string): string[] {
  return (readIfThere(file) ?? '').split('\n').filter(Boolean)
}

function realIfThere(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path
    throw error
  }
}
