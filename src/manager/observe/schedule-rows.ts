// Schedules and triggers of a project as people see them, on the page and in `ao schedule ls`. Reads only.
import type { ProjectConfig } from '../../contract/config.ts'
import { errorText } from '../../contract/errors.ts'
import type { ScheduleRun, ScheduleState } from '../../core/task/decide-schedule.ts'
import type { AoPaths } from '../../store/paths.ts'
import { readSchedules } from '../../store/schedules.ts'
import { nextDue, triggerKey } from '../launch/scheduled.ts'
import { describeTrigger } from '../launch/triggered.ts'

export interface ScheduleRow {
  project: string
  name: string
  kind: 'schedule' | 'trigger'
  /** A pattern of cron, or what starts it. */
  when: string
  timezone: string | null
  paused: boolean
  /** ISO 8601; null: never again, or unknown. */
  next: string | null
  /** Why it cannot start anything. */
  invalid: string | null
  /** Requests that wait for their turn. */
  waiting: number
  last: PastRun | null
  /** Newest first. */
  runs: PastRun[]
}

type PastRun = Omit<ScheduleRun, 'text'>

/** Enough to see what is wrong with it. */
const MOST_RUNS = 20

export interface ListedSchedules {
  schedules: ScheduleRow[]
  /** Of projects whose file cannot be read: nobody can tell whether theirs are paused, so they are not listed. */
  problems: Array<{ projectId: string; message: string }>
}

export function listSchedules(
  projects: readonly ProjectConfig[],
  paths: Pick<AoPaths, 'project'>,
  now: Date,
): ListedSchedules {
  const listed: ListedSchedules = { schedules: [], problems: [] }
  for (const project of projects) {
    try {
      listed.schedules.push(...scheduleRows(project, readSchedules(paths.project(project.id).dir), now))
    } catch (error) {
      listed.problems.push({ projectId: project.id, message: errorText(error) })
    }
  }
  return listed
}

function scheduleRows(project: ProjectConfig, states: Record<string, ScheduleState>, now: Date): ScheduleRow[] {
  const row = (key: string, name: string) => {
    const state = Object.hasOwn(states, key) ? states[key]! : null
    const past = (state?.runs ?? []).filter((run) => run.state !== 'waiting').slice(-MOST_RUNS)
    const runs = past.reverse().map(({ text: _, ...run }): PastRun => run)
    return {
      project: project.id,
      name,
      timezone: null,
      paused: state?.paused ?? false,
      next: null,
      invalid: null,
      waiting: state?.runs.filter((run) => run.state === 'waiting').length ?? 0,
      last: runs[0] ?? null,
      runs,
    }
  }
  const schedules = Object.entries(project.schedules ?? {}).map(([name, schedule]): ScheduleRow => {
    const { when, timezone = null } = schedule
    const base = { ...row(name, name), kind: 'schedule' as const, when, timezone }
    return { ...base, ...attempt(() => ({ next: nextDue(schedule, now)?.toISOString() ?? null })) }
  })
  const triggers = Object.entries(project.triggers ?? {}).map(([name, trigger]): ScheduleRow => {
    const base = { ...row(triggerKey(name), name), kind: 'trigger' as const, when: '' }
    return { ...base, ...attempt(() => ({ when: describeTrigger(trigger) })) }
  })
  return [...schedules, ...triggers]
}

function attempt<T>(read: () => T): T | { invalid: string } {
  try {
    return read()
  } catch (error) {
    return { invalid: errorText(error) }
  }
}
