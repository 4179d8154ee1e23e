// Comments that were begun in the diff and not finished do not go with a review.
export function LeftBehind({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <p className="text-sm text-attention">
      {count === 1
        ? 'One comment is still open in the diff and stays'
        : `${count} comments are still open in the diff and stay`}{' '}
      behind.
    </p>
  )
}
