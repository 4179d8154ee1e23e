// A button with a list of actions behind it. Arrows move, Escape closes and gives the focus back.
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

export interface MenuItem {
  label: string
  icon?: IconName
  danger?: boolean
  disabled?: boolean
  onSelect: () => void
}

interface Props {
  label: string
  icon?: IconName
  size?: 'sm' | 'md'
  items: readonly MenuItem[]
}

export function Menu({ label, icon = 'more', size = 'md', items }: Props) {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const id = useId()
  useEffect(() => {
    if (!open) return
    root.current?.querySelector<HTMLElement>('[role=menuitem]:not(:disabled)')?.focus()
    const closeOutside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
    }
  }, [open])
  function close(): void {
    setOpen(false)
    root.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus()
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (!open) return
    event.stopPropagation()
    if (event.key === 'Escape') close()
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    moveFocus(root.current, step)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that arrive here come from the button and the items inside.
    <div ref={root} className="relative inline-flex" onKeyDown={onKeyDown}>
      <IconButton
        label={label}
        icon={icon}
        size={size}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <div
          id={id}
          role="menu"
          aria-label={label}
          className="absolute top-full right-0 z-30 mt-1 min-w-44 rounded-lg border bg-raised p-1 shadow-float"
        >
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              disabled={item.disabled}
              onClick={() => {
                close()
                item.onSelect()
              }}
              className={`flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px] disabled:opacity-55 ${item.danger ? 'text-bad' : ''}`}
            >
              {item.icon && <Icon name={item.icon} className="size-3.5" />}
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

function moveFocus(root: HTMLElement | null, step: number): void {
  const items = [...(root?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])]
  const at = items.indexOf(document.activeElement as HTMLElement)
  items[(at + step + items.length) % items.length]?.focus()
}
