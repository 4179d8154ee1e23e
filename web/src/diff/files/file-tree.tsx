// The files of a diff as a tree: which were viewed, which have comments, and the way to each of them.

import { memo, useMemo, useState } from 'react'
import { visibleLine } from '../../../../src/core/text/visible-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { LineCounts } from '../line-counts.tsx'
import type { DiffFile } from '../parse-diff.ts'
import type { ViewState } from './viewed.ts'

interface Props {
  files: readonly DiffFile[]
  stateOf: (file: DiffFile) => ViewState
  /** Number of comments by path. */
  comments: ReadonlyMap<string, number>
  onOpen: (file: DiffFile) => void
}

/** Fewer need no filter. */
const FILTER_FROM = 8

export function FileTree({ files, stateOf, comments, onOpen }: Props) {
  const [filter, setFilter] = useState('')
  const shown = useMemo(() => {
    const wanted = filter.toLowerCase().split(/\s+/).filter(Boolean)
    return files.filter(({ path }) => wanted.every((word) => path.toLowerCase().includes(word)))
  }, [files, filter])
  const tree = useMemo(() => buildTree(shown), [shown])
  return (
    <nav aria-label="Files of the diff" className="flex min-h-0 flex-col gap-2">
      {files.length >= FILTER_FROM && (
        <TextField
          label="Filter files"
          hideLabel
          type="search"
          placeholder="Filter files"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => event.stopPropagation()}
        />
      )}
      {shown.length === 0 && <p className="px-1 text-xs text-muted">No file matches.</p>}
      <Branch children_={tree} depth={0} row={{ stateOf, comments, onOpen }} />
    </nav>
  )
}

type Row = Omit<Props, 'files'>

function Branch({ children_, depth, row }: { children_: TreeFolder<DiffFile>['children']; depth: number; row: Row }) {
  return (
    <ul className="flex flex-col">
      {children_.map((child) =>
        child.kind === 'folder' ? (
          <Folder key={`${child.path}/`} folder={child} depth={depth} row={row} />
        ) : (
          <li
            key={`${child.file.oldPath}\0${child.file.path}`}
            className="[contain-intrinsic-size:auto_26px] [content-visibility:auto]"
          >
            <FileRow
              file={child.file}
              name={child.name}
              depth={depth}
              state={row.stateOf(child.file)}
              comments={row.comments.get(child.file.path) ?? 0}
              onOpen={row.onOpen}
            />
          </li>
        ),
      )}
    </ul>
  )
}

function Folder({ folder, depth, row }: { folder: TreeFolder<DiffFile>; depth: number; row: Row }) {
  const [open, setOpen] = useState(true)
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        style={indent(depth)}
        className="flex min-h-6.5 w-full items-center gap-1 rounded px-1 text-left text-xs text-muted hover:bg-hover focus-visible:-outline-offset-2"
      >
        <Icon name={open ? 'down' : 'right'} className="size-3 text-faint" />
        <span className="truncate" title={visibleLine(folder.path)}>
          <Visible text={folder.name} />
        </span>
      </button>
      {open && <Branch children_={folder.children} depth={depth + 1} row={row} />}
    </li>
  )
}

interface FileRowProps {
  file: DiffFile
  name: string
  depth: number
  state: ViewState
  comments: number
  onOpen: (file: DiffFile) => void
}

const FileRow = memo(function FileRow({ file, name, depth, state, comments, onOpen }: FileRowProps) {
  return (
    <button
      type="button"
      onClick={() => onOpen(file)}
      title={visibleLine(file.path)}
      style={indent(depth)}
      className={`flex min-h-6.5 w-full items-center gap-1.5 rounded px-1 text-left text-xs hover:bg-hover focus-visible:-outline-offset-2 ${state === 'viewed' ? 'text-faint' : ''}`}
    >
      <span className="flex size-3 shrink-0 items-center justify-center">
        {state === 'viewed' && (
          <>
            <Icon name="check" className="size-3 text-good" />
            <span className="sr-only">viewed, </span>
          </>
        )}
        {state === 'changed' && (
          <>
            <span aria-hidden="true" className="size-1.5 rounded-full bg-attention" />
            <span className="sr-only">changed since you viewed it, </span>
          </>
        )}
      </span>
      <span className={`min-w-0 flex-1 truncate ${file.change === 'deleted' ? 'line-through' : ''}`}>
        <Visible text={name} />
      </span>
      {comments > 0 && (
        <span className="flex items-center gap-0.5 text-2xs text-attention">
          <Icon name="chat" className="size-3" />
          {comments}
          <span className="sr-only"> {comments === 1 ? 'comment' : 'comments'}</span>
        </span>
      )}
      <span className="text-2xs">
        <LineCounts added={file.added} removed={file.removed} />
      </span>
    </button>
  )
})

function indent(depth: number) {
  return { paddingLeft: `${0.25 + depth * 0.75}rem` }
}

interface TreeFolder<F> {
  kind: 'folder'
  /** As shown: `src/git` where `src` has nothing else. */
  name: string
  path: string
  children: ReadonlyArray<TreeFolder<F> | TreeFile<F>>
}

interface TreeFile<F> {
  kind: 'file'
  name: string
  file: F
}

type Node<F> = { name: string; path: string; children: Map<string, Node<F> | TreeFile<F>> }

/**
 * The files of a diff as folders, in the order of the diff. A folder with nothing but one folder in it is joined with it.
 */
export function buildTree<F extends { path: string }>(files: readonly F[]): TreeFolder<F>['children'] {
  const root: Node<F> = { name: '', path: '', children: new Map() }
  for (const file of files) {
    const parts = file.path.split('/')
    const name = parts.pop()!
    let folder = root
    for (const part of parts) folder = folderIn(folder, part)
    // Two files of one path: a symbolic link that became a file, for example.
    folder.children.set(`${name}\0${folder.children.size}`, { kind: 'file', name, file })
  }
  return joined(root).children
}

function folderIn<F>(parent: Node<F>, name: string): Node<F> {
  const existing = parent.children.get(name)
  if (existing && !('kind' in existing)) return existing
  const path = parent.path === '' ? name : `${parent.path}/${name}`
  const folder: Node<F> = { name, path, children: new Map() }
  parent.children.set(name, folder)
  return folder
}

function joined<F>({ name, path, children }: Node<F>): TreeFolder<F> {
  const all = [...children.values()].map((child) => ('kind' in child ? child : joined(child)))
  const [only] = all
  if (name !== '' && all.length === 1 && only?.kind === 'folder') return { ...only, name: `${name}/${only.name}` }
  return { kind: 'folder', name, path, children: all }
}
