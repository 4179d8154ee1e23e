// `ao schedule`: work that is started at certain times, or when something happens.
import { formatAge } from '../../../core/text/format-age.ts'
import { requireNamed } from '../../../core/text/nearest-word.ts'
import { listSchedules, type ScheduleRow } from '../../../manager/observe/schedule-rows.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { type Column, renderTable } from '../../print/table.ts'
import { chooseProject } from '../choose-project.ts'
import { openAo } from '../open-ao.ts'

const PROJECT = { short: 'p', value: 'id', about: 'The project', completes: 'project' } as const
const NAME = { name: { about: 'Name of the schedule or trigger', required: true } } as const

export const scheduleLsCommand = defineCommand({
  name: 'schedule ls',
  about: 'List schedules and triggers: when each is due next, and what became of the last time',
  details: 'ao start starts what is due.',
  args: { name: { about: 'Only this one, with its last runs' } },
  options: { project: PROJECT, json: JSON_OPTION },
  json: '{ schedules: [{ project, name, kind, when, timezone, paused, next, invalid, waiting, last: Run | null, runs: [{ due, state, session, why, missed, of }] }], problems: [{ projectId, message }] }',
  async run({ args, options }, io) {
    const { config, paths } = await openAo(io)
    const projects =
      options.project === undefined ? Object.values(config.projects) : [chooseProject(config, options.project, io)]
    const { schedules: all, problems } = listSchedules(projects, paths, io.clock.now())
    for (const { projectId, message } of problems) io.note(`Schedules of ${projectId} are not listed: ${message}`)
    const code = problems.length === 0 ? 0 : 1
    const byName = Object.fromEntries(all.map((row) => [row.name, row]))
    const request = { kind: 'schedule', code: 'SCHEDULE_NOT_FOUND', details: { schedule: args.name } } as const
    if (args.name !== undefined) requireNamed(byName, { ...request, name: args.name })
    const rows = args.name === undefined ? all : all.filter(({ name }) => name === args.name)
    if (options.json) {
      io.json({ schedules: rows, problems })
      return code
    }
    if (rows.length === 0 && problems.length === 0)
      io.print('There is no schedule and no trigger. Add one under projects.<id>: see docs/work.md')
    io.printLines(renderTable(columns(io.clock.now()), rows, { width: io.width(), bare: true }))
    if (args.name === undefined) return code
    for (const { runs } of rows) io.printLines(runs.map((run) => toOneLine(`  ${describeRun(run, io.clock.now())}`)))
    return code
  },
})

function columns(now: Date): Array<Column<ScheduleRow>> {
  return [
    { title: 'NAME', text: ({ project, name }) => `${project}/${name}` },
    { title: 'WHEN', text: ({ when, timezone }) => (timezone === null ? when : `${when} ${timezone}`) },
    { title: 'NEXT', text: (row) => dueOf(row, now) },
    { title: 'LAST', text: ({ last }) => (last ? describeRun(last, now) : ''), min: 12 },
  ]
}

function dueOf({ kind, paused, next, invalid, waiting }: ScheduleRow, now: Date): string {
  if (invalid !== null || paused) return invalid ?? 'paused'
  if (next !== null) return `due in ${formatAge(now, new Date(next))}`
  if (kind === 'schedule') return 'never again'
  return waiting === 0 ? 'nothing waits' : `${waiting} waiting`
}

function describeRun({ due, state, session, why, missed }: ScheduleRow['runs'][number], now: Date): string {
  const more = [why, missed && `${missed} missed before`].filter(Boolean).join(', ')
  return `${formatAge(new Date(due), now)} ago: ${state}${session ? ` ${session}` : ''}${more && ` (${more})`}`
}

export const scheduleRunCommand = defineCommand({
  name: 'schedule run',
  about: 'Start the work of a schedule now',
  args: NAME,
  options: { project: PROJECT, json: JSON_OPTION },
  json: '{ session: Session }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const project = chooseProject(ao.config, options.project, io)
    const session = await withProgress(io, 'The start was interrupted', (onProgress) =>
      ao.manager.runSchedule(project.id, args.name, onProgress),
    )
    if (options.json) return void io.json({ session: toSessionJson(session) })
    io.print(`${io.style.green('started')} ${io.style.bold(session.id)} for ${args.name}\nSESSION=${session.id}`)
  },
})

const pausing = (paused: boolean) =>
  defineCommand({
    name: paused ? 'schedule pause' : 'schedule resume',
    about: paused
      ? 'Pause a schedule: it starts nothing until it is resumed'
      : 'Resume a paused schedule, from its next time on',
    args: NAME,
    options: { project: PROJECT, json: JSON_OPTION },
    json: '{ name, paused }',
    async run({ args: { name }, options }, io) {
      const { config, manager } = await openAo(io)
      await manager.pauseSchedule(chooseProject(config, options.project, io).id, name, paused)
      if (options.json) return void io.json({ name, paused })
      io.print(paused ? `${name} is paused` : `${name} starts again from its next time on`)
    },
  })

export const schedulePauseCommand = pausing(true)
export const scheduleResumeCommand = pausing(false)
