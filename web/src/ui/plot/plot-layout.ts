// Computes the shapes of a plot. Pure.
import type { Tone } from '../badge.tsx'

export interface PlotSeries {
  name: string
  tone: Tone
  values: readonly number[]
}

export type PlotKind = 'line' | 'bars' | 'layers'

interface Frame {
  width: number
  height: number
  top: number
}

export interface PlotShape {
  name: string
  tone: Tone
  path: string
}

/** The end of the scale: the next 1, 2 or 5 with zeros above all values. */
export function niceTop(series: readonly PlotSeries[], kind: PlotKind): number {
  const count = Math.max(0, ...series.map(({ values }) => values.length))
  const heights = Array.from({ length: count }, (_, index) => {
    const here = series.map(({ values }) => values[index] ?? 0)
    return kind === 'line' ? Math.max(0, ...here) : here.reduce((sum, value) => sum + value, 0)
  })
  const most = Math.max(0, ...heights)
  if (most === 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 5, 10].map((step) => step * power).find((top) => top >= most) ?? most
}

/** Later layers and bars are stacked on earlier ones. */
export function layOut(series: readonly PlotSeries[], kind: PlotKind, frame: Frame): PlotShape[] {
  let ground: readonly number[] = []
  return series.map(({ name, tone, values }) => {
    const tops = values.map((value, index) => value + (kind === 'line' ? 0 : (ground[index] ?? 0)))
    const path =
      kind === 'line' ? line(tops, frame) : kind === 'bars' ? bars(ground, tops, frame) : area(ground, tops, frame)
    ground = tops
    return { name, tone, path }
  })
}

function line(values: readonly number[], frame: Frame): string {
  return values
    .map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index, values.length, frame)} ${y(value, frame)}`)
    .join('')
}

function area(ground: readonly number[], tops: readonly number[], frame: Frame): string {
  if (tops.length === 0) return ''
  const back = tops.map((_, index) => `L${x(index, tops.length, frame)} ${y(ground[index] ?? 0, frame)}`).reverse()
  return `${line(tops, frame)}${back.join('')}Z`
}

const BAR_SHARE = 0.8

function bars(ground: readonly number[], tops: readonly number[], frame: Frame): string {
  const slot = frame.width / Math.max(1, tops.length)
  return tops
    .map((top, index) => {
      const bottom = ground[index] ?? 0
      if (top <= bottom) return ''
      const left = round(index * slot + (slot * (1 - BAR_SHARE)) / 2)
      return `M${left} ${y(bottom, frame)}V${y(top, frame)}h${round(slot * BAR_SHARE)}V${y(bottom, frame)}Z`
    })
    .join('')
}

function x(index: number, count: number, { width }: Frame): number {
  return count < 2 ? width : round((index / (count - 1)) * width)
}

function y(value: number, { height, top }: Frame): number {
  return round(height - (value / top) * height)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
