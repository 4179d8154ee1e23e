// `ao start <url>`: the repository is cloned below the current directory, or found there from an earlier run.
import { existsSync, readdirSync, realpathSync, renameSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { AoError } from '../../../contract/errors.ts'
import { runGit, tryGit } from '../../../git/git.ts'
import { identify } from '../../../lib/process/process-identity.ts'
import { removeTree } from '../../../lib/remove.ts'
import type { Io } from '../../print/io.ts'

/** A URL, or the path of a bare repository: work is not possible in either of them. */
export function mustBeCloned(source: string, cwd: string): boolean {
  if (/^(https?|ssh|git|file):\/\/|^[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:/.test(source)) return true
  const path = resolve(cwd, source)
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(path, name)))
}

export async function cloneHere(source: string, io: Io): Promise<string> {
  const url = existsSync(resolve(io.cwd, source)) ? realpathSync(resolve(io.cwd, source)) : source
  const shown = withoutSecret(url)
  const name = basename(url.replace(/(?<![/:])[/:]+$/, '').replace(':', '/'), '.git')
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(name)) {
    throw new AoError('USAGE', `No directory can be named after ${shown}`, {
      hint: 'Clone it by hand, then: ao start <directory>',
    })
  }
  const directory = join(io.cwd, name)
  if (existsSync(directory)) return requireClone(directory, url, io)
  io.note(`cloning ${shown} ...`)
  // A half-finished clone must not be taken for a repository the next time.
  removeUnfinished(io.cwd, name)
  const unfinished = join(io.cwd, `.${name}.cloning-${process.pid}`)
  try {
    await runGit(io.cwd, ['clone', '--quiet', '--', url, unfinished], { env: io.env, timeoutMs: 600_000 })
    // Somebody else may have been faster.
    if (!existsSync(directory)) renameSync(unfinished, directory)
  } catch (error) {
    throw new AoError('GIT_FAILED', `${shown} could not be cloned: ${outputOf(error, url)}`, {
      hint: `See why with: git clone ${shown}`,
    })
  } finally {
    removeTree(unfinished)
  }
  return requireClone(directory, url, io)
}

/** Of processes that are gone. */
function removeUnfinished(cwd: string, name: string): void {
  const prefix = `.${name}.cloning-`
  for (const found of readdirSync(cwd).filter((one) => one.startsWith(prefix))) {
    if (identify(Number(found.slice(prefix.length))) === null) removeTree(join(cwd, found))
  }
}

/** Something of that name exists: fine only if it is a clone of the same URL. */
async function requireClone(directory: string, url: string, io: Io): Promise<string> {
  const origin = await tryGit(directory, ['remote', 'get-url', 'origin'], { env: io.env, read: true })
  const originUrl = origin.ok ? origin.stdout.trim() : ''
  if (normal(originUrl) === normal(url)) return realpathSync(directory)
  throw new AoError('USAGE', `${directory} exists and is not a clone of ${withoutSecret(url)}`, {
    hint: `If it is the one you mean: ao start ${directory}`,
    details: { directory, origin: withoutSecret(originUrl) },
  })
}

function normal(url: string): string {
  return withoutSecret(url)
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
}

/** A token in a URL is for git alone. */
function withoutSecret(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^@/]*@/i, '$1')
}

function outputOf(error: unknown, url: string): string {
  const stderr = error instanceof AoError ? error.details.stderr : undefined
  const text = typeof stderr === 'string' && stderr.trim() !== '' ? stderr : String((error as Error).message)
  return text.replaceAll(url, withoutSecret(url)).trim()
}
