// What a pull request changes, in git's own format: from its merge base to its head; and which lines can be commented on.

import { AoError } from '../../contract/errors.ts'
import { gitOn } from '../../git/repository.ts'
import { mergeBase } from '../merge/merge-memory.ts'
import type { LocalForge } from '../types.ts'
import { observePull } from './observe-pulls.ts'
import type { LocalPull } from './pull-events.ts'

export async function diffPull(forge: LocalForge, pull: LocalPull, format: readonly string[] = []): Promise<string> {
  const { from, to } = await pullRange(forge, pull)
  return gitOn(forge.repository(), ['diff', '--no-color', '--ignore-submodules=none', ...format, from, to, '--'], {
    read: true,
  })
}

/** Its commits one by one, as mails that `git am` accepts. */
export async function patchPull(forge: LocalForge, pull: LocalPull): Promise<string> {
  const { from, to } = await pullRange(forge, pull)
  return gitOn(forge.repository(), ['format-patch', '--stdout', '--no-color', `${from}..${to}`, '--'], { read: true })
}

/** A closed or merged one is compared with the base as it was before. */
export async function pullRange(forge: LocalForge, pull: LocalPull): Promise<{ from: string; to: string }> {
  const { headSha, baseSha } = await observePull(forge, pull)
  const base = pull.mergeCommit === null ? (baseSha ?? pull.base) : `${pull.mergeCommit}^`
  const from = (await mergeBase(forge.memory, forge.repository(), { head: headSha, base })) ?? base
  return { from, to: headSha }
}

interface OnLine {
  path?: string | undefined
  startLine?: number | undefined
  line?: number | undefined
}

/**
 * Throws for the first comment that belongs to no line of the diff: nobody who reads the diff would see it. GitHub refuses it
 * too.
 */
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
    const outside = comments.find((one) => one.path === path && !isInside(one, diff, ranges))
    if (outside === undefined) continue
    const lines = outside.startLine === undefined ? `${outside.line}` : `${outside.startLine}-${outside.line}`
    const where = outside.line === undefined ? path : `${path}:${lines}`
    throw new AoError('USAGE', `${where} is not part of the diff of pull request ${pull.number}`, {
      hint: `See what it changes with: ao pr diff ${pull.number}; a comment without a line can say anything`,
      details: { number: pull.number, path, line: outside.line },
    })
  }
}

type Range = readonly [first: number, last: number]

/** Several lines must be together in one hunk of the diff. */
function isInside({ startLine, line }: OnLine, diff: string, ranges: readonly Range[]): boolean {
  if (line === undefined) return diff !== ''
  const from = startLine ?? line
  return from <= line && ranges.some(([first, last]) => from >= first && line <= last)
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
