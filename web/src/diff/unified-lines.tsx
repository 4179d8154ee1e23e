// The lines of a file in one column.
import { Fragment } from 'react'
import { commentLine } from './diff-comment.ts'
import { adderFor, CodeCell, CommentRows, HunkHeading, type LinesProps, NumberCell } from './line-cells.tsx'

const COLUMNS = 3

export function UnifiedLines({ file, comments, onAddComment }: LinesProps) {
  return (
    <table className="w-full border-collapse font-mono text-xs">
      <tbody>
        {file.hunks.map((hunk) => (
          <Fragment key={`${hunk.oldStart}:${hunk.newStart}`}>
            <HunkHeading hunk={hunk} columns={COLUMNS} />
            {hunk.lines.map((line) => (
              <Fragment key={`${line.oldLine}:${line.newLine}`}>
                <tr className="group/line">
                  <NumberCell
                    line={line.oldLine}
                    kind={line.kind}
                    onAdd={line.kind === 'removed' ? adderFor({ file, onAddComment }, hunk, line) : undefined}
                  />
                  <NumberCell
                    line={line.newLine}
                    kind={line.kind}
                    onAdd={line.kind === 'removed' ? undefined : adderFor({ file, onAddComment }, hunk, line)}
                  />
                  <CodeCell line={line} />
                </tr>
                <CommentRows comments={comments} line={commentLine(file, line)} columns={COLUMNS} />
              </Fragment>
            ))}
          </Fragment>
        ))}
      </tbody>
    </table>
  )
}
