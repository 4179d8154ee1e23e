// Nothing here: why, and the next command or click.
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface Props {
  title: string
  icon?: IconName
  children?: ReactNode
  action?: ReactNode
}

export function EmptyState({ title, icon, children, action }: Props) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-12 text-center">
      {icon && (
        <span className="mb-1 grid size-10 place-items-center rounded-full bg-sunken text-muted">
          <Icon name={icon} className="size-5" />
        </span>
      )}
      <h2 className="text-base font-semibold">{title}</h2>
      {children && <div className="text-sm text-muted">{children}</div>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  )
}

/** A command to type, to be copied by hand or by selecting it. */
export function Command({ children }: { children: string }) {
  return <code className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs text-ink select-all">{children}</code>
}
