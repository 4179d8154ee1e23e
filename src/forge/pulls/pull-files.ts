// The files that a pull request changes, as GitHub lists them: status, counts, and the patch of each.
import type { LocalForge } from '../types.ts'
import { diffPull } from './diff-pull.ts'
import type { LocalPull } from './pull-events.ts'

export interface PullFile {
  path: string
  previousPath?: string | undefined
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed'
  additions: number
  deletions: number
  /** Of the new content; for a removed file, of the old one. */
  sha: string
  /** Its hunks; '' for non-text files. */
  patch: string
}

const STATUS = { A: 'added', D: 'removed', M: 'modified', R: 'renamed', C: 'copied', T: 'changed' } as const
/** The person's own git settings must not change the output we parse. All three list files in the same order. */
const PLAIN = ['--find-renames', '--no-ext-diff', '--no-textconv', '--src-prefix=a/', '--dst-prefix=b/']

export async function pullFiles(forge: LocalForge, pull: LocalPull): Promise<PullFile[]> {
  const raw = await diffPull(forge, pull, [...PLAIN, '--raw', '-z', '--no-abbrev'])
  const counts = (await diffPull(forge, pull, [...PLAIN, '--numstat', '-z'])).split('\0')
  const patches = (await diffPull(forge, pull, PLAIN)).split(/^(?=diff --git )/m)
  const fields = raw.split('\0')
  const files: PullFile[] = []
  while (fields[0]?.startsWith(':')) {
    const [, , before = '', after = '', word = ''] = fields.shift()!.split(' ')
    const letter = word[0] as keyof typeof STATUS
    const first = fields.shift()!
    const hasTwo = letter === 'R' || letter === 'C'
    const path = hasTwo ? fields.shift()! : first
    const [added = '', deleted = ''] = counts.shift()!.split('\t')
    // A rename has its two names after the counts.
    if (hasTwo) counts.splice(0, 2)
    files.push({
      path,
      previousPath: hasTwo ? first : undefined,
      status: STATUS[letter] ?? 'changed',
      additions: Number(added) || 0,
      deletions: Number(deleted) || 0,
      sha: letter === 'D' ? before : after,
      patch: hunksOf(patches[files.length] ?? ''),
    })
  }
  return files
}

function hunksOf(patch: string): string {
  const start = patch.search(/^@@ /m)
  return start === -1 ? '' : patch.slice(start).replace(/\n$/, '')
}
