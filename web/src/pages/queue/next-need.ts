// "Next who needs me", from every page: into the queue, and from there to the next item.
import { focusCard, moveInColumn } from '../board/use-board-keys.ts'

/** The session that the person came from: the queue continues after it. */
let cameFrom: string | null = null

export function goToNext(location: string, navigate: (to: string) => void): void {
  if (location === '/queue') {
    if (!moveInColumn(1)) focusCard(document.querySelector<HTMLElement>('[data-card]:not([data-gone])') ?? undefined)
    return
  }
  cameFrom = /^\/sessions\/([^/?]+)/.exec(location)?.[1] ?? null
  navigate('/queue')
}

/** Once. */
export function takeCameFrom(): string | null {
  const session = cameFrom
  cameFrom = null
  return session
}
