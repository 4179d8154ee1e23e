// `ao simulate`: a day of this configuration with scripted agents, in seconds.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openConfig } from '../../../config/load-config-cached.ts'
import { AoError } from '../../../contract/errors.ts'
import { readRecord } from '../../../contract/record.ts'
import { describeEvent } from '../../../core/status/describe-event.ts'
import { formatCost, plural } from '../../../core/text/format-age.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { removeTree } from '../../../lib/remove.ts'
import { HABITS, type Habit, USUAL_MIX } from '../../../rehearsal/habits.ts'
import { COST_PER_MINUTE } from '../../../rehearsal/plugins.ts'
import { type Rehearsal, rehearse } from '../../../rehearsal/rehearse.ts'
import { renderPage } from '../../../rehearsal/render-page.ts'
import { type RehearsalSummary, summarize } from '../../../rehearsal/summarize.ts'
import { createPaths } from '../../../store/paths.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { createProgress } from '../../print/progress.ts'
import type { Style } from '../../print/style.ts'
import { chooseProject } from '../choose-project.ts'

export const simulateCommand = defineCommand({
  name: 'simulate',
  about: 'Rehearse a day of this configuration with scripted agents, in seconds',
  details:
    'Reactions, retries, thresholds and the train are the real ones, on a virtual clock; agents, the forge and one person are scripted. Nothing is started, sent or written. The same seed gives the same day. Gates, places and the backlog are not rehearsed.\n--replay decides a recorded day again with another configuration. From the first difference in what an agent hears, its session is left out, and the report says so.',
  options: {
    project: PROJECT_OPTION,
    agents: { value: 'n', about: 'Concurrent agents (default 20)' },
    hours: { value: 'n', about: 'Length of the day in hours (default 8)' },
    seed: { value: 'n', about: 'Random seed (default 1)' },
    habits: { value: 'list', about: `Mix of agents, such as steady:4,breaks-ci:1. Available: ${HABITS.join(', ')}` },
    'person-minutes': { value: 'n', about: 'Minutes the person takes to answer (default 10)' },
    'ci-minutes': { value: 'n', about: 'Duration of checks in minutes (default 5)' },
    'no-faults': { about: 'Simulate no failures of forge, machines or ao' },
    session: { value: 'id', about: 'Show the history of this simulated session' },
    html: { value: 'file', about: 'Also write the report as a page' },
    replay: { value: 'day', about: 'Decide a recorded day again: 2026-11-17, yesterday, a file, or list' },
    calibrate: { value: 'day', about: 'Rehearse a recorded day with its own rates, and compare the two' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao simulate --habits steady:1,conflicts:1 --html day.html', about: 'Many conflicts, as a page' },
    { line: 'ao simulate --replay yesterday --config new.yaml', about: 'What other settings would have done' },
    { line: 'ao simulate --seed 7 --session app-3', about: 'What happened to one session of that day' },
  ],
  json: '{ seed, hours, agents, landing, started, landed, landedPerHour, medianMinutesToLand, baseRed, waits, messages, notifications, escalated, agentRestarts, aoRestarts, costUsd, costPerLanded, stuck, history? }, with --replay { project, from, to, rounds, sessions, isSameSettings, isOtherZone, recorded, replayed, unknown, differences: [{ session, at, what, recorded, replayed, isUnknown }], soonerStarts, train }, of --replay list { days: [{ day, file, bytes }] }, with --calibrate { recorded, predicted, off }',
  async run({ options }, io) {
    const config = await openConfig(io)
    const project = chooseProject(config, options.project, io)
    if (options.replay !== undefined) {
      const { replayDay } = await import('./replay-day.ts')
      await replayDay({ config, project, day: options.replay, json: options.json, inEmptyHome }, io)
      return
    }
    if (options.calibrate !== undefined) {
      const { calibrateDay } = await import('./replay-day.ts')
      await calibrateDay({ config, project, day: options.calibrate, json: options.json, inEmptyHome }, io)
      return
    }
    const numbers = {
      agents: wholeNumber('--agents', options.agents, { least: 1, most: 500 }) ?? 20,
      hours: wholeNumber('--hours', options.hours, { least: 1, most: 72 }) ?? 8,
      seed: wholeNumber('--seed', options.seed, { least: 0, most: 2 ** 31 }) ?? 1,
      personMinutes: wholeNumber('--person-minutes', options['person-minutes'], { least: 0, most: 1_000 }) ?? 10,
      ciMinutes: wholeNumber('--ci-minutes', options['ci-minutes'], { least: 1, most: 600 }) ?? 5,
    }
    const mix = readHabits(options.habits)
    const progress = createProgress(io)
    progress.step(`Rehearsing ${numbers.hours} hours with ${numbers.agents} agents`)
    const rehearsal = await inEmptyHome((paths) =>
      rehearse({ ...numbers, config, project, paths, mix, faults: !options['no-faults'] }),
    ).finally(() => progress.end())
    const summary = summarize(rehearsal)
    const history = options.session === undefined ? undefined : historyOf(rehearsal, options.session)
    if (options.html !== undefined) writePage(rehearsal, resolve(io.cwd, options.html), io)
    if (options.json) return void io.json({ ...summary, history })
    if (history) io.printLines(history.map(({ at, text }) => `${at}  ${toOneLine(text)}`))
    else io.printLines(renderSummary(summary, io.style))
  },
})

function readHabits(text: string | undefined): Readonly<Partial<Record<Habit, number>>> {
  if (text === undefined) return USUAL_MIX
  const mix = text.split(',').map((part): [Habit, number] => {
    const [name = '', share = '1'] = part.trim().split(':')
    const habit = HABITS.find((one) => one === name)
    if (habit === undefined || !/^[0-9]{1,3}$/.test(share)) {
      throw new AoError('USAGE', `--habits cannot be read at ${JSON.stringify(part)}`, {
        hint: `Write name:share, separated by commas. Known names: ${HABITS.join(', ')}`,
      })
    }
    return [habit, Number(share)]
  })
  if (mix.every(([, share]) => share === 0)) throw new AoError('USAGE', '--habits leaves no agent that works')
  return Object.fromEntries(mix)
}

/** Locks and the loop's own files go there; nothing of the user's is read or written. */
async function inEmptyHome<T>(run: (paths: ReturnType<typeof createPaths>) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'ao-simulate-'))
  try {
    const configPath = join(home, 'rehearsal', 'agent-orchestrator.yaml')
    mkdirSync(join(home, 'rehearsal'))
    writeFileSync(configPath, '')
    return await run(createPaths({ configPath, home, env: {} }))
  } finally {
    removeTree(home)
  }
}

function historyOf({ disk, world }: Rehearsal, session: string): Array<{ at: string; text: string }> {
  const pairs = disk.records.get(session)
  if (!pairs) {
    throw new AoError('SESSION_NOT_FOUND', `There is no session ${session} in this rehearsal`, {
      hint: `Its sessions are ${world.prefix}-1 to ${world.prefix}-${world.sessions.size}`,
    })
  }
  const events = disk.histories.get(session) ?? []
  const { status, usageCostUsd = 0 } = readRecord(pairs)
  return [
    {
      at: clockOf(world.sessions.get(session)!.startedAt),
      text: `started; its agent works as ${world.sessions.get(session)!.habit}`,
    },
    ...events
      .filter(({ type }) => type !== 'usage')
      .map((event) => ({ at: clockOf(Date.parse(event.at)), text: describeEvent(event) })),
    { at: clockOf(world.now), text: `in the end it is ${status} and has used ${formatCost(usageCostUsd)}` },
  ]
}

function clockOf(at: number): string {
  return new Date(at).toISOString().slice(11, 16)
}

function writePage(rehearsal: Rehearsal, file: string, io: Io): void {
  writeFileAtomic(file, renderPage(rehearsal))
  io.note(`wrote ${file}`)
}

const SHOWN = 5

/** The report of a rehearsed day as lines. */
function renderSummary(summary: RehearsalSummary, style: Style): string[] {
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
    line('stuck at the end', summary.stuck.length === 0 ? 'none' : plural(summary.stuck.length, 'session')),
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
