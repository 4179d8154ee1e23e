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
