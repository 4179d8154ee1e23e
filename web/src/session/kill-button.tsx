// Ends an agent in two steps: the first click asks, the second does it.
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { ACT_ROUTES } from './use-session-act.ts'

interface Props {
  busy: boolean
  onKill: () => void
  /** Triggered from elsewhere (a key, a menu). */
  asking?: boolean
  onAskingChange?: (asking: boolean) => void
}

export function KillButton({ busy, onKill, ...from }: Props) {
  const [own, setOwn] = useState(false)
  const asking = from.asking ?? own
  const setAsking = from.onAskingChange ?? setOwn
  if (!asking || busy) {
    return (
      <Button size="sm" icon="stop" does={ACT_ROUTES.kill} busy={busy} onClick={() => setAsking(true)}>
        {busy ? 'Killing…' : 'Kill'}
      </Button>
    )
  }
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <Button
        variant="danger"
        size="sm"
        icon="stop"
        does={ACT_ROUTES.kill}
        ref={(button) => button?.focus()}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setAsking(false)
        }}
        onClick={() => {
          setAsking(false)
          onKill()
        }}
      >
        Yes, kill it
      </Button>
      <Button variant="ghost" size="sm" onClick={() => setAsking(false)}>
        Keep it
      </Button>
    </span>
  )
}
