// `ao simulate --replay`: what a recorded day would have been with other settings.
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { OrchestratorConfig, ProjectConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import { CASSETTE_DIRECTORY } from '../../../core/recording/cassette.ts'
import { formatCost, plural } from '../../../core/text/format-age.ts'
import { filesIn } from '../../../lib/plain-file.ts'
import { localDay } from '../../../lifecycle/spending/count-spending.ts'
import type { DayCounts, Difference, Replay } from '../../../rehearsal/compare-decisions.ts'
import { readCassette } from '../../../rehearsal/read-cassette.ts'
import { replay } from '../../../rehearsal/replay.ts'
import { replayTrain, type TrainReplay } from '../../../rehearsal/replay-train.ts'
import { type AoPaths, createPaths } from '../../../store/paths.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import type { Style } from '../../print/style.ts'

export interface ReplayRequest {
  config: OrchestratorConfig
  project: ProjectConfig
  day: string
  json: boolean
  inEmptyHome<T>(run: (paths: AoPaths) => Promise<T>): Promise<T>
}

export async function replayDay({ config, project, day, json, inEmptyHome }: ReplayRequest, io: Io): Promise<void> {
  const directory = cassettesOf(config, project, io)
  if (day === 'list') return listDays(directory, json, io)
  const lines = readCassette(findDay(directory, day, io))
  const result = await inEmptyHome((paths) => replay({ config, project, paths, lines }))
  const train = await replayTrain(lines, project)
  if (json) io.json({ ...result, train })
  else io.printLines(renderReplay(result, train, io.style))
}

/** Whether a rehearsal can be believed: the day as it was, and as it is rehearsed with the rates that it had. */
export async function calibrateDay({ config, project, day, json, inEmptyHome }: ReplayRequest, io: Io): Promise<void> {
  const lines = readCassette(findDay(cassettesOf(config, project, io), day, io))
  const { calibrate } = await import('../../../rehearsal/calibrate.ts')
  const found = await inEmptyHome((paths) => calibrate(lines, { config, project, paths }))
  if (json) return void io.json(found)
  const { recorded, predicted, off } = found
  for (const name of ['requests', 'landed', 'stranded'] as const)
    io.print(`${name.padEnd(16)} recorded ${recorded[name]}, rehearsed ${predicted[name]}`)
  io.print(`The rehearsal is off by at most ${Math.round(off * 100)} %, beyond one session more or less.`)
}

function cassettesOf({ configPath }: OrchestratorConfig, project: ProjectConfig, io: Io): string {
  const paths = createPaths({ configPath, home: io.home, env: io.env })
  return join(paths.project(project.id).dir, CASSETTE_DIRECTORY)
}

/** A day of this project, or any file. */
function findDay(directory: string, day: string, io: Io): string {
  const now = io.clock.now()
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1, 12)
  const named = day === 'today' ? localDay(now) : day === 'yesterday' ? localDay(yesterday) : day
  const file = /^\d{4}-\d\d-\d\d$/.test(named) ? join(directory, `${named}.jsonl`) : resolve(io.cwd, named)
  if (existsSync(file)) return file
  const days = filesIn(directory).map((name) => name.replace(/\.jsonl$/, ''))
  const last = days.sort().at(-1)
  throw new AoError('USAGE', `There is no recording of ${toOneLine(named)}`, {
    hint:
      last === undefined
        ? 'ao start records each day; disk.cassettesMb: 0 switches that off'
        : `The last recorded day is replayed with: ao simulate --replay ${last}`,
  })
}

function listDays(directory: string, json: boolean, io: Io): void {
  const days = filesIn(directory)
    .filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name))
    .sort()
    .map((name) => {
      const file = join(directory, name)
      return { day: name.slice(0, 10), file, bytes: statSync(file).size }
    })
  if (json) io.json({ days })
  else if (days.length === 0) io.print('No day has been recorded yet; ao start records them.')
  if (!json) for (const { day, bytes } of days) io.print(`${day}  ${(bytes / 1024).toFixed(0)} KB`)
}

const SHOWN = 20

function renderReplay(result: Replay, train: TrainReplay | null, style: Style): string[] {
  const { recorded, replayed, unknown, differences } = result
  const clock = (at: number) => new Date(at).toTimeString().slice(0, 5)
  const settings = result.isSameSettings
    ? 'the settings that it was recorded with'
    : 'other settings than it was recorded with'
  const title = `${result.project} from ${clock(result.from)} to ${clock(result.to)}: ${plural(result.rounds, 'round')}, ${plural(result.sessions, 'session')}, ${settings}`
  const row = (label: string, of: (counts: DayCounts) => string) => {
    const rest = of(unknown)
    const more =
      rest === 'none' || rest === '0' || rest === '$0.00' ? '' : style.dim(`  (unknown: ${rest} of the recorded)`)
    return `${label.padEnd(16)} ${of(recorded).padEnd(40)} → ${of(replayed)}${more}`
  }
  const first = differences.toSorted((one, other) => one.at - other.at)
  return [
    style.bold(title),
    ...(result.isOtherZone ? ['It was recorded in another time zone: days of budgets begin at another moment.'] : []),
    row('messages', ({ messages }) => counts(messages)),
    row('notified', ({ notifications }) => counts(notifications)),
    row('merged', ({ merges }) => String(merges)),
    row('started', ({ starts }) => String(starts)),
    row('restarted', ({ restarts }) => String(restarts)),
    row('paused', ({ paused }) => String(paused)),
    row('cost', ({ costUsd }) => formatCost(costUsd)),
    ...(result.soonerStarts > 0
      ? [`At one moment ${plural(result.soonerStarts, 'issue')} of the backlog would have been started sooner.`]
      : []),
    ...(train ? renderTrain(train) : []),
    first.length === 0
      ? 'Every decision is the recorded one.'
      : `${plural(first.length, 'session')} of ${result.sessions} ${first.length === 1 ? 'differs' : 'differ'}, first at:`,
    ...first.slice(0, SHOWN).map((one) => difference(one, clock, style)),
    ...(first.length > SHOWN ? [style.dim(`  … and ${first.length - SHOWN} more, with --json`)] : []),
  ]
}

function difference({ session, at, what, isUnknown }: Difference, clock: (at: number) => string, style: Style): string {
  const rest = isUnknown ? style.dim('; unknown from here') : ''
  return `  ${clock(at)} ${toOneLine(session)}: ${toOneLine(what)}${rest}`
}

function renderTrain({ recorded, estimated, rule }: TrainReplay): string[] {
  const outcome = ({ landed, minutes, runs }: TrainReplay['estimated']) =>
    `${landed} landed${minutes === null ? '' : `, ${Math.round(minutes)} min from ready to landed`}, ${plural(runs, 'run')} of checks`
  return [
    `train            ${recorded.landed} landed, ${recorded.left} left it`,
    `  estimated with batch ${rule.batch}, order ${rule.order}: ${outcome(estimated)}`,
  ]
}

function counts(all: Record<string, number>): string {
  const parts = Object.entries(all).map(([name, count]) => `${count} ${toOneLine(name)}`)
  return parts.length === 0 ? 'none' : parts.join(', ')
}
