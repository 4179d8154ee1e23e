// Something is in progress, and what.
export function SpinnerRing({ className = 'size-4' }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={`inline-block shrink-0 motion-safe:animate-spin rounded-full border-2 border-current border-r-transparent ${className}`}
    />
  )
}

export function Spinner({ label, className = '' }: { label: string; className?: string }) {
  return (
    <div role="status" className={`flex items-center gap-2 p-6 text-sm text-muted ${className}`}>
      <SpinnerRing />
      {label}…
    </div>
  )
}

const WIDTHS = ['w-2/3', 'w-1/2', 'w-3/4', 'w-5/12', 'w-7/12', 'w-2/5']

/** The shape of a list that is on its way: what comes takes its place, and nothing jumps. */
export function Skeleton({ label }: { label: string }) {
  return (
    <div role="status" className="flex w-full flex-col divide-y rounded-lg border bg-surface">
      <span className="sr-only">{label}…</span>
      {WIDTHS.map((width) => (
        <div key={width} aria-hidden="true" className="flex flex-col gap-2 px-4 py-3 motion-safe:animate-pulse">
          <span className={`h-3.5 rounded bg-sunken ${width}`} />
          <span className="h-3 w-1/4 rounded bg-sunken" />
        </div>
      ))}
    </div>
  )
}
