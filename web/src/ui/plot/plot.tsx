// Numbers over time, rendered as SVG: lines, bars or layers on one scale. A table with the same numbers is there for screen
// readers.

import { useId } from 'react'
import { formatTime } from '../text/format.ts'
import { layOut, niceTop, type PlotSeries } from './plot-layout.ts'

interface Props {
  title: string
  /** ISO 8601, oldest first. */
  times: readonly string[]
  series: readonly PlotSeries[]
  kind: 'line' | 'bars' | 'layers'
  format(value: number): string
}

const WIDTH = 640
const HEIGHT = 180
const LABEL_AT = [0, 0.5, 1] as const

export function Plot({ title, times, series, kind, format }: Props) {
  const id = useId()
  const shown = series.filter(({ values }) => values.some((value) => value > 0))
  if (shown.length === 0) return <NothingToPlot title={title} />
  const top = niceTop(shown, kind)
  const shapes = layOut(shown, kind, { width: WIDTH, height: HEIGHT, top })
  return (
    <figure aria-labelledby={id} className="flex min-w-0 flex-col gap-2 p-4">
      <figcaption id={id} className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm font-semibold">
        {title}
        <Legend series={shown} />
      </figcaption>
      <div className="flex gap-2">
        <div aria-hidden="true" className="flex w-12 flex-col justify-between text-right text-2xs text-faint">
          <span>{format(top)}</span>
          <span>{format(top / 2)}</span>
          <span>{format(0)}</span>
        </div>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          className="h-40 min-w-0 flex-1 overflow-visible"
        >
          {LABEL_AT.map((part) => (
            <line
              key={part}
              x1="0"
              x2={WIDTH}
              y1={part * HEIGHT}
              y2={part * HEIGHT}
              className="stroke-line"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {shapes.map(({ name, tone, path }) => (
            <path
              key={name}
              d={path}
              vectorEffect="non-scaling-stroke"
              className={kind === 'line' ? `fill-none stroke-2 ${STROKES[tone]}` : `${FILLS[tone]}`}
            />
          ))}
        </svg>
      </div>
      <div aria-hidden="true" className="ml-14 flex justify-between text-2xs text-faint">
        {[times[0], times[Math.floor(times.length / 2)], times.at(-1)].map((at, index) => (
          <span key={LABEL_AT[index]}>{at === undefined ? '' : timeLabel(at, times)}</span>
        ))}
      </div>
      <NumbersForReaders title={title} series={series} format={format} />
    </figure>
  )
}

function NothingToPlot({ title }: { title: string }) {
  return (
    <figure className="flex min-w-0 flex-col gap-2 p-4">
      <figcaption className="text-sm font-semibold">{title}</figcaption>
      <p className="grid h-40 place-items-center rounded-md bg-sunken text-sm text-muted">Nothing in this time</p>
    </figure>
  )
}

const STROKES: Record<PlotSeries['tone'], string> = {
  neutral: 'stroke-faint',
  accent: 'stroke-accent',
  attention: 'stroke-attention',
  good: 'stroke-good',
  bad: 'stroke-bad',
  review: 'stroke-review',
  live: 'stroke-live',
}
const FILLS: Record<PlotSeries['tone'], string> = {
  neutral: 'fill-faint',
  accent: 'fill-accent',
  attention: 'fill-attention',
  good: 'fill-good',
  bad: 'fill-bad',
  review: 'fill-review',
  live: 'fill-live',
}

function Legend({ series }: { series: readonly PlotSeries[] }) {
  if (series.length < 2) return null
  return (
    <span className="flex flex-wrap gap-x-3 text-xs font-normal text-muted">
      {series.map(({ name, tone }) => (
        <span key={name} className="inline-flex items-center gap-1">
          <svg viewBox="0 0 8 8" className={`size-2 ${FILLS[tone]}`} aria-hidden="true">
            <rect width="8" height="8" rx="2" />
          </svg>
          {name}
        </span>
      ))}
    </span>
  )
}

function NumbersForReaders({ title, series, format }: Pick<Props, 'title' | 'series' | 'format'>) {
  return (
    <table className="sr-only">
      <caption>{title}</caption>
      <tbody>
        {series.map(({ name, values }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>now {format(values.at(-1) ?? 0)}</td>
            <td>at most {format(Math.max(0, ...values))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function timeLabel(at: string, times: readonly string[]): string {
  const span = Date.parse(times.at(-1) ?? at) - Date.parse(times[0] ?? at)
  const time = new Date(at)
  if (span > 36 * 3_600_000) return time.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })
  return formatTime(time)
}
