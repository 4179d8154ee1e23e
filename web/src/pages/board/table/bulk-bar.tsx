// What can be done to the selected sessions at once: each act says first what it will do, and to whom.
import { useState } from 'react'
import type { SessionCard } from '../../../../../src/contract/dashboard/cards.ts'
import type { RouteName } from '../../../api/client.ts'
import { useCard } from '../../../api/live.ts'
import { RequestText } from '../../../session/request-text.tsx'
import { Button } from '../../../ui/button.tsx'
import type { IconName } from '../../../ui/icon.tsx'
import { FormDialog } from '../../../ui/overlay/form-dialog.tsx'
import { toast } from '../../../ui/overlay/toast.tsx'
import { Visible } from '../../../ui/text/visible.tsx'
import { TextArea } from '../../../ui/text-field.tsx'
import { allowable, BULK_ABLE, type BulkAct, carryOutAll } from './bulk-acts.ts'

const DESCRIPTIONS: Record<BulkAct, { verb: string; icon: IconName; about: string; does: RouteName }> = {
  send: {
    verb: 'Send',
    icon: 'send',
    about: 'Each of them gets the same message.',
    does: 'POST /api/sessions/:id/send',
  },
  allow: {
    verb: 'Allow once',
    icon: 'check',
    about: 'Each is allowed this once:',
    does: 'POST /api/sessions/:id/permission',
  },
  kill: {
    verb: 'Kill',
    icon: 'stop',
    about: 'Their agents are ended; their work is kept.',
    does: 'POST /api/sessions/:id/kill',
  },
  archive: {
    verb: 'Archive',
    icon: 'archive',
    about: 'Their worktrees are removed; uncommitted work is saved first.',
    does: 'POST /api/sessions/:id/kill',
  },
}
const ACTS: readonly BulkAct[] = ['send', 'allow', 'kill', 'archive']

export function BulkBar({ cards, onClear }: { cards: readonly SessionCard[]; onClear: () => void }) {
  // As they were when the person asked: what comes later is not part of it.
  const [pending, setPending] = useState<{ act: BulkAct; cards: readonly SessionCard[] } | null>(null)
  if (cards.length === 0) return null
  return (
    <section
      aria-label="Selected sessions"
      className="sticky bottom-2 z-10 mt-3 flex flex-wrap items-center gap-2 rounded-lg border bg-raised px-3 py-2 text-sm shadow-float"
    >
      <span className="font-medium">{cards.length} selected</span>
      {/* At the left: news appear at the right edge, and may not cover the way out. */}
      <Button size="sm" variant="ghost" onClick={onClear}>
        Clear
      </Button>
      {ACTS.map((act) => {
        const able = cards.filter(BULK_ABLE[act])
        return (
          <Button
            key={act}
            size="sm"
            icon={DESCRIPTIONS[act].icon}
            does={DESCRIPTIONS[act].does}
            disabled={able.length === 0}
            onClick={() => setPending({ act, cards: able })}
          >
            {DESCRIPTIONS[act].verb}
            {able.length > 0 && able.length < cards.length && ` (${able.length})`}
          </Button>
        )
      })}
      {pending && <Confirm {...pending} onClose={() => setPending(null)} onDone={onClear} />}
    </section>
  )
}

/** What ended them can be undone, as for one. */
const UNDOABLE: ReadonlySet<BulkAct> = new Set<BulkAct>(['kill', 'archive'])

async function bringBack(cards: readonly SessionCard[]): Promise<void> {
  const { failures } = await carryOutAll('restore', cards)
  toast(outcome('Restore', cards.length, failures))
}

function outcome(verb: string, count: number, failures: readonly string[]) {
  const worked = count - failures.length
  return {
    tone: failures.length === 0 ? ('good' as const) : ('bad' as const),
    title: `${verb}: done for ${failures.length === 0 ? worked : `${worked} of ${count}`}`,
    detail: failures.join('\n') || null,
  }
}

/** As they were when the person asked; one that somebody has answered since says so. */
function Requests({ card }: { card: SessionCard }) {
  const open = useCard(card.id)?.permissions ?? []
  return allowable(card).map(({ request }) =>
    open.some(({ requestId }) => requestId === request.requestId) ? (
      <RequestText key={request.requestId} request={request} />
    ) : (
      <p key={request.requestId} className="text-xs text-attention">
        It no longer asks for this.
      </p>
    ),
  )
}

interface ConfirmProps {
  act: BulkAct
  cards: readonly SessionCard[]
  onClose: () => void
  onDone: () => void
}

function Confirm({ act, cards, onClose, onDone }: ConfirmProps) {
  const [message, setMessage] = useState('')
  const [isPending, setBusy] = useState(false)
  const { verb, about } = DESCRIPTIONS[act]
  const count = cards.length === 1 ? 'one session' : `${cards.length} sessions`
  async function run(): Promise<void> {
    setBusy(true)
    const { done, failures } = await carryOutAll(act, cards, message.trim())
    toast({
      ...outcome(verb, cards.length, failures),
      ...(UNDOABLE.has(act) && done.length > 0 && { undo: () => void bringBack(done) }),
    })
    setBusy(false)
    onClose()
    if (failures.length === 0) onDone()
  }
  return (
    <FormDialog
      title={`${verb}: ${count}`}
      action={verb}
      isDanger={act === 'kill' || act === 'archive'}
      does={DESCRIPTIONS[act].does}
      disabled={act === 'send' && message.trim() === ''}
      runs={{ isPending, mutate: () => void run() }}
      onClose={onClose}
    >
      <p className="text-sm">{about}</p>
      {act === 'send' && (
        <TextArea
          label="Message"
          rows={4}
          maxLength={100_000}
          value={message}
          onChange={(event) => setMessage(event.target.value)}
          onKeyDown={(event) => event.stopPropagation()}
        />
      )}
      <ul className="max-h-60 overflow-y-auto rounded-md border text-sm">
        {cards.map((card) => (
          <li key={card.id} className="border-b px-3 py-1.5 last:border-b-0">
            <span className="font-medium">{card.id}</span>{' '}
            <span className="text-muted">
              <Visible text={card.title} />
            </span>
            {act === 'allow' && <Requests card={card} />}
          </li>
        ))}
      </ul>
    </FormDialog>
  )
}
