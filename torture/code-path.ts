// The state of the code that a campaign exercises, as git names it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 })
}

/** Of every file of these folders and files but the tests beside them, as committed. */
export function codeOf(sources: readonly string[]): string {
  const files = git('ls-tree', '-r', 'HEAD', '--', ...sources)
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith('.test.ts'))
  if (files.length === 0) throw new Error(`There is no such code: ${sources.join(', ')}`)
  return createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 16)
}

/** What a campaign would run that is in no commit. */
export function changedFiles(): string[] {
  const lines = git('status', '--porcelain', '--', 'src', 'torture', 'test').split('\n').filter(Boolean)
  return lines.map((line) => line.slice(3)).filter((path) => path !== 'torture/results.json')
}

export function originOf(): { commit: string; date: string } {
  return { commit: git('rev-parse', 'HEAD').trim(), date: new Date().toISOString().slice(0, 10) }
}
