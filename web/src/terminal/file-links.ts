// Paths in a terminal's text that lead to files of the session's workspace. Nothing that an agent prints is trusted: a link never
// leads out of the workspace, and it only opens an editor.
import type { ILink, Terminal } from '@xterm/xterm'

export interface FileLink {
  /** Where in the line it begins, and how long it is. */
  start: number
  length: number
  /** Relative to the workspace. */
  path: string
  line: number | null
  column: number | null
}

/** A name with an ending, at least one of slash, line or a known look of a file; then `:12:3`, `(12,3)` or `, line 12`. */
const PATH =
  /(?<![\w/.:@-])((?:\/|\.\/)?(?:[\w.@+-]+\/)*[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9})(?::(\d{1,7})(?::(\d{1,5}))?|\((\d{1,7})(?:,(\d{1,5}))?\)|", line (\d{1,7}))?/g

export function findFileLinks(text: string, workspace: string): FileLink[] {
  return [...text.matchAll(PATH)].flatMap((match) => {
    const path = insidePath(match[1]!, workspace)
    if (path === null) return []
    const number = (value: string | undefined) => (value === undefined ? null : Number(value))
    const line = number(match[2] ?? match[4] ?? match[6])
    // A bare word with a dot is more often a host or a sentence than a file.
    if (line === null && !path.includes('/')) return []
    const column = number(match[3] ?? match[5])
    return [{ start: match.index, length: match[0].length, path, line, column }]
  })
}

/** null: it leads elsewhere. */
function insidePath(path: string, workspace: string): string | null {
  const root = `${workspace.replace(/(?<!\/)\/+$/, '')}/`
  const relative = path.startsWith(root) ? path.slice(root.length) : path.replace(/^\.\//, '')
  const isOutside = relative.startsWith('/') || relative.split('/').includes('..')
  return isOutside || relative === '' ? null : relative
}

/** Editors that open a file by an address, by name. */
export const EDITORS = {
  vscode: 'VS Code',
  'vscode-insiders': 'VS Code Insiders',
  vscodium: 'VSCodium',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  zed: 'Zed',
} as const
export type Editor = keyof typeof EDITORS

const KEY = 'ao.editor'

export function readEditor(): Editor {
  const saved = localStorage.getItem(KEY) ?? ''
  return Object.hasOwn(EDITORS, saved) ? (saved as Editor) : 'vscode'
}

export function saveEditor(editor: Editor): void {
  localStorage.setItem(KEY, editor)
}

export function editorAddress(editor: Editor, workspace: string, { path, line, column }: FileLink): string {
  const file = `${workspace.replace(/(?<!\/)\/+$/, '')}/${path}`.split('/').map(encodeURIComponent).join('/')
  const position = line === null ? '' : `:${line}${column === null ? '' : `:${column}`}`
  return `${editor}://file${file}${position}`
}

/** Links in every line that the pointer is on. */
export function linkFiles(terminal: Terminal, workspace: string): void {
  terminal.registerLinkProvider({
    provideLinks(row, callback) {
      const text = terminal.buffer.active.getLine(row - 1)?.translateToString(true) ?? ''
      callback(findFileLinks(text, workspace).map((link) => toLink(link, row, workspace)))
    },
  })
}

function toLink(link: FileLink, row: number, workspace: string): ILink {
  const { start, length } = link
  return {
    text: link.path,
    range: { start: { x: start + 1, y: row }, end: { x: start + length, y: row } },
    activate: () => window.open(editorAddress(readEditor(), workspace, link), '_self'),
  }
}
