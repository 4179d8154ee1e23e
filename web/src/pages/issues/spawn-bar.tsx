// How many issues are selected, selecting all of them, and starting sessions for them.
import { Button } from '../../ui/button.tsx'

interface Props {
  all: readonly string[]
  chosen: readonly string[]
  onChoose: (ids: readonly string[]) => void
  onSpawn: () => void
}

export function SpawnBar({ all, chosen, onChoose, onSpawn }: Props) {
  const isAll = chosen.length === all.length
  return (
    <div className="sticky top-0 z-10 flex min-h-11 items-center gap-3 rounded-t-lg border-b bg-surface px-4 py-1.5 text-sm">
      <label className="flex min-h-8 items-center gap-3 text-muted">
        <input
          type="checkbox"
          checked={isAll}
          ref={(box) => {
            if (box) box.indeterminate = !isAll && chosen.length > 0
          }}
          onChange={() => onChoose(isAll ? [] : all)}
          className="size-4 accent-(--accent)"
        />
        <span aria-live="polite">
          {chosen.length === 0 ? `Select all ${all.length}` : `${chosen.length} of ${all.length} selected`}
        </span>
      </label>
      {chosen.length > 0 && (
        <Button size="sm" variant="primary" icon="play" does="POST /api/sessions" className="ml-auto" onClick={onSpawn}>
          Start {chosen.length === 1 ? 'a session' : `${chosen.length} sessions`}
        </Button>
      )}
    </div>
  )
}
