// The lines of a file. The renderer is loaded with the first ones, so that pages without a diff stay light.
import { lazy, Suspense } from 'react'
import { loadPart } from '../api/load-part.ts'
import { Spinner } from '../ui/spinner.tsx'
import type { AddComment, DiffComment } from './diff-comment.ts'
import type { ImageUrl } from './files/image-pair.tsx'
import type { DiffLayout } from './layout-switch.tsx'
import type { DiffFile, DiffHunk } from './parse-diff.ts'

export type TakeBack = (file: DiffFile, hunk: DiffHunk | null) => void

export interface LinesProps {
  file: DiffFile
  layout: DiffLayout
  comments: readonly DiffComment[]
  onAddComment: AddComment | undefined
  /** Lines that take a comment; null: all of them. */
  commentable: ReadonlySet<number> | null
  /** Shows more unchanged lines; undefined: there are no more. */
  onMoreContext: ((file: DiffFile) => void) | undefined
  /** Takes a hunk back, or the whole file; undefined: that cannot be done here. */
  onTakeBack?: TakeBack | undefined
  /** Where a picture of the diff is; undefined: pictures are not shown. */
  imageUrl?: ImageUrl | undefined
}

const DrawnLines = lazy(async () => ({ default: (await loadPart(() => import('./drawn-lines.tsx'))).DrawnLines }))

export function DiffLines(props: LinesProps) {
  return (
    <Suspense fallback={<Spinner label="Opening the diff" className="m-3" />}>
      <DrawnLines {...props} />
    </Suspense>
  )
}
