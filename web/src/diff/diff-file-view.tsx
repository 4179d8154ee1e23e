// One file of a diff: its name, its status, and its lines when it is open.
import { memo } from 'react'
import { Badge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { type AddComment, commentsOutside, type DiffComment } from './diff-comment.ts'
import { DiffLines } from './diff-lines.tsx'
import type { DiffLayout } from './layout-switch.tsx'
import { LineCounts } from './line-counts.tsx'
import type { DiffFile } from './parse-diff.ts'

interface Props {
  file: DiffFile
  layout: DiffLayout
  comments: readonly DiffComment[]
  onAddComment: AddComment | undefined
  open: boolean
  /** It starts collapsed. */
  isLarge: boolean
  onToggle: () => void
}

const CHANGES: Partial<Record<DiffFile['change'], { word: string; tone: 'good' | 'bad' | 'neutral' }>> = {
  added: { word: 'New', tone: 'good' },
  deleted: { word: 'Deleted', tone: 'bad' },
  renamed: { word: 'Renamed', tone: 'neutral' },
  copied: { word: 'Copied', tone: 'neutral' },
}

export function DiffFileView({ file, layout, comments, onAddComment, open, isLarge, onToggle }: Props) {
  const change = CHANGES[file.change]
  return (
    <section
      aria-label={file.path}
      data-diff-file={file.path}
      className="overflow-clip rounded-lg border bg-surface shadow-card [contain-intrinsic-size:auto_300px] [content-visibility:auto]"
    >
      <h2>
        <button
          type="button"
          aria-expanded={open}
          onClick={onToggle}
          className="flex w-full scroll-mt-14 items-center gap-2 bg-surface px-3 py-2 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2"
        >
          <Icon name={open ? 'down' : 'right'} className="size-3.5 text-faint" />
          <span className="min-w-0 font-mono text-xs break-all">
            {file.oldPath !== file.path && <span className="text-muted">{file.oldPath} → </span>}
            {file.path}
          </span>
          {change && <Badge tone={change.tone}>{change.word}</Badge>}
          {file.modeChange && <Badge>{file.modeChange}</Badge>}
          <span className="ml-auto">
            {isLarge && !open && <span className="mr-2 text-xs text-muted">Large, shown when opened</span>}
            {file.added + file.removed > 0 && <LineCounts added={file.added} removed={file.removed} />}
          </span>
        </button>
      </h2>
      {open && (
        <div className="border-t">
          <FileLines file={file} layout={layout} comments={comments} onAddComment={onAddComment} />
        </div>
      )}
    </section>
  )
}

type LinesProps = Omit<Props, 'open' | 'isLarge' | 'onToggle'>

const FileLines = memo(function FileLines({ file, layout, comments, onAddComment }: LinesProps) {
  return (
    <>
      <CommentsOutside file={file} comments={comments} />
      {file.isBinary && <p className="px-3 py-2 text-sm text-muted">A binary file.</p>}
      {!file.isBinary && file.hunks.length === 0 && <p className="px-3 py-2 text-sm text-muted">No line changed.</p>}
      {file.hunks.length > 0 && <DiffLines {...{ file, layout, comments, onAddComment }} />}
    </>
  )
})

function CommentsOutside({ file, comments }: { file: DiffFile; comments: readonly DiffComment[] }) {
  const outside = commentsOutside(file, comments)
  if (outside.length === 0) return null
  return (
    <div className="flex flex-col gap-2 border-b bg-canvas p-3 text-sm">
      {outside.map((comment) => (
        <div key={comment.id} className="max-w-3xl">
          {comment.body}
        </div>
      ))}
    </div>
  )
}
