// Ends an agent in two steps: the first click asks, the second does it.
import { Button } from '../ui/button.tsx'
import { ACT_ROUTES, type Acting } from './use-session-act.ts'

interface Props {
  acting: Acting
  /** Triggered from elsewhere too (a key, a menu). */
  asking: boolean
  onAskingChange: (asking: boolean) => void
}

export function KillButton({ acting: { act, run }, asking, onAskingChange: setAsking }: Props) {
  const busy = act === 'kill'
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
          run('kill')
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
