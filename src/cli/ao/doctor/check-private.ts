// Directories with records, keys and consent: nobody else may write there, or sessions and consent could be forged.
import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Io } from '../../io.ts'
import type { Finding } from '../../print/findings.ts'
import type { Ao } from '../open-ao.ts'

const WRITABLE_BY_OTHERS = 0o022

export function checkPrivate(ao: Ao, io: Io, { fix }: { fix: boolean }): Finding[] {
  return [ao.paths.dataDir, join(io.home, '.ao')]
    .flatMap((base) => [base, ...children(base)])
    .filter(isOpen)
    .map((path) => (fix ? close(path) : report(path)))
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

function isOpen(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isSymbolicLink() && (stats.mode & WRITABLE_BY_OTHERS) !== 0
}

function close(path: string): Finding {
  chmodSync(path, lstatSync(path).mode & 0o7777 & ~WRITABLE_BY_OTHERS)
  return { level: 'pass', name: 'access', detail: `${path} could be written by others; only you can write it now` }
}

function report(path: string): Finding {
  return {
    level: 'fail',
    name: 'access',
    detail: `${path} can be written by other users`,
    fix: 'Close it with: ao doctor --fix',
  }
}
