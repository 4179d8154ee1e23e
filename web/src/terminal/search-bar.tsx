// Search in a terminal and its scrollback: the newest match first, Enter goes back in time.
import { useEffect, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import type { Screen } from './create-screen.ts'

const COLOURS = {
  matchBackground: '#5b4a1e',
  matchOverviewRuler: '#f2cc7b',
  activeMatchBackground: '#f2cc7b',
  activeMatchColorOverviewRuler: '#ffffff',
}

export function SearchBar({ screen, onClose }: { screen: Screen; onClose(): void }) {
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
