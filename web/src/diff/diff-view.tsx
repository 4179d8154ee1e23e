// A unified diff, file by file, in one or two columns. Text only; comments appear below their line.
import { type ReactNode, useMemo, useState } from 'react'
import { EmptyState } from '../ui/empty-state.tsx'
import type { AddComment, DiffComment } from './diff-comment.ts'
import { DiffFileView } from './diff-file-view.tsx'
import { LayoutSwitch, useLayout } from './layout-switch.tsx'
import { LineCounts } from './line-counts.tsx'
import { type DiffFile, parseDiff } from './parse-diff.ts'

interface Props {
  /** As git writes it. */
  diff: string
  comments?: readonly DiffComment[]
  /** Adds a button for it to lines of the new side. */
  onAddComment?: AddComment | undefined
  /** Next to the number of files. */
  note?: ReactNode
  /** Actions on the diff: stay visible while it scrolls. */
  actions?: ReactNode
}

/** With more lines than this in total, files start collapsed. So does a single file with more than that. */
const OPEN_LINES = 3_000
const OPEN_FILE_LINES = 600

/** A constant, so that files without comments are not rendered again. */
const NONE: readonly DiffComment[] = []

export function DiffView({ diff, comments = NONE, onAddComment, note, actions }: Props) {
  const files = useMemo(() => parseDiff(diff), [diff])
  const byPath = useMemo(() => Map.groupBy(comments, ({ path }) => path), [comments])
  const [layout, setLayout] = useLayout()
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  if (files.length === 0) {
    return (
      <EmptyState icon="diff" title="No changes yet">
        Nothing differs from the branch it starts from.
      </EmptyState>
    )
  }
  const sum = (side: 'added' | 'removed') => files.reduce((total, file) => total + file[side], 0)
  const openByDefault = openFiles(files)
  return (
    <div className="flex flex-col gap-3">
      <div
        className={`flex flex-wrap items-center gap-x-3 gap-y-1 text-sm ${actions ? 'sticky top-0 z-10 -mx-1 bg-canvas px-1 py-2' : ''}`}
      >
        <span className="font-medium">{files.length === 1 ? '1 file' : `${files.length} files`}</span>
        <LineCounts added={sum('added')} removed={sum('removed')} />
        {note}
        <div className="ml-auto max-lg:hidden">
          <LayoutSwitch layout={layout} onChange={setLayout} />
        </div>
        {actions && <div className="max-lg:ml-auto">{actions}</div>}
      </div>
      {files.map((file) => (
        <DiffFileView
          key={`${file.oldPath}\0${file.path}`}
          file={file}
          layout={layout}
          comments={byPath.get(file.path) ?? NONE}
          onAddComment={onAddComment}
          isLarge={!openByDefault.has(file)}
          open={openByDefault.has(file) !== toggled.has(file.path)}
          onToggle={() => setToggled(flip(toggled, file.path))}
        />
      ))}
    </div>
  )
}

function openFiles(files: readonly DiffFile[]): ReadonlySet<DiffFile> {
  const open = new Set<DiffFile>()
  let budget = OPEN_LINES
  for (const file of files) {
    const lines = file.hunks.reduce((total, hunk) => total + hunk.lines.length, 0)
    if (lines > OPEN_FILE_LINES || lines > budget) continue
    budget -= lines
    open.add(file)
  }
  return open
}

function flip(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(key)) next.add(key)
  return next
}
