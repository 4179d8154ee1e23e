// After a push most comments find their lines again; this is about the others.
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Review } from './use-review.tsx'

export function LostLines({ review: { pending, actions } }: { review: Review }) {
  const lost = pending.comments.filter(({ isLost }) => isLost).length
  if (lost === 0) return null
  const keep = () =>
    actions.change((before) => ({ ...before, comments: before.comments.map(({ isLost: _, ...comment }) => comment) }))
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-md bg-attention-soft px-3 py-2 text-sm text-attention"
    >
      <Icon name="warning" />
      <span className="min-w-0 flex-1">
        The work has changed since you began this review, and{' '}
        {lost === 1 ? 'a line that you commented on has' : `${lost} lines that you commented on have`} changed. Check
        that your comments still fit.
      </span>
      <Button size="sm" onClick={keep}>
        They do
      </Button>
    </div>
  )
}
