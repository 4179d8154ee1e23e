// Sessions that a schedule starts: when it is due, and each due time at most once, whatever is killed in between.
import { Cron } from 'croner'
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { recordOf, type SessionRecord } from '../../contract/record.ts'
import type { Session, WithUndefined } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import {
  decideSchedule,
  handledUntil,
  type ScheduleDecision,
  type ScheduleRun,
  type ScheduleState,
} from '../../core/task/decide-schedule.ts'
import { requireNamed } from '../../core/text/nearest-word.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { changeSchedule, readSchedules, unlessStarting, whileStarting, withRun } from '../../store/schedules.ts'
import { storedSessions } from '../active.ts'
import { type ManagerContext, requireProject, requireScheduleConsent } from '../context.ts'
import type { OnProgress } from '../types.ts'
import { spawn } from './spawn.ts'

export type Schedule = NonNullable<ProjectConfig['schedules']>[string]

/** Older due times are neither caught up with nor counted. */
const FORGOTTEN_MS = 24 * 3_600_000

/** In the file of all, beside schedules of the same name. */
export function triggerKey(name: string): string {
  return `trigger ${name}`
}

export function requireSchedule(project: ProjectConfig, name: string): Schedule {
  return requireNamed(project.schedules ?? {}, {
    kind: 'schedule',
    name,
    code: 'SCHEDULE_NOT_FOUND',
    details: { schedule: name },
  })
}

/** Throws when its pattern or its time zone is not valid. */
export function nextDue(schedule: Schedule, after: Date): Date | null {
  return cronOf(schedule).nextRun(after)
}

function cronOf({ when, timezone }: Schedule): Cron {
  try {
    const cron = new Cron(when, { paused: true, ...(timezone !== undefined && { timezone }) })
    // A wrong zone shows only here.
    cron.nextRun()
    return cron
  } catch (error) {
    const where = timezone === undefined ? '' : ` in ${timezone}`
    throw new AoError('CONFIG_INVALID', `${JSON.stringify(when)}${where} is not a time: ${errorText(error)}`, {
      hint: "Five fields of cron, such as '0 3 * * 1-5', and a time zone such as Europe/Berlin",
    })
  }
}

/** The session, a reason why none was started, or null: it is not due. */
export async function startDue(
  context: ManagerContext,
  projectId: string,
  name: string,
): Promise<{ session: Session } | { skipped: string } | null> {
  const project = requireProject(context, projectId)
  const schedule = requireSchedule(project, name)
  const dir = directoryOf(context, project)
  if (!Object.hasOwn(readSchedules(dir), name))
    await changeSchedule(dir, name, (one) => one ?? begin(context.clock.now()))
  if (decideNow(context, project, name).act === 'none') return null
  const started = await unlessStarting(dir, name, () => carryOut(context, project, { name, work: schedule, dir }))
  return started?.result ?? null
}

function decideNow(context: ManagerContext, project: ProjectConfig, name: string): ScheduleDecision {
  const schedule = requireSchedule(project, name)
  const now = context.clock.now()
  const state = readSchedules(directoryOf(context, project))[name] ?? begin(now)
  return decideSchedule({
    state,
    due: dueBetween(schedule, handledUntil(state), now),
    running: runningOf(context, project, name),
    today: state.runs.filter((run) => run.state === 'started' && isSameDay(run.due, now)).length,
    maxPerDay: schedule.maxPerDay ?? MOST_PER_DAY,
    now,
  })
}

/** Decided anew: whoever was starting it until now has written down what became of it. */
async function carryOut(context: ManagerContext, project: ProjectConfig, starting: Omit<Starting, 'run'>) {
  const { name, dir } = starting
  const decision = decideNow(context, project, name)
  if (decision.act === 'none') return null
  const { run } = decision
  if (decision.act === 'resume') {
    const session = startedFor(context, project, keyOf(name, run))
    if (session !== null) {
      await note(dir, name, { ...run, state: 'started', session })
      return null
    }
  } else {
    await note(dir, name, run)
    failpoint('schedule.announced')
  }
  if (decision.act === 'skip') return { skipped: run.why ?? '' }
  return startRun(context, project, { ...starting, run })
}

/** At a person's word, whether it is due or not, paused or not. */
export async function runSchedule(
  context: ManagerContext,
  projectId: string,
  name: string,
  onProgress?: OnProgress,
): Promise<Session> {
  const project = requireProject(context, projectId)
  const schedule = requireSchedule(project, name)
  const dir = directoryOf(context, project)
  const started = await whileStarting(dir, name, async () => {
    const run: ScheduleRun = { due: context.clock.now().toISOString(), state: 'starting' }
    await note(dir, name, run)
    failpoint('schedule.announced')
    return startRun(context, project, { name, work: schedule, run, dir, onProgress })
  })
  if ('session' in started) return started.session
  throw new AoError('STATE_REFUSED', `${name} could not be started: ${started.skipped}`)
}

interface Starting {
  name: string
  work: WithUndefined<Partial<Pick<Schedule, 'issue' | 'prompt' | 'agent' | 'model' | 'base'>>>
  /** On an issue that somebody works on already. */
  second?: 'refuse' | 'start'
  run: ScheduleRun
  dir: string
  onProgress?: OnProgress | undefined
}

export async function startRun(
  context: ManagerContext,
  project: ProjectConfig,
  { name, work, second = 'start', run, dir, onProgress }: Starting,
): Promise<{ session: Session } | { skipped: string }> {
  const { issue, prompt, agent, model, base } = work
  try {
    const session = await spawn(
      context,
      { projectId: project.id, issueId: issue === undefined ? undefined : String(issue), prompt, agent },
      {
        model,
        base,
        schedule: keyOf(name, run),
        requireIssue: issue !== undefined,
        second,
        ...(onProgress && { onProgress }),
      },
    )
    failpoint('schedule.started')
    await note(dir, name, { ...run, state: 'started', session: session.id })
    return { session }
  } catch (error) {
    const why = errorText(error)
    await note(dir, name, { ...run, state: 'failed', why })
    return { skipped: why }
  }
}

/** Made where it is missing, and never another configuration's; not before the user has agreed to the schedules. */
export function directoryOf(context: ManagerContext, project: ProjectConfig): string {
  requireScheduleConsent(context, project)
  context.store(project.id).ensure()
  return context.paths.project(project.id).dir
}

export async function pauseSchedule(context: ManagerContext, projectId: string, name: string, paused: boolean) {
  const project = requireProject(context, projectId)
  const isTrigger = Object.hasOwn(project.triggers ?? {}, name)
  if (!isTrigger) requireSchedule(project, name)
  // What was due meanwhile is not caught up with.
  const since = context.clock.now().toISOString()
  const key = isTrigger ? triggerKey(name) : name
  await changeSchedule(directoryOf(context, project), key, (state) => ({ runs: [], ...state, since, paused }))
}

export const MOST_PER_DAY = 24

export function begin(now: Date): ScheduleState {
  return { since: now.toISOString(), runs: [] }
}

/** `instead`: what it was before, under another time. */
export function note(dir: string, name: string, run: ScheduleRun, instead?: ScheduleRun): Promise<ScheduleState> {
  return changeSchedule(dir, name, (state) => {
    const { runs, ...rest } = state ?? begin(new Date(run.due))
    return withRun({ ...rest, runs: runs.filter(({ due, of }) => due !== instead?.due || of !== instead?.of) }, run)
  })
}

function dueBetween(schedule: Schedule, after: Date, now: Date): Date[] {
  const cron = cronOf(schedule)
  const from = new Date(Math.max(after.getTime(), now.getTime() - FORGOTTEN_MS))
  const due: Date[] = []
  for (let at = cron.nextRun(from); at !== null && at <= now; at = cron.nextRun(at)) due.push(at)
  return due
}

export function keyOf(name: string, { due, of }: Partial<ScheduleRun>): string {
  return `${name}@${of ?? due}`
}

/** By an earlier life of the loop. It may have ended since. */
export function startedFor(context: ManagerContext, project: ProjectConfig, key: string): string | null {
  const store = context.store(project.id)
  const isIt = ({ record: { schedule } }: { record: SessionRecord }) => schedule === key
  return (store.readAll().find(isIt) ?? store.readAllArchived().find(isIt))?.id ?? null
}

/** In the zone of the schedule's clock it may be another day; a limit of a day is not that exact. */
export function isSameDay(due: string, now: Date): boolean {
  return due.slice(0, 10) === now.toISOString().slice(0, 10)
}

/** Ids of its sessions that have not ended. */
export function runningOf(context: ManagerContext, project: ProjectConfig, name: string): string[] {
  return storedSessions(context, project.id)
    .filter((one) => recordOf(one).schedule?.startsWith(`${name}@`))
    .filter(({ status }) => !isTerminalSession({ status, activity: null }))
    .map(({ id }) => id)
}
