// The lines of a file side by side: before on the left, after on the right.
import { Fragment } from 'react'
import { commentLine } from './diff-comment.ts'
import { adderFor, CodeCell, CommentRows, HunkHeading, type LinesProps, NumberCell } from './line-cells.tsx'
import { type DiffFile, type DiffLine, pairLines } from './parse-diff.ts'

const COLUMNS = 4

export function SplitLines({ file, comments, onAddComment }: LinesProps) {
  return (
    <table className="w-full table-fixed border-collapse font-mono text-xs">
      <colgroup>
        <col className="w-11" />
        <col />
        <col className="w-11" />
        <col />
      </colgroup>
      <tbody>
        {file.hunks.map((hunk) => (
          <Fragment key={`${hunk.oldStart}:${hunk.newStart}`}>
            <HunkHeading hunk={hunk} columns={COLUMNS} />
            {pairLines(hunk.lines).map(({ left, right }) => (
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
                <CommentRows comments={comments} line={commentedLine(file, left, right)} columns={COLUMNS} />
              </Fragment>
            ))}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}

/** A deleted file has only a left side. */
function commentedLine(file: DiffFile, left: DiffLine | null, right: DiffLine | null): number | null {
  const line = right ?? left
  return line === null ? null : commentLine(file, line)
}
