// Where a comment on a line belongs in GitLab's terms: a line that was not changed is named by its old number too. Pure.
import { AoError } from '../../contract/errors.ts'
import type { GitlabDiff, GitlabVersion } from './gitlab-data.ts'

export interface LinePosition {
  position_type: 'text'
  base_sha: string
  start_sha: string
  head_sha: string
  old_path: string
  new_path: string
  new_line: number
  old_line?: number
}

export function linePosition(
  version: GitlabVersion,
  diffs: readonly GitlabDiff[],
  { path, line }: { path: string; line: number },
): LinePosition {
  const file = diffs.find((one) => one.new_path === path)
  const old = file === undefined ? undefined : oldLine(file.diff, line)
  if (file === undefined || old === undefined) {
    throw new AoError('USAGE', `${path}:${line} is not part of the diff of the merge request`, {
      hint: 'A comment without a line can say anything',
      details: { path, line },
    })
  }
  const shas = {
    base_sha: version.base_commit_sha,
    start_sha: version.start_commit_sha,
    head_sha: version.head_commit_sha,
  }
  const position = { position_type: 'text', ...shas, old_path: file.old_path, new_path: path, new_line: line } as const
  return old === null ? position : { ...position, old_line: old }
}

/** null: the line is new. undefined: the diff does not show it. */
function oldLine(diff: string, line: number): number | null | undefined {
  let [before, after] = [0, 0]
  for (const text of diff.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    if (hunk) {
      before = Number(hunk[1]) - 1
      after = Number(hunk[2]) - 1
      continue
    }
    if (text.startsWith('-')) before += 1
    else if (text.startsWith('+')) {
      after += 1
      if (after === line) return null
    } else if (text.startsWith(' ')) {
      before += 1
      after += 1
      if (after === line) return before
    }
  }
  return undefined
}
