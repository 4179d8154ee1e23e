// What a session needs: its kind as a badge, the matter itself as the largest text, and the right buttons.

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { parseAmount } from '../../../src/contract/budget.ts'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { ask } from '../api/client.ts'
import { Badge } from '../ui/badge.tsx'
import { Button, LinkButton } from '../ui/button.tsx'
import { FormDialog } from '../ui/overlay/form-dialog.tsx'
import { toast } from '../ui/overlay/toast.tsx'
import { Spelled } from '../ui/text/visible.tsx'
import { TextField } from '../ui/text-field.tsx'
import { ActButton } from './act-button.tsx'
import { needLook } from './labels.ts'
import { matterText } from './matter.ts'
import { openLetter, useLetter } from './outbox.ts'
import type { Acting } from './use-session-act.ts'

export type Need = NonNullable<SessionCard['need']>

export function NeedBadge({ need }: { need: Need }) {
  const { word, tone, icon } = needLook(need)
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  )
}

/** A permission has its own box, with the command or the diff. Of a question, and while somebody answers, all is shown. */
export function Matter({ need, whole }: { need: Need; whole: boolean }) {
  if (need.kind === 'permission') return null
  return (
    <p
      className={`text-lg font-medium whitespace-pre-wrap ${whole || need.kind === 'question' ? 'max-h-96 overflow-y-auto' : 'line-clamp-6'}`}
    >
      <Spelled text={matterText(need)} />
    </p>
  )
}

interface ActionProps {
  card: SessionCard
  need: Need
  acting: Acting
}

/** The first act is the likely one. */
export function NeedActions({ card, need, acting }: ActionProps) {
  const letter = useLetter(card.id)
  return need.acts.map((act, index) => {
    const variant = index === 0 ? 'primary' : act === 'snooze' ? 'ghost' : 'secondary'
    if (act === 'sign_in') {
      return (
        <LinkButton key={act} size="sm" variant={variant} icon="terminal" href={`/sessions/${card.id}?tab=live`}>
          Sign in
        </LinkButton>
      )
    }
    if (act === 'answer') {
      if (!card.can.send || letter.open) return null
      return (
        <Button
          key={act}
          size="sm"
          variant={variant}
          icon="reply"
          does="POST /api/sessions/:id/send"
          onClick={() => openLetter(card.id)}
        >
          {need.kind === 'finished' ? 'Send more' : 'Answer'}
        </Button>
      )
    }
    if (act === 'raise') return <RaiseButton key={act} card={card} />
    // These have their place on the card.
    if (act === 'allow' || act === 'reject' || act === 'review' || act === 'merge') return null
    return <ActButton key={act} act={act} acting={acting} variant={variant} />
  })
}

const RAISE = 'POST /api/sessions/:id/budget'

/** A session that has spent what it may: one click asks for the new limit, the next lets it continue. */
function RaiseButton({ card }: { card: SessionCard }) {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button size="sm" variant="primary" icon="play" does={RAISE} onClick={() => setAsking(true)}>
        Raise and continue
      </Button>
      {asking && <RaiseDialog card={card} onClose={() => setAsking(false)} />}
    </>
  )
}

/** As much again as it may cost now, on top of what it has used. */
function suggestLimit({ spent, budget }: Pick<SessionCard, 'spent' | 'budget'>): number {
  return Math.ceil((spent?.costUsd ?? 0) + (budget.limitUsd ?? 5))
}

function RaiseDialog({ card, onClose }: { card: SessionCard; onClose: () => void }) {
  const [typed, setTyped] = useState(String(suggestLimit(card)))
  const usd = parseAmount(typed)
  const raising = useMutation({
    mutationFn: () => ask(RAISE, { params: { id: card.id }, body: { usd: usd ?? 0 } }),
    onSuccess: ({ receipt }) => {
      const isHeard = receipt.level !== 'undelivered'
      toast({
        tone: isHeard ? 'good' : 'bad',
        title: `${card.id} may cost $${usd} in all`,
        detail: isHeard
          ? 'It was asked to continue.'
          : `It was not asked to continue: ${receipt.why ?? 'not delivered'}`,
      })
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Raise the budget of ${card.id}`}
      action="Raise and continue"
      does={RAISE}
      runs={raising}
      disabled={usd === null}
      onClose={onClose}
    >
      <TextField
        label="Total budget, in US dollars"
        inputMode="decimal"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        hint={`${card.spent?.costUsd == null ? 'Its spending is unknown' : `It has used $${card.spent.costUsd.toFixed(2)}`}${card.budget.limitUsd === null ? '' : ` of $${card.budget.limitUsd.toFixed(2)}`}. If its agent was ended, it is restored with its conversation.`}
      />
    </FormDialog>
  )
}
