// A unified diff: its files as a tree, and each with its lines in one or two columns. Comments appear below their lines.
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import type { AddComment, DiffComment } from './diff-comment.ts'
import { DiffFileView } from './diff-file-view.tsx'
import type { TakeBack } from './diff-lines.tsx'
import { FileTree } from './files/file-tree.tsx'
import type { ImageUrl } from './files/image-pair.tsx'
import { useViewed } from './files/viewed.ts'
import { LayoutSwitch, useLayout } from './layout-switch.tsx'
import { LineCounts } from './line-counts.tsx'
import { type DiffFile, parseDiff } from './parse-diff.ts'
import { type LoadFile, useMoreContext } from './use-more-context.ts'

interface Props {
  /** As git writes it. */
  diff: string
  comments?: readonly DiffComment[]
  /** Only these files are shown. */
  only?: ReadonlySet<string> | undefined
  /** Adds a button for it to lines of the new side. */
  onAddComment?: AddComment | undefined
  /** By path, the lines that take a comment; absent: all that are shown. */
  commentable?: ReadonlyMap<string, ReadonlySet<number>> | undefined
  /** Under this name it is kept which files were viewed; absent: they cannot be marked. */
  viewedAs?: string
  /** The diff of one file with more lines around its changes. */
  loadFile?: LoadFile | undefined
  /** Takes back a hunk or a file of it. */
  onTakeBack?: TakeBack | undefined
  /** Where a picture of the diff is. */
  imageUrl?: ImageUrl | undefined
  /** Next to the number of files. */
  note?: ReactNode
  /** Actions on the diff: stay visible while it scrolls. */
  actions?: ReactNode
}

/** With more lines than this in total, files start collapsed. So does a single file with more than that. */
const OPEN_LINES = 3_000
const OPEN_FILE_LINES = 600

/** Constants, so that files without comments are not rendered again. */
const NONE: readonly DiffComment[] = []
const NO_LINES: ReadonlySet<number> = new Set()

export function DiffView(props: Props) {
  const { diff, comments = NONE, only, onAddComment, commentable, viewedAs, loadFile, imageUrl, note, actions } = props
  const { onTakeBack } = props
  const all = useMemo(() => parseDiff(diff), [diff])
  const files = useMemo(() => (only ? all.filter(({ path }) => only.has(path)) : all), [all, only])
  const byPath = useMemo(() => Map.groupBy(comments, ({ path }) => path), [comments])
  const counts = useMemo(() => new Map([...byPath].map(([path, all]) => [path, all.length])), [byPath])
  const openByDefault = useMemo(() => openFiles(files), [files])
  const [layout, setLayout] = useLayout()
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const viewed = useViewed(viewedAs ?? null, files)
  const context = useMoreContext(files, loadFile)
  const isOpen = (file: DiffFile) =>
    (openByDefault.has(file) && viewed.stateOf(file) !== 'viewed') !== toggled.has(file.path)
  const open = useCallback((file: DiffFile, wasOpen: boolean) => {
    if (!wasOpen) setToggled((before) => flip(before, file.path))
    // After it has been drawn open.
    requestAnimationFrame(() => scrollToFile(file.path))
  }, [])
  const view = (file: DiffFile, isViewed: boolean) => {
    viewed.set(file, isViewed)
    setToggled((before) => without(before, file.path))
  }
  if (files.length === 0) {
    return (
      <div className="flex flex-col gap-3">
        {note && <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">{note}</div>}
        <EmptyState icon="diff" title="No changes">
          Nothing differs here.
        </EmptyState>
      </div>
    )
  }
  const tree = (
    <FileTree files={files} stateOf={viewed.stateOf} comments={counts} onOpen={(file) => open(file, isOpen(file))} />
  )
  return (
    <div className={`@container flex flex-col gap-3 ${actions ? '[--diff-head:3rem]' : ''}`}>
      <div
        className={`flex flex-wrap items-center gap-x-3 gap-y-1 text-sm ${actions ? 'sticky top-0 z-10 -mx-1 bg-canvas px-1 py-2' : ''}`}
      >
        {files.length > 1 && <FilesButton count={files.length}>{tree}</FilesButton>}
        <span className={`font-medium ${files.length > 1 ? 'hidden @4xl:inline' : ''}`}>
          {files.length === 1 ? '1 file' : `${files.length} files`}
        </span>
        <Sums files={files} />
        {viewedAs !== undefined && files.length > 1 && (
          <span className="text-xs text-muted">
            {viewed.count} of {files.length} viewed
          </span>
        )}
        {note}
        <div className="ml-auto max-lg:hidden">
          <LayoutSwitch layout={layout} onChange={setLayout} />
        </div>
        {actions && <div className="max-lg:ml-auto">{actions}</div>}
      </div>
      <div className="flex items-start gap-4">
        {files.length > 1 && (
          <div className="sticky top-14 hidden max-h-[calc(100dvh-5rem)] w-60 shrink-0 overflow-y-auto pb-4 @4xl:block">
            {tree}
          </div>
        )}
        <div className="flex min-w-0 flex-1 flex-col gap-3">
          {files.map((file) => (
            <DiffFileView
              key={`${file.oldPath}\0${file.path}`}
              file={file}
              shown={context.shownOf(file)}
              layout={layout}
              comments={byPath.get(file.path) ?? NONE}
              onAddComment={onAddComment}
              commentable={commentable === undefined ? null : (commentable.get(file.path) ?? NO_LINES)}
              onMoreContext={context.canShowMore(file) ? context.showMore : undefined}
              onTakeBack={onTakeBack}
              imageUrl={imageUrl}
              isLarge={!openByDefault.has(file)}
              open={isOpen(file)}
              viewed={viewedAs === undefined ? null : viewed.stateOf(file)}
              onView={(isViewed) => view(file, isViewed)}
              onToggle={() => setToggled(flip(toggled, file.path))}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

function Sums({ files }: { files: readonly DiffFile[] }) {
  const sum = (side: 'added' | 'removed') => files.reduce((total, file) => total + file[side], 0)
  return <LineCounts added={sum('added')} removed={sum('removed')} />
}

/** Where there is no room for the tree beside the diff. */
function FilesButton({ count, children }: { count: number; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <span className="@4xl:hidden">
      <Button size="sm" icon="list" onClick={() => setOpen(true)}>
        {count} files
      </Button>
      {isOpen && (
        <Dialog title="Files" onClose={() => setOpen(false)}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: closes after the buttons inside have acted. */}
          <div
            className="max-h-[60dvh] overflow-y-auto"
            onClick={(event) => {
              if (event.target instanceof Element && event.target.closest('button[title]')) setOpen(false)
            }}
          >
            {children}
          </div>
        </Dialog>
      )}
    </span>
  )
}

function scrollToFile(path: string): void {
  const section = document.querySelector<HTMLElement>(`[data-diff-file="${CSS.escape(path)}"]`)
  section?.scrollIntoView({ block: 'start', behavior: 'instant' })
  section?.querySelector<HTMLElement>('h2 button')?.focus({ preventScroll: true })
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

function without(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return set.has(key) ? flip(set, key) : set
}
