// What changed between two commits, from git's objects alone: names, lines, sizes, added text.
import type { AddedLine, ChangedFile } from '../../core/landing/judge-change.ts'
import { gitOn, type Repository } from '../../git/repository.ts'
import { type VerifiedRepository, verified } from '../../git/vault/verified.ts'

export interface CommitRange {
  repository: Repository
  from: string
  to: string
}

export function verifiedRange({ repository, from, to }: CommitRange): Promise<VerifiedRepository> {
  return verified(repository, [from, to])
}

/** Settings of the repository could leave submodules out. */
const PLAIN = ['--no-color', '--no-renames', '--ignore-submodules=none']

export async function readChangedPaths(range: CommitRange): Promise<RawChange[]> {
  const { from, to } = range
  const repository = await verifiedRange(range)
  const raw = await gitOn(repository, ['diff', '--raw', '-z', '--abbrev=64', ...PLAIN, from, to, '--'], { read: true })
  const fields = raw.split('\0')
  const changes: RawChange[] = []
  // `:100644 100644 <old> <new> M`, then the path.
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', mode = '', oldBlob = '', blob = '', letter = ''] = fields[at]!.slice(1).split(' ')
    const status = letter.charAt(0)
    changes.push({
      path: fields[at + 1]!,
      status: status === 'A' || status === 'D' || status === 'T' ? status : 'M',
      blob,
      mode,
      before: { blob: oldBlob, mode: oldMode },
    })
  }
  return changes
}

export interface RawChange extends Pick<ChangedFile, 'path' | 'status'> {
  blob: string
  /** Afterwards, as git writes it. */
  mode: string
  before: { blob: string; mode: string }
}

export async function readChangedFiles(range: CommitRange): Promise<ChangedFile[]> {
  const { from, to } = range
  const changes = await readChangedPaths(range)
  if (changes.length === 0) return []
  const repository = await verifiedRange(range)
  const [numbers, sizes] = await Promise.all([
    gitOn(repository, ['diff', '--numstat', '-z', ...PLAIN, from, to, '--'], { read: true }),
    gitOn(repository, ['cat-file', '--batch-check=%(objecttype) %(objectsize)'], {
      read: true,
      input: changes.map(({ blob }) => `${blob}\n`).join(''),
    }),
  ])
  const lines = new Map(
    numbers.split('\0').flatMap((row): Array<[string, number | null]> => {
      const [added, deleted, path] = row.split('\t')
      return path === undefined ? [] : [[path, added === '-' ? null : (Number(added) || 0) + (Number(deleted) || 0)]]
    }),
  )
  const sizeOf = sizes.split('\n').map((row) => (row.startsWith('blob ') ? Number(row.slice(5)) : null))
  return changes.map(({ path, status }, index) => ({
    path,
    status,
    lines: lines.get(path) ?? 0,
    isBinary: lines.get(path) === null,
    bytes: sizeOf[index] ?? null,
  }))
}

/** Lines of the hunks are counted, so that no content can be taken for a heading. */
export async function readAddedLines(range: CommitRange): Promise<AddedLine[]> {
  const { from, to } = range
  const args = ['-c', 'core.quotePath=false', 'diff', '--unified=0', '--text', ...PLAIN, from, to, '--']
  return parseAddedLines(await gitOn(await verifiedRange(range), args, { read: true }))
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

export function parseAddedLines(diff: string): AddedLine[] {
  const found: AddedLine[] = []
  let path = ''
  let [removed, added, line] = [0, 0, 0]
  for (const row of diff.split('\n')) {
    if (added > 0 && row.startsWith('+')) {
      found.push({ path, line: line++, text: row.slice(1) })
      added--
    } else if (removed > 0 && row.startsWith('-')) removed--
    else if (row.startsWith('+++ ')) path = row.replace(/^\+\+\+ "?b\//, '').replace(/(?<!["\t])["\t]*$/, '')
    else {
      const hunk = HUNK.exec(row)
      if (hunk) [removed, line, added] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)]
    }
  }
  return found
}
