// Files that are numbered one after the other, such as migrations. Two changes that took the same number do not conflict for git;
// the later one gets the next free number. Pure.

export interface Sequence {
  name: string
  /** Where its entries are; '' at the top. */
  directory: string
  /** The name of an entry, a file or a directory: before, digits, after. */
  entry: RegExp
  /** That name as it is written, with `#` and `*`. */
  pattern: string
  /** Digits that a number has at least. */
  width: number
}

/** More than any numbering has, and few enough for exact arithmetic. */
const MOST_DIGITS = 15

/** `db/migrations/####_*.sql`: the signs are the number, `*` is any text. null: not a pattern with one number. */
export function compileSequence(name: string, files: string): Sequence | null {
  const at = files.lastIndexOf('/')
  const [directory, last] = [files.slice(0, Math.max(at, 0)), files.slice(at + 1)]
  const parts = /^([^#]*)(#{1,15})([^#]*)$/.exec(last)
  const isPlain = directory === '' || /^(?!\.{1,2}(?:\/|$))[^/*#:]+(?:\/(?!\.{1,2}(?:\/|$))[^/*#:]+)*$/.test(directory)
  if (parts === null || !isPlain || files.startsWith('/')) return null
  const [, before = '', signs = '', after = ''] = parts
  const width = signs.length
  const entry = new RegExp(`^(${patternOf(before)})(\\d{${width},${MOST_DIGITS}})(?!\\d)(${patternOf(after)})$`, 's')
  return { name, directory, entry, pattern: last, width }
}

function patternOf(text: string): string {
  return text
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]*?')
}

interface Numbered {
  /** The file or directory. */
  entry: string
  number: number
}

/** null: it does not belong to the sequence. */
export function numberIn(sequence: Sequence, path: string): Numbered | null {
  const prefix = sequence.directory === '' ? '' : `${sequence.directory}/`
  if (!path.startsWith(prefix)) return null
  const [entry = ''] = path.slice(prefix.length).split('/')
  const digits = sequence.entry.exec(entry)?.[2]
  return digits === undefined ? null : { entry: prefix + entry, number: Number(digits) }
}

export interface Renaming {
  from: string
  to: string
}

/**
 * `taken`: paths of the base branch; `added`: paths that the change adds. Numbers that are still free stay, unless one of the change's
 * own that comes before had to go behind them. null: no number is left.
 */
export function renumber(
  sequence: Sequence,
  { taken, added }: { taken: readonly string[]; added: readonly string[] },
): Renaming[] | null {
  const numbersOf = (paths: readonly string[]) => paths.flatMap((path) => numberIn(sequence, path)?.number ?? [])
  const used = new Set(numbersOf(taken))
  const own = Map.groupBy(
    new Set(added.flatMap((path) => numberIn(sequence, path)?.entry ?? [])),
    (entry) => numberIn(sequence, entry)!.number,
  )
  const moved: Renaming[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const [number, entries] of [...own].sort(([one], [other]) => one - other)) {
    const isFree = !used.has(number) && number > last
    const next = isFree ? number : nextNumber(sequence, [...used, ...(last > 0 ? [last] : [])])
    if (next === null) return null
    if (!isFree) moved.push(...entries.map((entry) => ({ from: entry, to: withNumber(sequence, entry, next) })))
    last = next
  }
  return moved
}

/** The one after the highest. null: it would have more digits than the files are sorted by. */
export function nextNumber({ width }: Pick<Sequence, 'width'>, used: readonly number[]): number | null {
  const highest = used.reduce((most, one) => Math.max(most, one), 0)
  const digits = Math.max(width, String(highest).length)
  return String(highest + 1).length > digits ? null : highest + 1
}

function formatNumber({ width }: Pick<Sequence, 'width'>, number: number): string {
  return String(number).padStart(width, '0')
}

function withNumber(sequence: Sequence, path: string, number: number): string {
  const at = path.lastIndexOf('/') + 1
  const name = path
    .slice(at)
    .replace(
      sequence.entry,
      (_all, before: string, _digits: string, after: string) => before + formatNumber(sequence, number) + after,
    )
  return path.slice(0, at) + name
}

/** Numbers of branches that have not landed count up to this far beyond those that did: one that is absurd is not everybody's. */
const FARTHEST = 1_000

/** `firm`: landed or given out; `seen`: in branches and worktrees. null: no number is left. */
export function nextClaim(
  sequence: Pick<Sequence, 'width'>,
  { firm, seen }: { firm: readonly number[]; seen: readonly number[] },
): number | null {
  const landed = firm.reduce((most, one) => Math.max(most, one), 0)
  const near = seen.filter((one) => one <= landed + FARTHEST)
  return nextNumber(sequence, [landed, ...near])
}

/** Where a file with this number belongs. `title`: in place of `*`. */
export function claimedPath(sequence: Sequence, number: number, title: string): string {
  const name = sequence.pattern
    .replace(/#+/, () => formatNumber(sequence, number))
    .replace('*', () => title || 'name')
    .replaceAll('*', '')
  return sequence.directory === '' ? name : `${sequence.directory}/${name}`
}

/** The new names in those lines that the change itself wrote: lines of `before` are about the base branch's files. */
export function renameIn(text: string, before: string | null, renamings: readonly Renaming[]): string {
  const kept = new Set(before?.split('\n') ?? [])
  const patterns = renamings.map(({ from, to }) => {
    const [old, now] = [wordOf(from), wordOf(to)]
    return { pattern: new RegExp(`(?<![\\w-])${old.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w-])`, 'g'), now }
  })
  return text
    .split('\n')
    .map((line) => (kept.has(line) ? line : renameOnce(line, patterns)))
    .join('\n')
}

/** A name that is the old one of another, too, is not renamed twice. */
function renameOnce(line: string, patterns: ReadonlyArray<{ pattern: RegExp; now: string }>): string {
  const found = patterns.flatMap(({ pattern, now }) =>
    [...line.matchAll(pattern)].map((match) => ({ at: match.index, length: match[0].length, now })),
  )
  let end = line.length
  let renamed = ''
  for (const { at, length, now } of found.sort((one, other) => other.at - one.at || other.length - one.length)) {
    if (at + length > end) continue
    renamed = now + line.slice(at + length, end) + renamed
    end = at
  }
  return line.slice(0, end) + renamed
}

/** Without its extension, which imports leave out. A bare number is no name: then all of it. */
function wordOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const stem = name.split('.')[0]!
  return /[A-Za-z]/.test(stem) ? stem : name
}
