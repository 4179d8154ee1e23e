// A question over the page. The browser's own dialog traps the focus and restores it; Escape closes it.
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { IconButton } from '../button.tsx'

interface Props {
  title: string
  onClose: () => void
  children: ReactNode
  /** Buttons, the main one last. */
  footer?: ReactNode
  wide?: boolean
}

/** Shown while it is rendered. */
export function Dialog({ title, onClose, children, footer, wide = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    if (element && !element.open) {
      element.showModal()
      // The first field, if there is one, rather than the button that closes it again.
      const first = ['[data-focus-first]', 'input:not([type=radio], [type=checkbox]), textarea, select']
      first.flatMap((selector) => element.querySelector<HTMLElement>(selector) ?? [])[0]?.focus()
    }
    return () => element?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does by keyboard what a click beside it does.
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
      className={`m-auto w-[calc(100vw-2rem)] rounded-xl border bg-raised p-0 shadow-float ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
    >
      <div className="flex items-center gap-2 px-5 pt-4">
        <h2 id={id} className="flex-1 text-lg font-semibold">
          {title}
        </h2>
        <IconButton icon="cross" label="Close" size="sm" onClick={onClose} />
      </div>
      <div className="px-5 py-4">{children}</div>
      {footer && (
        <div className="sticky bottom-0 flex flex-wrap justify-end gap-2 border-t bg-raised px-5 py-3">{footer}</div>
      )}
    </dialog>
  )
}
