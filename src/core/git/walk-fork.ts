// Where a branch left its base, from `git rev-list --parents <heads> ^<base>`: all commits that the base does not have. Pure.

export function readParents(listed: string): Map<string, string[]> {
  const parents = new Map<string, string[]>()
  for (const line of listed.split('\n')) {
    const [commit = '', ...rest] = line.split(' ')
    if (commit !== '') parents.set(commit, rest)
  }
  return parents
}

/** `from` null: there are several such commits, or none; git has to say which is the merge base. */
export function walkFork(
  head: string,
  parents: ReadonlyMap<string, readonly string[]>,
): { from: string | null; commits: number } {
  // The base has it.
  if (!parents.has(head)) return { from: head, commits: 0 }
  const seen = new Set<string>()
  const edge = new Set<string>()
  const open = [head]
  for (let commit = open.pop(); commit !== undefined; commit = open.pop()) {
    if (seen.has(commit)) continue
    seen.add(commit)
    for (const parent of parents.get(commit)!) {
      if (parents.has(parent)) open.push(parent)
      else edge.add(parent)
    }
  }
  return { from: edge.size === 1 ? [...edge][0]! : null, commits: seen.size }
}
