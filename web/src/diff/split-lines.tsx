// The lines of a file side by side: before on the left, after on the right.
import { Fragment, memo } from 'react'
import { commentLine } from './diff-comment.ts'
import { adderFor, CodeCell, CommentRows, HunkHeading, type LinesProps, NumberCell } from './line-cells.tsx'
import { type Chunk, ChunkTable, commentsOn, NUMBER_COLUMN, useChunks } from './line-chunks.tsx'
import { type DiffFile, type DiffHunk, pairLines, type SideBySide } from './parse-diff.ts'

const COLUMNS = [NUMBER_COLUMN, '', NUMBER_COLUMN, '']

export function SplitLines({ file, comments, onAddComment }: LinesProps) {
  return useChunks(file, pairsOf).map((chunk) => (
    <SplitChunk
      key={chunk.key}
      file={file}
      chunk={chunk}
      comments={commentsOn(comments, chunk, (row) => commentedLine(file, row))}
      onAddComment={onAddComment}
    />
  ))
}

function pairsOf({ lines }: DiffHunk): readonly SideBySide[] {
  return pairLines(lines)
}

/** A deleted file has only a left side. */
function commentedLine(file: DiffFile, { left, right }: SideBySide): number | null {
  const line = right ?? left
  return line === null ? null : commentLine(file, line)
}

const SplitChunk = memo(function SplitChunk({
  file,
  chunk,
  comments,
  onAddComment,
}: LinesProps & { chunk: Chunk<SideBySide> }) {
  const { hunk, isFirst, rows } = chunk
  return (
    <ChunkTable rows={rows.length} columns={COLUMNS}>
      {isFirst && <HunkHeading hunk={hunk} columns={COLUMNS.length} />}
      {rows.map(({ left, right }) => (
        <Fragment key={`${left?.oldLine}:${right?.newLine}`}>
          <tr className="group/line">
            <NumberCell
              line={left?.oldLine ?? null}
              kind={left?.kind ?? null}
              onAdd={left?.kind === 'removed' ? adderFor({ file, onAddComment }, hunk, left) : undefined}
            />
            <CodeCell line={left} />
            <NumberCell
              line={right?.newLine ?? null}
              kind={right?.kind ?? null}
              onAdd={adderFor({ file, onAddComment }, hunk, right)}
            />
            <CodeCell line={right} />
          </tr>
          <CommentRows comments={comments} line={commentedLine(file, { left, right })} columns={COLUMNS.length} />
        </Fragment>
      ))}
    </ChunkTable>
  )
})
