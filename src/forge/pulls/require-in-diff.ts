// A comment on a line belongs to the diff: elsewhere nobody who reads the diff would see it. GitHub refuses it too.
import { AoError } from '../../contract/errors.ts'
import { gitOn } from '../../git/repository.ts'
import type { LocalForge } from '../types.ts'
import { pullRange } from './diff-pull.ts'
import type { LocalPull } from './pull-events.ts'

interface OnLine {
  path?: string | undefined
  line?: number | undefined
}

/** Throws for the first one that is not on a changed line or within three lines of one. */
export async function requireInDiff(forge: LocalForge, pull: LocalPull, comments: readonly OnLine[]): Promise<void> {
  const paths = new Set(comments.flatMap(({ path }) => path ?? []))
  if (paths.size === 0) return
  const { from, to } = await pullRange(forge, pull)
  for (const path of paths) {
    const format = ['--no-color', '--no-ext-diff', '--no-textconv', '--unified=3']
    const diff = await gitOn(forge.repository(), ['diff', ...format, from, to, '--', `:(literal)${path}`], {
      read: true,
    })
    const ranges = newLines(diff)
    const outside = comments.find((one) => one.path === path && !isInside(one.line, diff, ranges))
    if (outside === undefined) continue
    const where = outside.line === undefined ? path : `${path}:${outside.line}`
    throw new AoError('USAGE', `${where} is not part of the diff of pull request ${pull.number}`, {
      hint: `See what it changes with: ao pr diff ${pull.number}; a comment without a line can say anything`,
      details: { number: pull.number, path, line: outside.line },
    })
  }
}

type Range = readonly [first: number, last: number]

function isInside(line: number | undefined, diff: string, ranges: readonly Range[]): boolean {
  if (line === undefined) return diff !== ''
  return ranges.some(([first, last]) => line >= first && line <= last)
}

/** The lines of the new file that a diff shows; of a deleted file, those of the old one. */
export function newLines(diff: string): Range[] {
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(
    ([, oldStart, oldCount, start, count]) => {
      const isDeleted = start === '0' && count === '0'
      const first = Number(isDeleted ? oldStart : start)
      return [first, first + Number((isDeleted ? oldCount : count) ?? 1) - 1] as const
    },
  )
}
