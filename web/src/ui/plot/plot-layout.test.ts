import { describe, expect, it } from 'vitest'
import { layOut, niceTop, type PlotSeries } from './plot-layout.ts'

const frame = { width: 100, height: 100, top: 10 }

function series(...rows: number[][]): PlotSeries[] {
  return rows.map((values, index) => ({ name: `s${index}`, tone: 'accent', values }))
}

describe('a plot', () => {
  it.each<[number[][], 'line' | 'bars', number]>([
    [[], 'line', 1],
    [[[0, 0]], 'line', 1],
    [[[3]], 'line', 5],
    [[[5]], 'line', 5],
    [[[7], [6]], 'line', 10],
    [[[7], [6]], 'bars', 20],
    [[[0.03]], 'line', 0.05],
    [[[1234]], 'line', 2000],
  ])('has a scale that everything of %j as %s fits under: %s', (rows, kind, top) => {
    expect(niceTop(series(...rows), kind)).toBeCloseTo(top)
  })

  it('draws a line from the left edge to the right one', () => {
    expect(layOut(series([0, 5, 10]), 'line', frame)[0]?.path).toBe('M0 100L50 50L100 0')
  })

  it('stacks each layer on the one before', () => {
    const [first, second] = layOut(series([2, 2], [3, 3]), 'layers', frame)
    expect(first?.path).toBe('M0 80L100 80L100 100L0 100Z')
    expect(second?.path).toBe('M0 50L100 50L100 80L0 80Z')
  })

  it('draws no bar for nothing', () => {
    expect(layOut(series([0, 5]), 'bars', frame)[0]?.path).toBe('M55 100V50h40V100Z')
  })
})
