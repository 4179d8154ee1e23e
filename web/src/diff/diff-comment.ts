// A comment on a line of a diff, or on several.
import type { ReactNode } from 'react'
import type { DiffFile, DiffHunk, DiffLine } from './parse-diff.ts'

export interface DiffComment {
  /** Stable while others come and go. */
  id?: string
  path: string
  /** The first of several lines. */
  startLine?: number | null
  /** A line of the new side, for a deleted file one of the old; null: about an earlier version of the file. */
  line: number | null
  body: ReactNode
}

interface CommentLines {
  /** The removed line that is meant: the comment itself is attached to the line that follows it. */
  quote?: string
  /** The first of several lines. */
  startLine?: number
}

export type AddComment = (path: string, line: number, more?: CommentLines) => void

/** The number by which comments refer to this line; null: it has none, because it was removed. */
export function commentLine(file: Pick<DiffFile, 'change'>, line: DiffLine): number | null {
  return file.change === 'deleted' ? line.oldLine : line.newLine
}

/** Where a comment on a removed line is attached: to the next line that still exists, else to the one before. */
export function anchorOf(lines: readonly DiffLine[], removed: DiffLine): number | null {
  const at = lines.indexOf(removed)
  const after = lines.slice(at).find(({ newLine }) => newLine !== null)
  return (after ?? lines.slice(0, at).findLast(({ newLine }) => newLine !== null))?.newLine ?? null
}

/** Those not attached to a shown line: the line is outside the changes, or the file was different then. */
export function commentsOutside(file: DiffFile, comments: readonly DiffComment[]): DiffComment[] {
  if (comments.length === 0) return []
  const shown = new Set(file.hunks.flatMap((hunk) => hunk.lines.map((line) => commentLine(file, line))))
  return comments.filter(({ line }) => line === null || !shown.has(line))
}

/** The lines that a comment on `line` can be about: those around it in the same hunk of the diff. */
export function linesAround(files: readonly DiffFile[], path: string, line: number): DiffLine[] {
  const file = files.find((one) => one.path === path)
  const has = ({ lines }: DiffHunk) => lines.some((one) => commentLine(file!, one) === line)
  const hunk = file?.hunks.find(has)
  return hunk?.lines.filter((one) => commentLine(file!, one) !== null) ?? []
}

/** Their text; null: the diff does not show all of them. */
export function textOfLines(
  files: readonly DiffFile[],
  path: string,
  { startLine, line }: { startLine?: number | null | undefined; line: number },
): string | null {
  const file = files.find((one) => one.path === path)
  const from = startLine ?? line
  const wanted = linesAround(files, path, line).filter((one) => {
    const number = commentLine(file!, one)!
    return number >= from && number <= line
  })
  return wanted.length === line - from + 1 ? wanted.map(({ text }) => text).join('\n') : null
}
