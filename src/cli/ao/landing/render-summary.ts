// The report of a rehearsed day as lines.
import { formatCost, plural } from '../../../core/text/format-age.ts'
import { COST_PER_MINUTE } from '../../../rehearsal/plugins.ts'
import type { RehearsalSummary } from '../../../rehearsal/summarize.ts'
import type { Style } from '../../print/style.ts'

const SHOWN = 5

export function renderSummary(summary: RehearsalSummary, style: Style): string[] {
  const { baseRed, medianMinutesToLand: median } = summary
  const title = `${summary.hours} hours, ${plural(summary.agents, 'agent')}, seed ${summary.seed}, landing: ${summary.landing}`
  return [
    style.bold(title),
    line('landed', `${summary.landed} of ${summary.started} sessions, ${summary.landedPerHour.toFixed(1)} an hour`),
    line('to landing', median === null ? '-' : `${Math.round(median)} min, half of them sooner`),
    line(
      'base branch',
      baseRed.times === 0 ? 'never red' : `red ${times(baseRed.times)}, ${baseRed.minutes} min in all`,
    ),
    ...summary.waits.map((one) =>
      line(
        `waited: ${one.kind}`,
        `${times(one.count)}, ${Math.round(one.minutes)} min in all, ${Math.round(one.longest)} the longest`,
      ),
    ),
    line('messages', counts(summary.messages)),
    line('notified', counts(summary.notifications)),
    line('escalated', String(summary.escalated.length)),
    ...summary.escalated.slice(0, SHOWN).map((text) => style.dim(`  ${text}`)),
    line('restarts', `${plural(summary.agentRestarts, 'agent')}, ao itself ${times(summary.aoRestarts)}`),
    line(
      'cost',
      `${formatCost(summary.costUsd)}${perLanded(summary)}, assuming ${formatCost(COST_PER_MINUTE)} a minute of work`,
    ),
    line('stuck at the end', summary.stuck.length === 0 ? 'nobody' : plural(summary.stuck.length, 'session')),
    ...summary.stuck
      .slice(0, SHOWN)
      .map(({ session, status, minutes }) => style.dim(`  ${session}: ${status} for ${minutes} min`)),
  ]
}

function line(label: string, text: string): string {
  return `${label.padEnd(24)} ${text}`
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function perLanded({ costPerLanded }: RehearsalSummary): string {
  return costPerLanded === null ? '' : `, ${formatCost(costPerLanded)} for each that landed`
}

function counts(all: Record<string, number>): string {
  const parts = Object.entries(all).map(([name, count]) => `${count} ${name}`)
  return parts.length === 0 ? 'none' : parts.join(', ')
}
