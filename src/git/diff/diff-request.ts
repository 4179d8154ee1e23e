// Which part of a diff is wanted: all of it, one commit, what is new since a commit, one file with more lines around it.

export interface DiffRequest {
  /** Only this commit of the range. */
  commit?: string | undefined
  /** From this commit to the head. */
  since?: string | undefined
  /** Only what is not committed yet. */
  uncommitted?: boolean | undefined
  /** Only this file; renamed ones have two names. */
  files?: readonly string[] | undefined
  /** Unchanged lines around each change. */
  context?: number | undefined
}

/** The person's own git settings must not change the format the page has to parse. */
export function diffFormat({ context = 3 }: DiffRequest = {}): string[] {
  return [
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--find-renames',
    `--unified=${context}`,
    '--src-prefix=a/',
    '--dst-prefix=b/',
  ]
}

/** What follows the revisions: names are never patterns. */
export function diffPaths({ files = [] }: DiffRequest = {}): string[] {
  return ['--', ...files.map((path) => `:(literal)${path}`)]
}

/** Shows one commit like a diff, a merge against its first parent. */
export function commitDiff(sha: string, request: DiffRequest): string[] {
  return ['show', '--format=', '--diff-merges=first-parent', ...diffFormat(request), sha, ...diffPaths(request)]
}
