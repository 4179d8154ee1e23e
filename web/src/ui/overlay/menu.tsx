// A button with a list of actions. Arrows move, Escape closes and restores the focus. The list is a popover: nothing around
// it can clip it.
import { type KeyboardEvent, type ToggleEvent, useContext, useId, useRef, useState } from 'react'
import type { RouteName } from '../../api/client.ts'
import { OwnRight, refusalOf } from '../../api/may.ts'
import { IconButton } from '../button.tsx'
import { Icon, type IconName } from '../icon.tsx'

export interface MenuItem {
  label: string
  icon?: IconName
  danger?: boolean
  disabled?: boolean
  /** As of a button. */
  does?: RouteName
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
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const right = useContext(OwnRight)
  function onToggle(event: ToggleEvent): void {
    const isOpen = event.newState === 'open'
    setOpen(isOpen)
    if (!isOpen || !list.current || !button.current) return
    positionBelow(list.current, button.current)
    itemsOf(list.current)[0]?.focus()
  }
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    const step = STEPS[event.key]
    if (step === undefined || !list.current) return
    event.preventDefault()
    const all = itemsOf(list.current)
    all[(all.indexOf(document.activeElement as HTMLElement) + step + all.length) % all.length]?.focus()
  }
  function choose(item: MenuItem): void {
    list.current?.hidePopover()
    button.current?.focus()
    item.onSelect()
  }
  return (
    <>
      <IconButton
        ref={button}
        label={label}
        icon={icon}
        size={size}
        aria-haspopup="menu"
        aria-expanded={open}
        popoverTarget={id}
      />
      <div
        ref={list}
        id={id}
        role="menu"
        aria-label={label}
        popover="auto"
        tabIndex={-1}
        onToggle={onToggle}
        onKeyDown={onKeyDown}
        className="m-0 min-w-44 rounded-lg border bg-raised p-1 text-ink shadow-float"
      >
        {items.map((item) => (
          <button
            key={item.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            disabled={item.disabled || refusalOf(right, item.does) !== null}
            title={refusalOf(right, item.does) ?? undefined}
            data-does={item.does}
            onClick={() => choose(item)}
            className={`flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm hover:bg-hover focus-visible:bg-hover focus-visible:-outline-offset-2 disabled:opacity-55 ${item.danger ? 'text-bad' : ''}`}
          >
            {item.icon && <Icon name={item.icon} className="size-3.5" />}
            {item.label}
          </button>
        ))}
      </div>
    </>
  )
}

const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }

function itemsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)')]
}

/** Right-aligned with the button, above it where there is no room below. */
function positionBelow(list: HTMLElement, button: HTMLElement): void {
  const from = button.getBoundingClientRect()
  const { width, height } = list.getBoundingClientRect()
  const below = from.bottom + 4
  list.style.left = `${Math.max(8, from.right - width)}px`
  list.style.top = `${below + height > innerHeight ? Math.max(8, from.top - height - 4) : below}px`
}
