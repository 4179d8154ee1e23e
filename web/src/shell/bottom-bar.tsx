// Navigation on a phone: the ones that matter most, the rest behind one button. Pages end above it, so that it covers nothing.
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useQueue } from '../pages/queue/use-queue.ts'
import { Icon } from '../ui/icon.tsx'
import { Dialog } from '../ui/overlay/dialog.tsx'
import { DESTINATIONS, isAt } from './navigation.ts'
import { PauseButton } from './pause-button.tsx'
import { Repositories } from './repositories.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

const FIRST = 4
const ITEM =
  'relative flex min-h-14 flex-1 flex-col items-center justify-center gap-0.5 text-2xs whitespace-nowrap text-muted aria-[current=page]:text-accent'

export function BottomBar() {
  const [location] = useLocation()
  const [more, setMore] = useState(false)
  const waiting = useQueue().length
  return (
    <nav
      aria-label="Main"
      className="relative z-20 order-2 flex shrink-0 border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {DESTINATIONS.slice(0, FIRST).map(({ href, label, icon }) => (
        <Link key={href} href={href} aria-current={isAt(location, href) ? 'page' : undefined} className={ITEM}>
          <Icon name={icon} className="size-5" />
          {label}
          {href === '/queue' && waiting > 0 && (
            <span className="absolute top-1.5 left-1/2 ml-2 min-w-4 rounded-full bg-attention px-1 text-center text-2xs leading-4 font-semibold text-canvas">
              {waiting}
              <span className="sr-only"> to deal with</span>
            </span>
          )}
        </Link>
      ))}
      <button type="button" className={ITEM} aria-haspopup="dialog" onClick={() => setMore(true)}>
        <Icon name="more" className="size-5" />
        More
      </button>
      {more && (
        <Dialog title="More" onClose={() => setMore(false)}>
          <div className="-mx-2 flex flex-col">
            {DESTINATIONS.slice(FIRST).map(({ href, label, icon }) => (
              <Link
                key={href}
                href={href}
                onClick={() => setMore(false)}
                className="flex min-h-11 items-center gap-3 rounded-md px-2 hover:bg-hover"
              >
                <Icon name={icon} />
                {label}
              </Link>
            ))}
          </div>
          <Repositories />
          <div className="mt-3 flex flex-col gap-4 border-t pt-4">
            <PauseButton />
            <ThemeSwitch />
          </div>
        </Dialog>
      )}
    </nav>
  )
}
