// Buttons that act on a session. Keys of the board find them by their acts.
import type { ComponentProps } from 'react'
import { Button } from '../ui/button.tsx'
import type { IconName } from '../ui/icon.tsx'
import { ACT_ROUTES, type Act, type Acting } from './use-session-act.ts'

type ButtonAct = Exclude<Act, 'kill' | 'remove' | 'wake' | 'stop_turn'>

const LOOKS: Record<ButtonAct, { word: string; icon: IconName; doing?: string }> = {
  retry: { word: 'Retry', icon: 'restore' },
  restore: { word: 'Restore', icon: 'restore', doing: 'Restoring…' },
  start: { word: 'Start now', icon: 'play' },
  hand_in: { word: 'Open a pull request', icon: 'pull' },
  ask_again: { word: 'Ask again', icon: 'restore' },
  done: { word: 'Mark done', icon: 'check' },
  snooze: { word: 'Snooze', icon: 'clock' },
  merge: { word: 'Merge', icon: 'merge', doing: 'Merging…' },
}

interface Props extends Pick<ComponentProps<typeof Button>, 'variant'> {
  act: ButtonAct
  acting: Acting
  /** After the word. */
  what?: string | undefined
}

export function ActButton({ act, acting, what, variant = 'secondary' }: Props) {
  const { word, icon, doing = word } = LOOKS[act]
  const busy = acting.act === act
  return (
    <Button
      size="sm"
      variant={variant}
      icon={icon}
      data-act={act}
      does={ACT_ROUTES[act]}
      busy={busy}
      onClick={() => acting.run(act)}
    >
      {busy ? doing : [word, what].filter(Boolean).join(' ')}
    </Button>
  )
}

interface KillProps {
  acting: Acting
  /** Triggered from elsewhere too (a key, a menu). */
  asking: boolean
  onAskingChange: (asking: boolean) => void
}

/** Ends an agent in two steps: the first click asks, the second does it. */
export function KillButton({ acting: { act, run }, asking, onAskingChange: setAsking }: KillProps) {
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
