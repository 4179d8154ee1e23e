// A button that acts on a session. Keys of the board find it by its act.
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
