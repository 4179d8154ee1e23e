// What waits for the person, ranked: for the queue itself and for the number beside its name, which must agree.
import { useMemo } from 'react'
import { type QueueItem, rankQueue } from '../../../../src/core/queue/rank-queue.ts'
import { useBoard } from '../../api/live.ts'
import { useNow } from '../../ui/text/time-ago.tsx'

export function useQueue(): QueueItem[] {
  const board = useBoard()
  const now = useNow()
  return useMemo(() => (board ? rankQueue([...board.cards.values()], now) : []), [board, now])
}
