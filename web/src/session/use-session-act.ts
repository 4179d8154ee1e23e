// Acts on a session: one at a time, told when they fail; what they changed comes back over the stream.
import { useMutation } from '@tanstack/react-query'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { postJson } from '../api/request.ts'
import { hintOf } from '../ui/error-state.tsx'
import { toast } from '../ui/overlay/toast.tsx'

export type Act = 'kill' | 'remove' | 'restore' | 'merge'

export interface Acting {
  /** Under way now. */
  act: Act | null
  run: (act: Act) => void
}

const WORDS: Record<Act, { path: string; done: string; failed: string }> = {
  kill: { path: 'kill', done: 'Killed', failed: 'could not be killed' },
  remove: { path: 'kill', done: 'Archived', failed: 'could not be archived' },
  restore: { path: 'restore', done: 'Restored', failed: 'could not be restored' },
  merge: { path: 'merge', done: 'Merged', failed: 'could not be merged' },
}

export function useSessionAct(card: Pick<SessionCard, 'id' | 'title' | 'pr'>): Acting {
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (act: Act) => postJson<unknown>(`/api/sessions/${card.id}/${WORDS[act].path}`, bodyOf(act, card.pr)),
    onSuccess: (_answer, act) => toast({ tone: 'good', title: `${WORDS[act].done} ${card.id}`, detail: card.title }),
    onError: (error, act) =>
      toast({
        tone: 'bad',
        title: `${card.id} ${WORDS[act].failed}`,
        detail: [error.message, hintOf(error)].filter(Boolean).join('\n'),
      }),
  })
  return { act: isPending ? variables : null, run: mutate }
}

function bodyOf(act: Act, pr: SessionCard['pr']): unknown {
  // The head that the person saw: the server refuses another one.
  if (act === 'merge') return { sha: pr?.headSha }
  return act === 'remove' ? { purge: true } : {}
}
