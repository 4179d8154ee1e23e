// Minutes a person was waited for, per day: the figure that says whether the fleet is held up.
import type { SeriesAnswer } from '../../../../src/contract/dashboard/pages.ts'

export function WaitedPerDay({ days }: { days: SeriesAnswer['waitedPerDay'] }) {
  const most = Math.max(1, ...days.map(({ minutes }) => minutes))
  return (
    <section aria-label="Minutes waited for a person, per day" className="p-4">
      <h3 className="mb-2 text-sm font-semibold">Minutes waited for a person, per day</h3>
      <ul className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 gap-y-1 text-sm">
        {days.map(({ day, minutes }) => (
          <li key={day} className="contents">
            <span className="text-muted">{dayName(day)}</span>
            <span aria-hidden="true" className="h-2.5 overflow-hidden rounded-sm bg-sunken">
              <span className="block h-full bg-attention" style={{ width: `${(minutes / most) * 100}%` }} />
            </span>
            <span className="text-right font-medium">{Math.round(minutes)} min</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function dayName(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { weekday: 'short', month: 'short', day: 'numeric' })
}
