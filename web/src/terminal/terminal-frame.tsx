// The frame around a terminal: what there is to say about it, search, size of letters, full screen.
import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { Button, IconButton } from '../ui/button.tsx'
import type { Screen } from './create-screen.ts'
import { EDITORS, type Editor, readEditor, saveEditor } from './file-links.ts'
import { otherLetters } from './letters.ts'

interface Props {
  label: string
  /** null: not drawn yet. */
  screen: Screen | null
  container: RefObject<HTMLDivElement | null>
  onLetters(size: number | null): void
  /** What it is: live, ended, being opened. */
  news: ReactNode
  actions?: ReactNode
  below?: ReactNode
  hasLinks: boolean
}

export function TerminalFrame({ label, screen, container, onLetters, news, actions, below, hasLinks }: Props) {
  const [isFull, setFull] = useState(false)
  const [isSearching, setSearching] = useState(false)
  useEffect(() => {
    if (!isFull) return
    // The page behind must not scroll along.
    document.documentElement.style.overflow = 'hidden'
    return () => {
      document.documentElement.style.overflow = ''
    }
  }, [isFull])
  const shape = isFull ? 'fixed inset-0 z-40' : 'min-h-0 flex-1 rounded-lg border'
  return (
    <div className={`flex flex-col overflow-hidden bg-surface ${shape}`}>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b px-3 py-1 text-xs text-muted max-sm:px-2">
        {news}
        <span className="ml-auto flex flex-wrap items-center gap-1">
          {hasLinks && <EditorChoice />}
          <IconButton
            size="sm"
            icon="search"
            label="Search in the terminal"
            aria-pressed={isSearching}
            onClick={() => setSearching(!isSearching)}
          />
          <Button
            size="sm"
            variant="ghost"
            title="Smaller text"
            onClick={() => screen && onLetters(otherLetters(screen.letters(), -1))}
          >
            A−<span className="sr-only">, smaller letters</span>
          </Button>
          <Button
            size="sm"
            variant="ghost"
            title="Larger text"
            onClick={() => screen && onLetters(otherLetters(screen.letters(), 1))}
          >
            A+<span className="sr-only">, larger letters</span>
          </Button>
          <Button
            size="sm"
            variant="ghost"
            title="Text size that fits"
            className="max-sm:hidden"
            onClick={() => onLetters(null)}
          >
            Fit
          </Button>
          <IconButton
            size="sm"
            icon={isFull ? 'cross' : 'screen'}
            label={isFull ? 'Leave full screen' : 'Full screen'}
            aria-pressed={isFull}
            onClick={() => setFull(!isFull)}
          />
          {actions}
        </span>
      </div>
      {isSearching && screen && <SearchBar screen={screen} onClose={() => setSearching(false)} />}
      <div className="relative min-h-0 flex-1 overflow-auto bg-[#17171b] p-2">
        <section ref={container} className="h-full min-h-48" aria-label={label} />
      </div>
      {below}
    </div>
  )
}

/** Kept in this browser: the editor is on the machine in front of the person. */
function EditorChoice() {
  const [editor, setEditor] = useState<Editor>(readEditor)
  return (
    <select
      aria-label="Files open in"
      title="Paths in the terminal open in this editor"
      className="h-7 rounded-md border border-transparent bg-transparent px-1 text-xs text-muted hover:bg-hover max-sm:hidden"
      value={editor}
      onChange={({ target }) => {
        const chosen = target.value as Editor
        saveEditor(chosen)
        setEditor(chosen)
      }}
    >
      {Object.entries(EDITORS).map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

const COLOURS = {
  matchBackground: '#5b4a1e',
  matchOverviewRuler: '#f2cc7b',
  activeMatchBackground: '#f2cc7b',
  activeMatchColorOverviewRuler: '#ffffff',
}

/** Search in a terminal and its scrollback: the newest match first, Enter goes back in time. */
function SearchBar({ screen, onClose }: { screen: Screen; onClose(): void }) {
  const [query, setQuery] = useState('')
  const [found, setFound] = useState<{ index: number; count: number } | null>(null)
  useEffect(() => {
    const results = screen.search.onDidChangeResults(({ resultIndex, resultCount }) =>
      setFound({ index: resultIndex, count: resultCount }),
    )
    return () => {
      results.dispose()
      screen.search.clearDecorations()
      screen.terminal.clearSelection()
    }
  }, [screen])
  const go = (text: string, to: 'older' | 'newer') => {
    if (text === '') {
      screen.search.clearDecorations()
      setFound(null)
    } else if (to === 'older') screen.search.findPrevious(text, { decorations: COLOURS })
    else screen.search.findNext(text, { decorations: COLOURS })
  }
  return (
    <search className="flex items-center gap-1 border-b px-3 py-1 text-xs text-muted">
      <input
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        aria-label="Search in the terminal"
        className="w-56 min-w-0 rounded-md border border-line-strong bg-surface px-2 py-1 text-xs text-ink"
        value={query}
        onChange={({ target }) => {
          setQuery(target.value)
          go(target.value, 'older')
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') go(query, event.shiftKey ? 'newer' : 'older')
          if (event.key === 'Escape') onClose()
          event.stopPropagation()
        }}
      />
      <span role="status" className="min-w-16 px-1 tabular-nums">
        {found && query !== '' && (found.count === 0 ? 'Nothing found' : `${found.index + 1} of ${found.count}`)}
      </span>
      <IconButton size="sm" icon="down" label="Older match" className="rotate-180" onClick={() => go(query, 'older')} />
      <IconButton size="sm" icon="down" label="Newer match" onClick={() => go(query, 'newer')} />
      <IconButton size="sm" icon="cross" label="Close the search" onClick={onClose} />
    </search>
  )
}
