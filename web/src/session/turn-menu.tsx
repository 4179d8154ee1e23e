// At a message of a person: going back to before it. Files come back, the conversation where the agent can, and both can be had again.
import { useMutation } from '@tanstack/react-query'
import { rewoundLines } from '../../../src/core/session/rewound-lines.ts'
import { ask } from '../api/client.ts'
import { Menu } from '../ui/overlay/menu.tsx'
import { toast, toastError } from '../ui/overlay/toast.tsx'
import { prependDraft } from './outbox.ts'

const REWIND = 'POST /api/sessions/:id/rewind'
const FORK = 'POST /api/sessions/:id/fork'

interface Props {
  sessionId: string
  turn: number
  /** What the turn began with. */
  text: string
}

export function TurnMenu({ sessionId, turn, text }: Props) {
  const params = { id: sessionId }
  const failed = (what: string) => (error: Error) => toastError(error, `${sessionId} ${what}`)
  const rewinding = useMutation({
    mutationFn: (body: { turn: number; filesOnly?: boolean }) => ask(REWIND, { params, body }),
    onError: failed('was not restored'),
    onSuccess: (rewound) =>
      toast({
        tone: 'good',
        title: `${sessionId} is back at turn ${rewound.turn}`,
        detail: rewoundLines(rewound).join('\n'),
        undo: () => rewinding.mutate({ turn: rewound.saved, filesOnly: rewound.keptBecause !== null }),
      }),
  })
  const forking = useMutation({
    mutationFn: () => ask(FORK, { params, body: { turn } }),
    onError: failed('was not forked'),
    onSuccess: (answer) =>
      toast({ tone: 'good', title: `Started ${answer.sessionId} from turn ${turn} of ${sessionId}` }),
  })
  const busy = rewinding.isPending || forking.isPending
  return (
    <Menu
      label={`Go back to before turn ${turn}`}
      icon="restore"
      size="sm"
      items={[
        {
          label: 'Go back to before it',
          icon: 'restore',
          does: REWIND,
          disabled: busy,
          onSelect: () => rewinding.mutate({ turn }),
        },
        { label: 'Fork from here', icon: 'branch', does: FORK, disabled: busy, onSelect: () => forking.mutate() },
        {
          label: 'Edit and send again',
          icon: 'edit',
          does: REWIND,
          disabled: busy,
          onSelect: () => rewinding.mutate({ turn }, { onSuccess: () => prependDraft(sessionId, text) }),
        },
      ]}
    />
  )
}
