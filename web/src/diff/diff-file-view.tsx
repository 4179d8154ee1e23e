// One file of a diff: its name, its status, whether it was viewed, and its lines when it is open.

import { memo } from 'react'
import { isImageName } from '../../../src/core/board/sniff-image.ts'
import { readableText, visibleLine } from '../../../src/core/text/visible-text.ts'
import { Badge } from '../ui/badge.tsx'
import { Icon } from '../ui/icon.tsx'
import { Visible } from '../ui/text/visible.tsx'
import { commentsOutside, type DiffComment } from './diff-comment.ts'
import { DiffLines, type LinesProps } from './diff-lines.tsx'
import { ImagePair } from './files/image-pair.tsx'
import type { ViewState } from './files/viewed.ts'
import { LineCounts } from './line-counts.tsx'
import type { DiffFile } from './parse-diff.ts'

interface Props extends LinesProps {
  /** The same file, maybe with more lines around its changes. */
  shown: DiffFile
  open: boolean
  /** It starts collapsed. */
  isLarge: boolean
  /** null: it cannot be marked. */
  viewed: ViewState | null
  onView: (isViewed: boolean) => void
  onToggle: () => void
}

const CHANGES: Partial<Record<DiffFile['change'], { word: string; tone: 'good' | 'bad' | 'neutral' }>> = {
  added: { word: 'New', tone: 'good' },
  deleted: { word: 'Deleted', tone: 'bad' },
  renamed: { word: 'Renamed', tone: 'neutral' },
  copied: { word: 'Copied', tone: 'neutral' },
}

const hiding = new WeakMap<DiffFile, boolean>()

/** Code in it reads differently from what it does. */
function hidesCode(file: DiffFile): boolean {
  const before = hiding.get(file)
  if (before !== undefined) return before
  const hides = file.hunks.some(({ lines }) => lines.some(({ text }) => readableText(text) !== text))
  hiding.set(file, hides)
  return hides
}

export function DiffFileView({ open, isLarge, viewed, onView, onToggle, ...lines }: Props) {
  const { file } = lines
  const change = CHANGES[file.change]
  return (
    <section
      aria-label={visibleLine(file.path)}
      data-diff-file={file.path}
      className="scroll-mt-14 overflow-clip rounded-lg border bg-surface shadow-card [contain-intrinsic-size:auto_300px] [content-visibility:auto]"
    >
      <div className="sticky top-(--diff-head,0px) z-5 flex items-center justify-end bg-surface max-sm:flex-wrap">
        {/* On a phone its name has a line of its own where there is more to press. */}
        <h2 className={`min-w-0 flex-1 ${lines.onTakeBack ? 'max-sm:basis-full' : ''}`}>
          <button
            type="button"
            aria-expanded={open}
            onClick={onToggle}
            className="flex w-full scroll-mt-14 items-center gap-2 px-3 py-2 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2"
          >
            <Icon name={open ? 'down' : 'right'} className="size-3.5 text-faint" />
            <span className="min-w-0 font-mono text-xs break-all">
              {file.oldPath !== file.path && (
                <span className="text-muted">
                  <Visible text={file.oldPath} /> →{' '}
                </span>
              )}
              <Visible text={file.path} />
            </span>
            {change && <Badge tone={change.tone}>{change.word}</Badge>}
            {hidesCode(file) && (
              <Badge tone="bad" icon="warning">
                Hidden characters
              </Badge>
            )}
            {file.modeChange && <Badge>{file.modeChange}</Badge>}
            {viewed === 'changed' && <Badge tone="attention">Changed since you viewed it</Badge>}
            <span className="ml-auto">
              {isLarge && !open && viewed !== 'viewed' && (
                <span className="mr-2 text-xs text-muted">Large, shown when opened</span>
              )}
              {file.added + file.removed > 0 && <LineCounts added={file.added} removed={file.removed} />}
            </span>
          </button>
        </h2>
        {lines.onTakeBack && (
          <button
            type="button"
            onClick={() => lines.onTakeBack?.(file, null)}
            className="px-2 text-xs whitespace-nowrap text-muted hover:text-ink"
          >
            Take back<span className="sr-only"> {visibleLine(file.path)}</span>
          </button>
        )}
        {viewed !== null && (
          <label className="flex min-h-9 cursor-pointer items-center gap-1.5 px-3 text-xs text-muted hover:text-ink">
            <input
              type="checkbox"
              data-viewed
              checked={viewed === 'viewed'}
              onChange={(event) => onView(event.target.checked)}
              className="accent-(--accent)"
              aria-label={`Viewed ${visibleLine(file.path)}`}
            />
            <span aria-hidden="true">Viewed</span>
          </label>
        )}
      </div>
      {open && (
        <div className="border-t">
          <FileLines {...lines} />
        </div>
      )}
    </section>
  )
}

const FileLines = memo(function FileLines(props: LinesProps & { shown: DiffFile }) {
  const { shown, file, onMoreContext, imageUrl, ...rest } = props
  const urlOf = isImageName(file.path) ? imageUrl : undefined
  return (
    <>
      <CommentsOutside file={shown} comments={rest.comments} />
      {urlOf && <ImagePair file={file} urlOf={urlOf} />}
      {file.isBinary && !urlOf && <p className="px-3 py-2 text-sm text-muted">A binary file.</p>}
      {!file.isBinary && file.hunks.length === 0 && (
        <p className="px-3 py-2 text-sm text-muted">
          {file.change === 'added' ? 'An empty file.' : 'No line changed.'}
        </p>
      )}
      {shown.hunks.length > 0 && (
        <DiffLines {...rest} file={shown} onMoreContext={onMoreContext && (() => onMoreContext(file))} />
      )}
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
