// What the processes recorded about themselves, and the histories over time.
import { costAnswer, observabilityAnswer, seriesAnswer } from '../../contract/dashboard/pages.ts'
import { AoError } from '../../contract/errors.ts'
import { COST_GROUPS, costReport } from '../../core/budget/cost-report.ts'
import { countSeries, fittingHours, type SeriesRequest, waitedPerDay, withSpent } from '../../core/status/series.ts'
import { spentOf } from '../../core/status/spent.ts'
import { readCount } from '../../http/route-table.ts'
import { readObservability } from '../../store/observability/summary.ts'
import { route } from '../server/dashboard-route.ts'
import { readSeriesEvents } from './series-memory.ts'

const HOUR_MS = 3_600_000
const MOST_HOURS = 24 * 31
/** As many as a plot can show. */
const POINTS = 96

/** Where Prometheus looks by default. */
export const METRICS_PATH = '/metrics'

export const OBSERVABILITY_ROUTES = [
  route({
    method: 'GET',
    path: METRICS_PATH,
    summary: 'Metrics of all repositories of this server, for Prometheus',
    stream: 'text/plain',
    async handle({ context, response }) {
      await context.metrics.send(response)
      return undefined
    },
  }),
  route({
    method: 'GET',
    path: '/api/cost',
    summary: 'Costs, archived sessions included',
    query: { by: `One of ${COST_GROUPS.join(', ')}; agent by default` },
    answer: costAnswer,
    async handle({ context, query }) {
      const given = query.get('by') ?? 'agent'
      const by = COST_GROUPS.find((one) => one === given)
      if (by === undefined) throw new AoError('USAGE', `by is one of ${COST_GROUPS.join(', ')}`)
      return { by, rows: costReport(await context.manager.costs(), by) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/observability',
    summary: 'Health, counters and recent traces of all processes, merged',
    answer: observabilityAnswer,
    async handle({ context }) {
      const { damaged, ...summary } = readObservability(context.paths)
      return { ...summary, damaged: damaged.map(({ file, why }) => `${file}: ${why}`) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/observability/series',
    summary: 'Sessions by status, tokens, cost and waiting for people over time',
    query: { hours: `How far back, at most ${MOST_HOURS}; without it as few as show everything` },
    answer: seriesAnswer,
    async handle({ context, query }) {
      const to = context.clock.now().getTime()
      await context.board.fresh()
      const spent = new Map([
        ...context.board.read().sessions.map((card) => [card.id, card.spent] as const),
        ...context.board.older().map((session) => [session.id, spentOf(session)] as const),
      ])
      const sources = await readSeriesEvents(context.paths, Object.keys(context.config.projects))
      const histories = withSpent(sources, spent, to)
      const hours = readCount(query, 'hours', fittingHours(histories, to))
      if (hours < 1 || hours > MOST_HOURS) throw new AoError('USAGE', `hours must be from 1 to ${MOST_HOURS}`)
      const spanMs = hours * HOUR_MS
      return {
        hours,
        ...countSeries({ histories, from: to - spanMs, to, stepMs: spanMs / POINTS }),
        waitedPerDay: perDay(histories, to),
      }
    },
  }),
]

const DAYS = 7

/** Days of the calendar here: they need not have 24 hours. */
function perDay(histories: SeriesRequest['histories'], to: number): Array<{ day: string; minutes: number }> {
  const today = new Date(to)
  const days = Array.from(
    { length: DAYS },
    (_, index) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - (DAYS - 1 - index)),
  )
  const starts = days.map((day) => day.getTime())
  return waitedPerDay(histories, starts, to).map((minutes, index) => ({ day: isoDay(days[index]!), minutes }))
}

function isoDay(day: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`
}
