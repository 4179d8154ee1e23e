// What the demo agent finds as a reviewer: a few patterns in added lines. The same every time.
import type { Severity } from '../../../contract/pull.ts'
import type { AddedLine } from '../../../core/landing/judge-change.ts'

export interface FoundPattern {
  path: string
  line: number
  severity: Severity
  text: string
}

const MOST = 10

const PATTERNS: ReadonlyArray<{ pattern: RegExp; severity: Severity; text: string }> = [
  { pattern: /\b(?:TODO|FIXME)\b/, severity: 'major', text: 'This says itself that it is not finished.' },
  { pattern: /\bconsole\.log\(|\bdebugger\b/, severity: 'minor', text: 'This looks like a leftover of debugging.' },
]

export function findPatterns(lines: readonly AddedLine[]): FoundPattern[] {
  const found = lines.flatMap(({ path, line, text }) => [
    ...PATTERNS.filter(({ pattern }) => pattern.test(text)).map((one) => ({
      path,
      line,
      severity: one.severity,
      text: one.text,
    })),
    ...dividesByZero({ path, line, text }, lines),
  ])
  return found.slice(0, MOST)
}

/** In a file that compares nothing with 0. */
function dividesByZero({ path, line, text }: AddedLine, lines: readonly AddedLine[]): FoundPattern[] {
  const [, divisor] = /[\w)] \/ ([A-Za-z_]\w*)\s*;?\s*$/.exec(text) ?? []
  const compares = lines.some((other) => other.path === path && /[=!]== ?0\b/.test(other.text))
  if (divisor === undefined || compares) return []
  return [
    {
      path,
      line,
      severity: 'major',
      text: `Nothing says what happens when ${divisor} is 0: dividing by zero should be an error.`,
    },
  ]
}
