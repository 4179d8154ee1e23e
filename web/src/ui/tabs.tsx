// Tabs with standard keyboard behaviour: arrows move and select, Tab continues to the panel.
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { Icon, type IconName } from './icon.tsx'

export interface Tab {
  id: string
  label: string
  icon?: IconName
  count?: number
}

interface Props {
  /** What the tabs are about, for screen readers. */
  label: string
  /** Links tabs to their panel: the panel's id is `{name}-panel`. */
  name: string
  tabs: readonly Tab[]
  selected: string
  onSelect: (id: string) => void
}

export function Tabs({ label, name, tabs, selected, onSelect }: Props) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[data-tab="${selected}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [selected])
  function move(event: KeyboardEvent): void {
    const to = nextTab(
      event.key,
      tabs.findIndex((tab) => tab.id === selected),
      tabs.length,
    )
    const tab = to === null ? undefined : tabs[to]
    if (!tab) return
    event.preventDefault()
    event.stopPropagation()
    onSelect(tab.id)
    list.current?.querySelector<HTMLElement>(`[data-tab="${tab.id}"]`)?.focus()
  }
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      onKeyDown={move}
      className="flex gap-1 overflow-x-auto border-b [scrollbar-width:none]"
    >
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`${name}-tab-${tab.id}`}
          data-tab={tab.id}
          aria-selected={tab.id === selected}
          aria-controls={`${name}-panel`}
          tabIndex={tab.id === selected ? 0 : -1}
          onClick={() => onSelect(tab.id)}
          className="-mb-px flex min-h-9 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-sm whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink"
        >
          {tab.icon && <Icon name={tab.icon} className="size-3.5" />}
          {tab.label}
          {tab.count !== undefined && (
            <span className="rounded-full bg-sunken px-1.5 text-2xs text-muted">{tab.count}</span>
          )}
        </button>
      ))}
    </div>
  )
}

export function TabPanel({ name, selected, children }: { name: string; selected: string; children: ReactNode }) {
  return (
    <div
      role="tabpanel"
      id={`${name}-panel`}
      aria-labelledby={`${name}-tab-${selected}`}
      className="flex min-h-0 min-w-0 flex-1 flex-col"
    >
      {children}
    </div>
  )
}

function nextTab(key: string, at: number, count: number): number | null {
  if (key === 'ArrowRight') return (at + 1) % count
  if (key === 'ArrowLeft') return (at + count - 1) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}
