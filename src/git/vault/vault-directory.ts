// Where a vault is kept: below ao's own home, one for each repository, never in a checkout. It holds nothing that the repository
// does not have too, so it is made anew every month, which is how objects that nobody needs go away.
import { existsSync, mkdirSync, mkdtempSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { withLock } from '../../lib/lock.ts'
import { namesIn, readIfThere } from '../../lib/plain-file.ts'
import { ownHome } from '../../lib/process/own-home.ts'
import { removeTree } from '../../lib/remove.ts'
import { sha256Hex } from '../../lib/sha256-hex.ts'
import type { Repository } from '../repository.ts'

export interface Vault {
  /** A bare repository. */
  directory: string
}

const LIFE_MS = 30 * 24 * 3_600_000
/** A command that began with the one before has ended by then. */
const LEFT_MS = 3_600_000

/** `renew`: the one in use lacks something that it should have. */
export async function openVault(repository: Repository, { renew = false } = {}): Promise<Vault> {
  const root = rootOf(repository)
  const found = renew ? null : newest(root)
  if (found !== null && ageOf(found) < LIFE_MS && isWhole(found, repository) && continuesHistory(found, repository))
    return { directory: found }
  mkdirSync(root, { recursive: true, mode: 0o700 })
  return withLock(join(root, 'lock'), () => {
    // Made by another process in the meantime.
    const now = newest(root)
    if (now !== null && now !== found && !renew) return { directory: now }
    writeFileAtomic(join(root, 'repository'), `${repository.commonDir}\n`)
    const directory = create(root, repository)
    sweep(root)
    return { directory }
  })
}

function rootOf({ commonDir, env }: Repository): string {
  return join(ownHome(env), '.ao', 'vault', sha256Hex(commonDir).slice(0, 16))
}

function generations(root: string): number[] {
  const numbers = namesIn(root).flatMap((name) => (/^[1-9]\d*$/.test(name) ? [Number(name)] : []))
  return numbers.sort((one, other) => other - one)
}

function newest(root: string): string | null {
  const [number] = generations(root)
  return number === undefined ? null : join(root, String(number))
}

function ageOf(directory: string): number {
  return Date.now() - (statSync(join(directory, 'config'), { throwIfNoEntry: false })?.mtimeMs ?? 0)
}

/** History that was cut off when it was taken, and is there now, has to be taken again. */
function continuesHistory(directory: string, { commonDir }: Repository): boolean {
  const cut = readIfThere(join(directory, 'shallow'))
  if (cut === null) return true
  const there = new Set((readIfThere(join(commonDir, 'shallow')) ?? '').split('\n'))
  return cut.split('\n').every((commit) => there.has(commit))
}

/** Complete under its name, or not there. Settings, hooks and attributes of the repository have no part in it. */
function create(root: string, { commonDir }: Repository): string {
  const draft = mkdtempSync(join(root, 'new-'))
  for (const name of ['refs', 'complete', join('objects', 'pack'), join('objects', 'info')])
    mkdirSync(join(draft, name), { recursive: true, mode: 0o700 })
  writeFileAtomic(join(draft, 'config'), settingsFor(commonDir))
  writeFileAtomic(join(draft, 'HEAD'), HEAD)
  const directory = join(root, String((generations(root)[0] ?? 0) + 1))
  renameSync(draft, directory)
  return directory
}

const HEAD = 'ref: refs/heads/none\n'

function settingsFor(commonDir: string): string {
  const isSha256 = /^[ \t]*objectformat\s*=\s*"?sha256/im.test(readIfThere(join(commonDir, 'config')) ?? '')
  const format = isSha256 ? ['repositoryformatversion = 1'] : ['repositoryformatversion = 0']
  const extension = isSha256 ? ['[extensions]', 'objectformat = sha256'] : []
  return ['[core]', ...format, 'bare = true', ...extension, ''].join('\n')
}

/** Without these git finds no repository there, and answers that nothing has anything in common. */
function isWhole(directory: string, { commonDir }: Repository): boolean {
  return (
    readIfThere(join(directory, 'HEAD')) === HEAD && readIfThere(join(directory, 'config')) === settingsFor(commonDir)
  )
}

/** What is left of former ones, and of repositories that are gone. */
function sweep(root: string): void {
  const remove = (path: string) => removeTree(path, { maxRetries: 3 })
  for (const number of generations(root)) {
    const directory = join(root, String(number))
    if (ageOf(directory) > LIFE_MS + LEFT_MS) remove(directory)
  }
  for (const name of namesIn(root)) if (name.startsWith('new-')) remove(join(root, name))
  for (const name of namesIn(dirname(root))) {
    const other = join(dirname(root), name)
    const commonDir = readIfThere(join(other, 'repository'))?.trim()
    if (commonDir && !existsSync(commonDir)) remove(other)
  }
}
