// The report as one page without scripts: the summary, what landed in each hour, and every session's statuses over the day.
import { escapeHtml } from '../core/text/escape-markup.ts'
import type { Rehearsal } from './rehearse.ts'
import { type RehearsalSummary, summarize } from './summarize.ts'
import { MINUTE } from './world.ts'

const COLOURS: Readonly<Record<string, string>> = {
  working: '#5b8def',
  pr_open: '#8a7bd8',
  ci_failed: '#d9534f',
  changes_requested: '#e08e45',
  review_pending: '#c9b458',
  approved: '#6bb36b',
  mergeable: '#3f9c5a',
  merged: '#2e7d46',
  needs_input: '#e0a030',
  stuck: '#b03a2e',
  killed: '#777777',
}
const OTHER = '#a0a0a0'
const WIDTH = 960
const ROW = 14
const LABEL = 90

export function renderPage(rehearsal: Rehearsal): string {
  const summary = summarize(rehearsal)
  const title = `${summary.hours} hours with ${summary.agents} agents, seed ${summary.seed}`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>ao simulate: ${title}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color-scheme:light dark}table{border-collapse:collapse}td,th{text-align:left;padding:.2rem 1.5rem .2rem 0;vertical-align:top}svg text{font:11px system-ui,sans-serif;fill:currentColor}</style></head>
<body><h1>${title}</h1><p>Landing: ${summary.landing}. Agents, the forge and the person are scripted; reactions and the train are ao's own code.</p>
${summaryTable(summary)}<h2>Landed in each hour</h2>${hoursChart(rehearsal)}<h2>Sessions</h2>${legend()}${sessionsChart(rehearsal)}</body></html>
`
}

function summaryTable({
  landed,
  started,
  landedPerHour,
  baseRed,
  waits,
  messages,
  notifications,
  escalated,
  costUsd,
  stuck,
}: RehearsalSummary): string {
  const textOf = (all: Record<string, number>) =>
    Object.entries(all)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')
  const rows: Array<[string, string]> = [
    ['Landed', `${landed} of ${started}, ${landedPerHour.toFixed(1)} an hour`],
    ['Base branch red', `${baseRed.times} times, ${baseRed.minutes} min`],
    ...waits.map(({ kind, count, minutes }): [string, string] => [
      `Waited: ${kind}`,
      `${count} times, ${Math.round(minutes)} min`,
    ]),
    ['Messages to agents', textOf(messages)],
    ['Notifications', textOf(notifications)],
    ['Escalated', escalated.join('; ') || 'nothing'],
    ['Cost', `$${costUsd.toFixed(2)} (assumed)`],
    ['Stuck at the end', stuck.map(({ session, status }) => `${session} (${status})`).join(', ') || 'none'],
  ]
  return `<table>${rows.map(([name, text]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(text)}</td></tr>`).join('')}</table>`
}

function hoursChart({ world, options }: Rehearsal): string {
  const perHour = Array.from({ length: Math.ceil(options.hours) }, (_, hour) => {
    const from = world.startedAt + hour * 60 * MINUTE
    return [...world.sessions.values()].filter(
      ({ landedAt }) => landedAt !== null && landedAt > from && landedAt <= from + 60 * MINUTE,
    ).length
  })
  const most = Math.max(1, ...perHour)
  const bars = perHour.map((count, hour) => {
    const height = Math.round((count / most) * 80)
    const x = hour * 40
    return `<rect x="${x}" y="${90 - height}" width="30" height="${height}" fill="${COLOURS.merged}"><title>${count}</title></rect><text x="${x}" y="104">${hour + 1}: ${count}</text>`
  })
  return `<svg role="img" aria-label="Landed in each hour" width="${perHour.length * 40}" height="110">${bars.join('')}</svg>`
}

function legend(): string {
  const items = Object.entries(COLOURS).map(([status, colour]) => `<span style="color:${colour}">■</span> ${status}`)
  return `<p>${items.join(' &nbsp; ')}</p>`
}

function sessionsChart({ world, disk }: Rehearsal): string {
  const span = world.now - world.startedAt
  const xOf = (at: number) => LABEL + ((at - world.startedAt) / span) * (WIDTH - LABEL)
  const rows = [...world.sessions.values()].map(({ id, habit, startedAt }, index) => {
    const y = index * ROW
    const changes = (disk.histories.get(id) ?? []).flatMap((event) =>
      event.type === 'status.changed' ? [{ at: Date.parse(event.at), to: event.to as string }] : [],
    )
    const spans = [{ at: startedAt, to: 'working' }, ...changes].map(({ at, to }, index, all) => ({
      from: at,
      to,
      until: all[index + 1]?.at ?? (to === 'merged' ? at + 3 * MINUTE : world.now),
    }))
    const boxes = spans.map(({ from, until, to }) => {
      const width = Math.max(1, xOf(until) - xOf(from))
      return `<rect x="${xOf(from).toFixed(1)}" y="${y + 2}" width="${width.toFixed(1)}" height="${ROW - 4}" fill="${COLOURS[to] ?? OTHER}"><title>${escapeHtml(`${id} (${habit}): ${to}`)}</title></rect>`
    })
    return `<text x="0" y="${y + ROW - 3}">${escapeHtml(id)}</text>${boxes.join('')}`
  })
  return `<svg role="img" aria-label="Statuses of all sessions over the day" width="${WIDTH}" height="${rows.length * ROW}">${rows.join('')}</svg>`
}
