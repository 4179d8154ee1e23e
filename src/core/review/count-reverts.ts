// Which files of the base branch were changed and then changed back, from the ids of their contents alone: a commit's words may say
// anything, or nothing. Pure.

/** One commit of the first parents: each file's content before and after. */
export interface CommitChanges {
  changes: ReadonlyArray<{ path: string; before: string; after: string }>
}

/** How often each file went back to a content that it had before; those that never did are left out. Oldest first. */
export function countReverts(commits: readonly CommitChanges[]): Map<string, number> {
  const earlier = new Map<string, Set<string>>()
  const counts = new Map<string, number>()
  for (const { changes } of commits)
    for (const { path, before, after } of changes) {
      const contents = earlier.get(path) ?? new Set<string>()
      if (contents.has(after)) counts.set(path, (counts.get(path) ?? 0) + 1)
      contents.add(before)
      earlier.set(path, contents)
    }
  return counts
}

/** Of `git log --raw -z --abbrev=64 --format=%x01`, newest first. null: it is not that. A path may have any characters but NUL. */
export function parseRawLog(text: string): CommitChanges[] | null {
  const commits: Array<{ changes: Array<CommitChanges['changes'][number]> }> = []
  const fields = text.split('\0')
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]!.replace(/^\n/, '')
    if (field === '') continue
    if (field === '\u0001') {
      commits.push({ changes: [] })
      continue
    }
    const [mode = '', , before, after] = field.split(' ')
    const path = fields[++at]
    const commit = commits.at(-1)
    if (!mode.startsWith(':') || !before || !after || path === undefined || !commit) return null
    commit.changes.push({ path, before, after })
  }
  return commits.reverse()
}

/** Of all files of a change, the one that was taken back most often: a large change must not add up old accidents. */
export function revertsOf(counts: ReadonlyMap<string, number>, paths: Iterable<string>): number {
  let most = 0
  for (const path of paths) most = Math.max(most, counts.get(path) ?? 0)
  return most
}
