// Short news at the edge of the page, read out as it appears.
import { useSyncExternalStore } from 'react'
import { Visible } from '../../ui/text/visible.tsx'
import { TONE_TEXT } from '../badge.tsx'
import { Button, IconButton } from '../button.tsx'
import { hintOf } from '../error-state.tsx'
import { Icon, type IconName } from '../icon.tsx'

export interface ToastText {
  tone: 'good' | 'bad' | 'attention' | 'neutral'
  title: string
  detail?: string | null
  /** Undoes the action, as long as the toast is shown. */
  undo?: () => void
}

interface ShownToast extends ToastText {
  id: number
}

const ICONS: Record<ToastText['tone'], IconName> = {
  good: 'check',
  bad: 'warning',
  attention: 'clock',
  neutral: 'info',
}
const STAYS_MS = 6_000
/** Time to undo an action. */
const UNDO_MS = 5_000
const MOST = 4

let toasts: readonly ShownToast[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Bad news stays until it is closed. */
export function toast(text: ToastText): void {
  lastId += 1
  const shown = { ...text, id: lastId }
  show([...toasts, shown].slice(-MOST))
  if (text.tone !== 'bad') setTimeout(() => dismiss(shown.id), text.undo ? UNDO_MS : STAYS_MS)
}

/** A key or click that was not heard, and why; the same again replaces what is there, and is read out again. */
export function sayUnheard(why: string): void {
  show(toasts.filter(({ title }) => title !== why))
  toast({ tone: 'neutral', title: why })
}

/** What went wrong, in the server's words with its hint; `title` says for what. */
export function toastError(error: Error, title?: string): void {
  const detail = [title === undefined ? null : error.message, hintOf(error)].filter(Boolean).join('\n')
  toast({ tone: 'bad', title: title ?? error.message, detail: detail || null })
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-20 z-50 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2 md:bottom-4"
    >
      {shown.map((one) => (
        <div
          key={one.id}
          className="pointer-events-auto flex items-start gap-2.5 rounded-lg border bg-raised p-3 shadow-float"
        >
          <Icon name={ICONS[one.tone]} className={`mt-0.5 ${TONE_TEXT[one.tone]}`} />
          <div className="min-w-0 flex-1 text-sm">
            <div className="line-clamp-2 font-medium">
              <Visible text={one.title} />
            </div>
            {one.detail && <div className="line-clamp-6 whitespace-pre-line text-muted">{one.detail}</div>}
          </div>
          {one.undo && (
            <Button
              size="sm"
              onClick={() => {
                dismiss(one.id)
                one.undo?.()
              }}
            >
              Undo
            </Button>
          )}
          <IconButton icon="cross" label="Dismiss" size="sm" onClick={() => dismiss(one.id)} />
        </div>
      ))}
    </div>
  )
}

function dismiss(id: number): void {
  show(toasts.filter((one) => one.id !== id))
}

function show(next: readonly ShownToast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
