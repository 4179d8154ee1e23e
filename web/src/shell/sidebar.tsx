// Navigation on wide screens: labels from 1280 px on, icons with tooltips below.
import { Link, useLocation } from 'wouter'
import { useBoard } from '../api/live.ts'
import { useQueue } from '../pages/queue/use-queue.ts'
import { Icon } from '../ui/icon.tsx'
import { DESTINATIONS, isAt } from './navigation.ts'
import { PauseButton } from './pause-button.tsx'
import { Repositories } from './repositories.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

export function Sidebar() {
  const [location] = useLocation()
  const board = useBoard()
  const waiting = useQueue().length
  return (
    <aside className="hidden w-14 shrink-0 flex-col border-r bg-surface py-3 md:flex xl:w-52">
      <div className="mb-3 flex h-8 items-center gap-2.5 px-4">
        <Mark />
        <span className="hidden text-base font-semibold tracking-tight xl:block">ao</span>
      </div>
      <nav aria-label="Main" className="flex flex-1 flex-col gap-0.5 px-2">
        {DESTINATIONS.map(({ href, label, icon }) => (
          <Link
            key={href}
            href={href}
            title={label}
            aria-current={isAt(location, href) ? 'page' : undefined}
            className="relative flex min-h-8 items-center gap-2.5 rounded-md px-2.5 text-sm text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink"
          >
            <Icon name={icon} />
            <span className="sr-only flex-1 xl:not-sr-only">{label}</span>
            {href === '/queue' && waiting > 0 && (
              <span className="rounded-full bg-attention-soft px-1.5 text-xs font-semibold text-attention max-xl:absolute max-xl:top-0 max-xl:right-0 max-xl:px-1 max-xl:text-2xs">
                {waiting}
                <span className="sr-only"> to deal with</span>
              </span>
            )}
          </Link>
        ))}
      </nav>
      <div className="hidden xl:block">
        <Repositories />
      </div>
      <div className="flex flex-col gap-2 px-3">
        <PauseButton />
        <ThemeSwitch />
        {board && <div className="hidden px-1.5 text-2xs text-faint xl:block">Version {board.version}</div>}
      </div>
    </aside>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-6 shrink-0 text-accent" role="img" aria-label="ao">
      <circle cx="16" cy="16" r="10.5" fill="none" stroke="currentColor" strokeWidth="5" />
      <circle cx="16" cy="16" r="3.5" fill="currentColor" />
    </svg>
  )
}
