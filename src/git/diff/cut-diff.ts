// How diffs are cut for the page: never more than a browser can show.
import type { DiffAnswer } from '../../contract/dashboard/answers.ts'

const MOST_BYTES = 2 * 1024 * 1024

/** Whole files only, so that what is shown is correct. At least the name of the first file is kept. */
export function cutDiff(given: string): Pick<DiffAnswer, 'diff' | 'truncated'> {
  // When the output exceeds what can be collected only its end is here, and it begins in the middle of a file.
  const isTail = given !== '' && !given.startsWith('diff --git ')
  const first = isTail ? given.indexOf('\ndiff --git ') : -1
  if (isTail) return { ...cutDiff(first === -1 ? '' : given.slice(first + 1)), truncated: true }
  const diff = given
  if (diff.length <= MOST_BYTES) return { diff, truncated: false }
  const end = diff.lastIndexOf('\ndiff --git ', MOST_BYTES)
  if (end !== -1) return { diff: diff.slice(0, end + 1), truncated: true }
  const content = diff.indexOf('\n@@ ')
  return { diff: content === -1 ? '' : diff.slice(0, content + 1), truncated: true }
}
