// The lines of a file side by side: before on the left, after on the right.
import { Fragment } from 'react'
import { CodeCell, CommentRows, HunkHeading, type LinesProps, NumberCell } from './line-cells.tsx'
import { pairLines } from './parse-diff.ts'

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
                  <NumberCell line={left?.oldLine ?? null} kind={left?.kind ?? null} />
                  <CodeCell line={left} />
                  <NumberCell
                    line={right?.newLine ?? null}
                    kind={right?.kind ?? null}
                    onAdd={
                      onAddComment && right?.newLine != null ? () => onAddComment(file.path, right.newLine!) : undefined
                    }
                  />
                  <CodeCell line={right} />
                </tr>
                <CommentRows comments={comments} line={right?.newLine ?? null} columns={COLUMNS} />
              </Fragment>
            ))}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}
