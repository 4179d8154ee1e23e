// A session that has spent what it may: one click asks for the new limit, the next lets it continue.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { parseAmount } from '../../../src/contract/budget.ts'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { ask } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { hintOf } from '../ui/error-state.tsx'
import { FormDialog } from '../ui/overlay/form-dialog.tsx'
import { toast } from '../ui/overlay/toast.tsx'
import { TextField } from '../ui/text-field.tsx'

const RAISE = 'POST /api/sessions/:id/budget'

export function RaiseButton({ card }: { card: SessionCard }) {
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
      busy={raising.isPending}
      disabled={usd === null}
      onSubmit={() => raising.mutate()}
      onClose={onClose}
    >
      <TextField
        label="It may cost in all, in US dollars"
        inputMode="decimal"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        hint={`${card.spent?.costUsd == null ? 'Its spending is unknown' : `It has used $${card.spent.costUsd.toFixed(2)}`}${card.budget.limitUsd === null ? '' : ` of $${card.budget.limitUsd.toFixed(2)}`}. If its agent was ended, it is restored with its conversation.`}
        error={raising.error ? [raising.error.message, hintOf(raising.error)].filter(Boolean).join(' ') : null}
      />
    </FormDialog>
  )
}
