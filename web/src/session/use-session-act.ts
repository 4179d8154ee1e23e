// Acts on a session: one at a time, reported when they fail; their effects come back over the stream.
import { useMutation } from '@tanstack/react-query'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { ASK_AGAIN_MESSAGE } from '../../../src/contract/dashboard/needs.ts'
import { ask, type RouteName } from '../api/client.ts'
import { toast, toastError } from '../ui/overlay/toast.tsx'

export type Act =
  | 'kill'
  | 'remove'
  | 'restore'
  | 'start'
  | 'merge'
  | 'done'
  | 'snooze'
  | 'wake'
  | 'hand_in'
  | 'retry'
  | 'ask_again'
  | 'stop_turn'

export interface Acting {
  /** In progress. */
  act: Act | null
  run: (act: Act) => void
}

const MESSAGES: Record<Act, { done: string; failed: string }> = {
  kill: { done: 'Killed', failed: 'could not be killed' },
  remove: { done: 'Archived', failed: 'could not be archived' },
  restore: { done: 'Restored', failed: 'could not be restored' },
  start: { done: 'Started', failed: 'could not be started' },
  merge: { done: 'Merged', failed: 'could not be merged' },
  done: { done: 'Marked done:', failed: 'could not be ended' },
  snooze: { done: 'Snoozed for an hour:', failed: 'could not be snoozed' },
  wake: { done: 'Back in the queue:', failed: 'could not be brought back' },
  hand_in: { done: 'Asked for a pull request:', failed: 'could not be asked' },
  retry: { done: 'Tries again:', failed: 'could not be retried' },
  ask_again: { done: 'May ask again:', failed: 'could not be sent a message' },
  stop_turn: { done: 'Stopped the turn of', failed: 'could not be stopped' },
}

/** What each act asks the server for. */
export const ACT_ROUTES = {
  kill: 'POST /api/sessions/:id/kill',
  remove: 'POST /api/sessions/:id/kill',
  restore: 'POST /api/sessions/:id/restore',
  start: 'POST /api/sessions/:id/restore',
  merge: 'POST /api/sessions/:id/merge',
  done: 'POST /api/sessions/:id/done',
  snooze: 'POST /api/sessions/:id/snooze',
  wake: 'POST /api/sessions/:id/snooze',
  hand_in: 'POST /api/sessions/:id/hand-in',
  retry: 'POST /api/sessions/:id/retry',
  ask_again: 'POST /api/sessions/:id/send',
  stop_turn: 'POST /api/sessions/:id/stop-turn',
} as const satisfies Record<Act, RouteName>

const SNOOZE_MINUTES = 60

/** How each act that can be undone is undone: an ended session comes back with its work; a merge does not. */
const UNDO: Partial<Record<Act, Act>> = { kill: 'restore', remove: 'restore', done: 'restore', snooze: 'wake' }

type ActCard = Pick<SessionCard, 'id' | 'title' | 'pr'> & {
  need: Pick<NonNullable<SessionCard['need']>, 'kind'> | null
}

export function useSessionAct(card: ActCard): Acting {
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (act: Act) => carryOut(act, card),
    onSuccess: (answer, act) => {
      const why = undelivered(answer)
      if (why !== null) return toast({ tone: 'bad', title: `${card.id} ${MESSAGES[act].failed}`, detail: why })
      toast({
        tone: 'good',
        title: `${hasBoarded(answer) ? 'Aboard the train:' : MESSAGES[act].done} ${card.id}`,
        detail: card.title,
        ...(UNDO[act] && { undo: () => mutate(UNDO[act]!) }),
      })
    },
    onError: (error, act) => toastError(error, `${card.id} ${MESSAGES[act].failed}`),
  })
  return { act: isPending ? variables : null, run: mutate }
}

/** A message that did not reach the agent is not a success. */
function undelivered(answer: unknown): string | null {
  const { receipt } = (answer ?? {}) as { receipt?: { level: string; why?: string } | null }
  return receipt?.level === 'undelivered' ? (receipt.why ?? 'The message was not delivered') : null
}

/** It lands when its turn comes. */
function hasBoarded(answer: unknown): boolean {
  return (answer as { boarded?: boolean } | undefined)?.boarded === true
}

export function carryOut(act: Act, { id, pr, need }: ActCard): Promise<unknown> {
  const params = { id }
  switch (act) {
    case 'snooze':
    case 'wake': {
      const minutes = act === 'snooze' ? SNOOZE_MINUTES : null
      return ask(ACT_ROUTES[act], { params, body: { need: need?.kind ?? 'finished', minutes } })
    }
    case 'merge':
      // The head that the person saw: the server refuses another one.
      return ask(ACT_ROUTES[act], { params, body: { sha: pr?.headSha ?? '' } })
    case 'ask_again':
      return ask(ACT_ROUTES[act], { params, body: { message: ASK_AGAIN_MESSAGE } })
    case 'kill':
    case 'remove':
      return ask(ACT_ROUTES[act], { params, body: act === 'remove' ? { purge: true } : {} })
    default:
      return ask(ACT_ROUTES[act], { params })
  }
}
