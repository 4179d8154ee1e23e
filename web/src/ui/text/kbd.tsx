// A key to press.
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-grid h-5 min-w-5 place-items-center rounded border border-line-strong bg-surface px-1 font-mono text-2xs text-muted">
      {children}
    </kbd>
  )
}
