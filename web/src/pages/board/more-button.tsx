// Shows more of a list whose rest may still be on the server.
import { Button } from '../../ui/button.tsx'
import type { MoreEnded } from './use-ended.ts'

interface Props {
  /** How many are not shown. */
  left: number
  /** null: all of them are here. */
  more: MoreEnded | null
  onMore: () => void
}

export function MoreButton({ left, more, onMore }: Props) {
  return (
    <>
      {more?.problem && (
        <p role="status" className="px-1 text-xs text-bad">
          More could not be loaded: {more.problem}
        </p>
      )}
      <Button variant="ghost" size="sm" busy={more?.isLoading ?? false} onClick={onMore}>
        {more === null ? `Show ${left} more` : left > 0 ? `Show more of ${left}` : 'Show more'}
      </Button>
    </>
  )
}
