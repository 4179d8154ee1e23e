// What a person plays a recording with.
import { type KeyboardEvent, useSyncExternalStore } from 'react'
import { IconButton } from '../ui/button.tsx'
import type { Player } from './player.ts'

const SPEEDS = [1, 2, 4, 8, 16]
const STEP_MS = 5_000

export function PlayerBar({ player }: { player: Player }) {
  const { isPlaying, position, length, speed, cutsPauses, remark } = useSyncExternalStore(
    player.subscribe,
    player.state,
  )
  const time = `${clock(position)} of ${clock(length)}`
  return (
    <fieldset
      aria-label="Playback"
      className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 border-t px-3 py-1.5 text-xs text-muted"
    >
      <IconButton
        size="sm"
        variant="secondary"
        className="max-sm:size-11"
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? 'Pause' : 'Play'}
        onClick={() => (isPlaying ? player.pause() : player.play())}
      />
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={time}
        className="h-7 min-w-24 flex-1 accent-accent max-sm:h-11"
        min={0}
        max={length}
        step={1}
        value={position}
        onChange={({ target }) => player.seek(Number(target.value))}
        onKeyDown={(event: KeyboardEvent) => {
          if (playByKey(event.key, player)) event.preventDefault()
        }}
      />
      <span aria-hidden="true" className="shrink-0 tabular-nums">
        {clock(position)} / {clock(length)}
      </span>
      <span className="flex items-center gap-x-3">
        <select
          aria-label="Speed"
          title="Speed"
          className="h-7 rounded-md border border-line-strong bg-surface px-1 text-xs text-ink max-sm:h-11"
          value={speed}
          onChange={({ target }) => player.setSpeed(Number(target.value))}
        >
          {SPEEDS.map((one) => (
            <option key={one} value={one}>
              {one}×
            </option>
          ))}
        </select>
        <label className="flex items-center gap-1.5 whitespace-nowrap max-sm:min-h-11">
          <input
            type="checkbox"
            className="accent-accent"
            checked={cutsPauses}
            onChange={({ target }) => player.cutPauses(target.checked)}
          />
          Cut pauses
        </label>
      </span>
      {remark !== null && <span className="basis-full text-attention">{remark}</span>}
    </fieldset>
  )
}

/** true: it was one of the keys that play, pause and move. */
export function playByKey(key: string, player: Player): boolean {
  const { isPlaying, position, length } = player.state()
  const targets: Record<string, number> = {
    ArrowLeft: position - STEP_MS,
    ArrowDown: position - STEP_MS,
    ArrowRight: position + STEP_MS,
    ArrowUp: position + STEP_MS,
    Home: 0,
    End: length,
  }
  if (key === ' ') {
    if (isPlaying) player.pause()
    else player.play()
    return true
  }
  if (targets[key] === undefined) return false
  player.seek(targets[key])
  return true
}

/** 1:02:03, or 2:03 when it is shorter than an hour. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const [hours, ...rest] = parts.map((part) => String(part).padStart(2, '0'))
  return parts[0] === 0 ? rest.join(':').replace(/^0/, '') : `${Number(hours)}:${rest.join(':')}`
}
