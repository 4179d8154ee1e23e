// Acts on a session: one at a time, reported when they fail; their effects come back over the stream.
import { useMutation } from '@tanstack/react-query'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { ask } from '../api/client.ts'
import { hintOf } from '../ui/error-state.tsx'
import { toast } from '../ui/overlay/toast.tsx'

export type Act = 'kill' | 'remove' | 'restore' | 'merge'

export interface Acting {
  /** In progress. */
  act: Act | null
  run: (act: Act) => void
}

const WORDS: Record<Act, { done: string; failed: string }> = {
  kill: { done: 'Killed', failed: 'could not be killed' },
  remove: { done: 'Archived', failed: 'could not be archived' },
  restore: { done: 'Restored', failed: 'could not be restored' },
  merge: { done: 'Merged', failed: 'could not be merged' },
}

export function useSessionAct(card: Pick<SessionCard, 'id' | 'title' | 'pr'>): Acting {
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (act: Act) => carryOut(act, card),
    onSuccess: (_answer, act) =>
      toast({
        tone: 'good',
        title: `${WORDS[act].done} ${card.id}`,
        detail: card.title,
        // An ended session comes back with its work; a merge does not.
        ...((act === 'kill' || act === 'remove') && { undo: () => mutate('restore') }),
      }),
    onError: (error, act) =>
      toast({
        tone: 'bad',
        title: `${card.id} ${WORDS[act].failed}`,
        detail: [error.message, hintOf(error)].filter(Boolean).join('\n'),
      }),
  })
  return { act: isPending ? variables : null, run: mutate }
}

function carryOut(act: Act, { id, pr }: Pick<SessionCard, 'id' | 'pr'>): Promise<unknown> {
  const params = { id }
  if (act === 'restore') return ask('POST /api/sessions/:id/restore', { params })
  // The head that the person saw: the server refuses another one.
  if (act === 'merge') return ask('POST /api/sessions/:id/merge', { params, body: { sha: pr?.headSha ?? '' } })
  return ask('POST /api/sessions/:id/kill', { params, body: act === 'remove' ? { purge: true } : {} })
}
