// The lines of a file in one column.
import { Fragment, memo } from 'react'
import { commentLine } from './diff-comment.ts'
import { adderFor, CodeCell, CommentRows, HunkHeading, type LinesProps, NumberCell } from './line-cells.tsx'
import { type Chunk, ChunkTable, commentsOn, NUMBER_COLUMN, useChunks } from './line-chunks.tsx'
import type { DiffHunk, DiffLine } from './parse-diff.ts'

const COLUMNS = [NUMBER_COLUMN, NUMBER_COLUMN, '']

export function UnifiedLines({ file, comments, onAddComment }: LinesProps) {
  return useChunks(file, linesOf).map((chunk) => (
    <UnifiedChunk
      key={chunk.key}
      file={file}
      chunk={chunk}
      comments={commentsOn(comments, chunk, (line) => commentLine(file, line))}
      onAddComment={onAddComment}
    />
  ))
}

function linesOf({ lines }: DiffHunk): readonly DiffLine[] {
  return lines
}

const UnifiedChunk = memo(function UnifiedChunk({
  file,
  chunk,
  comments,
  onAddComment,
}: LinesProps & { chunk: Chunk<DiffLine> }) {
  const { hunk, isFirst, rows } = chunk
  return (
    <ChunkTable rows={rows.length} columns={COLUMNS}>
      {isFirst && <HunkHeading hunk={hunk} columns={COLUMNS.length} />}
      {rows.map((line) => {
        const onAdd = adderFor({ file, onAddComment }, hunk, line)
        const isRemoved = line.kind === 'removed'
        return (
          <Fragment key={`${line.oldLine}:${line.newLine}`}>
            <tr className="group/line">
              <NumberCell line={line.oldLine} kind={line.kind} onAdd={isRemoved ? onAdd : undefined} />
              <NumberCell line={line.newLine} kind={line.kind} onAdd={isRemoved ? undefined : onAdd} />
              <CodeCell line={line} />
            </tr>
            <CommentRows comments={comments} line={commentLine(file, line)} columns={COLUMNS.length} />
          </Fragment>
        )
      })}
    </ChunkTable>
  )
})
