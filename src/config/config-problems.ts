// What is wrong with a configuration file: where, which key, what, and what was perhaps meant. All problems in one error.
import { basename } from 'node:path'
import { AoError } from '../contract/errors.ts'
import { formatKey, type KeyPath } from '../core/config/key-path.ts'

export interface ConfigProblem {
  path: KeyPath
  message: string
  /** The word that was perhaps meant. */
  suggestion?: string | undefined
  /** The position, when it is not that of the key. */
  at?: Position | undefined
}

export interface Position {
  line: number
  column: number
}

/** Where a key is in the text, or the nearest enclosing one when it is missing; null when there is no text. */
export type Locate = (path: KeyPath) => Position | null

const SHOWN = 20
/** Finding a position walks through the file: not for every one of ten thousand. */
const LOCATED = 200

export function configInvalid(file: string, problems: readonly ConfigProblem[], locate: Locate): AoError {
  const located = problems
    .slice(0, LOCATED)
    .map(({ path, at, ...rest }) => ({ ...(at ?? locate(path)), key: formatKey(path), ...rest }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0))
  const shown = located.slice(0, SHOWN)
  const lines = shown.map((problem) => {
    const position = problem.line === undefined ? '' : `:${problem.line}:${problem.column}`
    const meant = problem.suggestion === undefined ? '' : `; did you mean ${problem.suggestion}?`
    return `${basename(file)}${position} ${problem.key === '' ? '' : `${problem.key}: `}${problem.message}${meant}`
  })
  if (problems.length > SHOWN) lines.push(`and ${problems.length - SHOWN} more`)
  const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`
  return new AoError('CONFIG_INVALID', `${file} has ${count}:\n  ${lines.join('\n  ')}`, {
    hint: 'Correct the file, then check it with: ao config validate',
    details: { file, problems: shown, total: problems.length },
  })
}
