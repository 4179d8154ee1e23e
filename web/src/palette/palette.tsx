// The command palette: type a few letters, Enter goes there.
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation, useRoute } from 'wouter'
import { useRefusal } from '../api/may.ts'
import { PIN, usePinActions } from '../session/pins.tsx'
import { Icon } from '../ui/icon.tsx'
import { addHits, type Entry, rankEntries } from './rank-entries.ts'
import { SaveSearchDialog, SearchActs, useSavedSearches } from './saved-searches.tsx'
import { useEntries } from './use-entries.ts'
import { useHits } from './use-hits.ts'

const MOST = 50

export function Palette({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [, navigate] = useLocation()
  const [query, setQuery] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const [isSaving, setSaving] = useState(false)
  const saved = useSavedSearches(query, use)
  const entries = useEntries(query, saved.entries)
  const { hits, problem } = useHits(query)
  const found = addHits(rankEntries([...entries, ...usePinEntry(onClose)], query, MOST), hits)
  const current = Math.min(at, Math.max(0, found.length - 1))
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) element.showModal()
    return () => element?.close()
  }, [])
  useEffect(() => {
    // Some browsers return a promise, which is not a way to clean up.
    void list.current?.children[current]?.scrollIntoView({ block: 'nearest' })
  }, [current])
  function use(text: string): void {
    setQuery(text)
    setAt(0)
    dialog.current?.querySelector('input')?.focus()
  }
  function go(index: number): void {
    const entry = found[index]
    if (!entry) return
    entry.onSelect?.()
    if (entry.href === undefined) return
    onClose()
    navigate(entry.href)
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((current + step + found.length) % Math.max(1, found.length))
    }
    if (event.key === 'Enter') go(current)
  }
  if (isSaving) return <SaveSearchDialog query={query.trim()} onClose={onClose} />
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does by keyboard what a click beside it does.
    <dialog
      ref={dialog}
      aria-label="Go to"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === dialog.current && onClose()}
      className="mx-auto mt-[12vh] w-[calc(100vw-2rem)] max-w-xl rounded-xl border bg-raised p-0 shadow-float"
    >
      <input
        type="text"
        role="combobox"
        aria-label="Go to"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[current] ? `${id}-${current}` : undefined}
        placeholder="Session, pull request, page, action, or words that were said"
        value={query}
        onChange={(event) => use(event.target.value)}
        onKeyDown={onKeyDown}
        className="w-full border-b bg-transparent px-4 py-3 text-base outline-none placeholder:text-faint"
      />
      <div ref={list} id={id} role="listbox" aria-label="Results" className="max-h-[50vh] overflow-y-auto p-1.5">
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys for all of them.
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input, which names the active one.
          <div
            key={entry.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onClick={() => go(index)}
            className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-sm aria-selected:bg-accent-soft hover:bg-hover"
          >
            <Icon name={entry.icon} className="size-4 text-faint" />
            <span className="min-w-0 flex-1 truncate">{entry.label}</span>
            <span className="text-xs text-faint">{entry.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="px-4 pb-4 text-sm text-muted">{problem ?? 'Nothing matches.'}</p>}
      <SearchActs typed={query} onSave={() => setSaving(true)} onForgot={() => use('')} />
    </dialog>
  )
}

/** On the page of a session: to pin it. */
function usePinEntry(onClose: () => void): Entry[] {
  const [, params] = useRoute<{ id: string }>('/sessions/:id')
  const { isPinned, toggle } = usePinActions({ id: params?.id ?? '' })
  const refusal = useRefusal(PIN)
  if (!params || refusal !== null) return []
  const onSelect = () => {
    toggle()
    onClose()
  }
  return [{ id: 'pin', label: `${isPinned ? 'Unpin' : 'Pin'} ${params.id}`, kind: 'Action', icon: 'pin', onSelect }]
}
