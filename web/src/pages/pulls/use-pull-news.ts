// Fetches pull requests again when a session's card has news about its own: forges behind a network are observed by the
// loop, which changes the cards.
import { useEffect, useMemo, useRef } from 'react'
import { useBoard } from '../../api/live.ts'
import { queryClient } from '../../api/query-client.ts'

export function usePullNews(): void {
  const board = useBoard()
  const lastText = useRef<string | null>(null)
  const text = useMemo(
    () => (board ? JSON.stringify([...board.cards.values()].map(({ id, pr }) => [id, pr]).sort()) : null),
    [board],
  )
  useEffect(() => {
    if (lastText.current !== null && text !== lastText.current)
      void queryClient.invalidateQueries({ queryKey: ['pulls'] })
    lastText.current = text
  }, [text])
}
