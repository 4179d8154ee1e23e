// Directories with records, keys and consent: nobody else may write there, or sessions and consent could be forged. Tokens and
// keys: nobody else may read them.
import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'

interface Rule {
  /** The bits of the mode that others must not have. */
  forbidden: number
  verb: 'read' | 'written'
}

const WRITABLE: Rule = { forbidden: 0o022, verb: 'written' }
const READABLE: Rule = { forbidden: 0o077, verb: 'read' }

const SECRETS = /\.(?:token|sign-in|browsers|devices|pairings|push|push-keys|links)$/

export function checkPrivate(ao: Ao, io: Io, { fix }: { fix: boolean }): Finding[] {
  const directories = [ao.paths.dataDir, join(io.home, '.ao')].flatMap((base) => [base, ...children(base)])
  return [
    ...directories.filter((path) => isOpen(path, WRITABLE)).map((path) => judge(path, WRITABLE, fix)),
    ...secrets(io)
      .filter((path) => isOpen(path, READABLE))
      .map((path) => judge(path, READABLE, fix)),
  ]
}

/** Whatever an editor, a backup or a copy made of them. */
function secrets({ home, env }: Io): string[] {
  const keys = children(join(home, '.ao', 'run')).filter((path) => SECRETS.test(path))
  return [...keys, join(env.AGH_HOME || join(home, '.agh'), 'http-token')]
}

/** One level is enough: without write access there, nothing below it can be reached that others could not write anyway. */
function children(base: string): string[] {
  try {
    return readdirSync(base).map((name) => join(base, name))
  } catch {
    // Not created yet, or unreadable, which the check of the data directory reports.
    return []
  }
}

function isOpen(path: string, { forbidden }: Rule): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & forbidden) !== 0
}

function judge(path: string, { forbidden, verb }: Rule, fix: boolean): Finding {
  if (!fix) {
    const detail = `${path} can be ${verb} by other users`
    return { level: 'fail', name: 'access', detail, fix: 'Close it with: ao doctor --fix' }
  }
  chmodSync(path, lstatSync(path).mode & 0o7777 & ~forbidden)
  const only = verb === 'read' ? 'read' : 'write'
  return { level: 'pass', name: 'access', detail: `${path} could be ${verb} by others; only you can ${only} it now` }
}
