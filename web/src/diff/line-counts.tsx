// How many lines were added and removed.
export function LineCounts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="font-mono text-xs whitespace-nowrap">
      <span className="text-good">+{added}</span> <span className="text-bad">−{removed}</span>
      <span className="sr-only"> lines</span>
    </span>
  )
}
