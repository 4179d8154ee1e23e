// Sessions that something starts: a label, a command in a comment, a signed request. Each event at most once, whatever is killed in
// between; what it brings along is quoted to the agent.
import type { ProjectConfig } from '../../contract/config.ts'
import { AoError } from '../../contract/errors.ts'
import type { Session } from '../../contract/session.ts'
import { fenceUntrusted } from '../../core/prompt/fence-untrusted.ts'
import type { ScheduleRun, ScheduleState } from '../../core/task/decide-schedule.ts'
import { decideTrigger, type TriggerEvent, textOfCommand } from '../../core/task/decide-trigger.ts'
import { requireNamed } from '../../core/text/nearest-word.ts'
import { failpoint } from '../../lib/failpoint.ts'
import { changeSchedule, readSchedules, withRun } from '../../store/schedules.ts'
import { type ManagerContext, requireProject, trackerOf } from '../context.ts'
import {
  begin,
  directoryOf,
  isSameDay,
  keyOf,
  MOST_PER_DAY,
  note,
  runningOf,
  startedFor,
  startRun,
  triggerKey,
} from './scheduled.ts'

export type Trigger = NonNullable<ProjectConfig['triggers']>[string]

export function requireTrigger(project: ProjectConfig, name: string): Trigger {
  return requireNamed(project.triggers ?? {}, {
    kind: 'trigger',
    name,
    code: 'SCHEDULE_NOT_FOUND',
    details: { trigger: name },
  })
}

/** For people; throws when it can never start anything. */
export function describeTrigger({ label, comment, by, secret, prompt }: Trigger): string {
  if (secret !== undefined) {
    if (prompt === undefined) throw new AoError('CONFIG_INVALID', 'A trigger with `secret` needs a `prompt`')
    return 'a signed request'
  }
  const where = label === undefined ? '' : ` on issues with ${label}`
  if (comment !== undefined) return `${comment} by ${by?.join(', ') || 'nobody'}${where}`
  if (label === undefined) throw new AoError('CONFIG_INVALID', 'A trigger needs `label`, `comment` or `secret`')
  return `the label ${label}`
}

/** The session, a reason why nothing was started although something waits, or null: nothing happened. */
export async function startTriggered(
  context: ManagerContext,
  projectId: string,
  name: string,
): Promise<{ session: Session } | { skipped: string } | null> {
  const project = requireProject(context, projectId)
  const trigger = requireTrigger(project, name)
  describeTrigger(trigger)
  const dir = directoryOf(context, project)
  const key = triggerKey(name)
  const now = context.clock.now()
  const stored = readSchedules(dir)
  const state = Object.hasOwn(stored, key) ? stored[key]! : await changeSchedule(dir, key, (one) => one ?? begin(now))
  const decision = decideTrigger({
    state,
    events: await findEvents(context, project, { trigger, state, now }),
    wasStarted: (of) => startedFor(context, project, keyOf(key, { of })) !== null,
    running: runningOf(context, project, key),
    today: state.runs.filter((run) => run.state === 'started' && isSameDay(run.due, now)).length,
    maxPerDay: trigger.maxPerDay ?? MOST_PER_DAY,
  })
  if (decision.act === 'none' || decision.act === 'wait') return null
  // Its day is that on which it starts.
  const run = decision.act === 'start' ? { ...decision.run, due: now.toISOString() } : decision.run
  if (decision.act === 'resume') {
    const session = startedFor(context, project, keyOf(key, run))
    if (session !== null) {
      await note(dir, key, { ...run, state: 'started', session })
      return null
    }
  } else {
    await note(dir, key, run, decision.run)
    failpoint('trigger.announced')
  }
  const prompt = [trigger.prompt, ...(run.text === undefined ? [] : [quoted(run)])].filter(Boolean).join('\n\n')
  const work = { ...trigger, prompt: prompt === '' ? undefined : prompt, issue: run.issue }
  return startRun(context, project, { name: key, work, second: 'refuse', run, dir })
}

function quoted({ of = '', text = '' }: ScheduleRun): string {
  return fenceUntrusted(
    text,
    of.startsWith('request ') ? 'the request that started this' : 'the comment that started this',
  )
}

interface Asked {
  trigger: Trigger
  state: ScheduleState
  now: Date
}

const LONGEST_TEXT = 4_000
/** A command that nobody was there for is not carried out days later. */
const HOUR_MS = 3_600_000
const FORGOTTEN_MS = 24 * HOUR_MS
const MOST_ISSUES = 100

async function findEvents(context: ManagerContext, project: ProjectConfig, request: Asked): Promise<TriggerEvent[]> {
  const { trigger, state, now } = request
  const { label, comment, by, secret } = trigger
  if (secret !== undefined || state.paused) return []
  const tracker = await trackerOf(context, project)
  const labelled = async () =>
    (await tracker?.listIssues?.({ state: 'open', labels: [label!], limit: MOST_ISSUES }, project)) ?? []
  if (comment === undefined) {
    // When it got its label is unknown: from when it is seen, each issue counts once.
    const inOrder = (await labelled()).sort((one, other) => (one.createdAt ?? '').localeCompare(other.createdAt ?? ''))
    return inOrder.map(({ id }) => ({ of: `issue ${id}`, at: now.toISOString(), issue: id }))
  }
  if (!tracker?.recentComments)
    throw new AoError('TRACKER_FAILED', 'The tracker cannot be asked for comments', {
      hint: 'Use a trigger with a label, or a signed request',
    })
  // By the hour: most trackers answer the same question for nothing while nothing has changed.
  const forgotten = Math.floor((now.getTime() - FORGOTTEN_MS) / HOUR_MS) * HOUR_MS
  const since = [state.since, new Date(forgotten).toISOString()].sort().at(-1)!
  const commands = (await tracker.recentComments(since, project)).flatMap((one) => {
    const text = textOfCommand(one, { comment, by })
    return text === null ? [] : [{ ...one, text: text.slice(0, LONGEST_TEXT) || undefined }]
  })
  const allowed = label === undefined || commands.length === 0 ? null : new Set((await labelled()).map(({ id }) => id))
  return commands
    .filter(({ issueId }) => allowed?.has(issueId) ?? true)
    .map(({ id, issueId, createdAt, text }) => ({ of: `comment ${id}`, at: createdAt, issue: issueId, text }))
}

const MOST_WAITING = 20

/** A signed request: written down, and started by the loop. `of`: the same for the same delivery. */
export async function noteRequest(
  context: ManagerContext,
  projectId: string,
  name: string,
  { of, text }: { of: string; text: string },
): Promise<'noted' | 'repeated' | 'paused' | 'full'> {
  const project = requireProject(context, projectId)
  requireTrigger(project, name)
  const now = context.clock.now()
  let answer: 'noted' | 'repeated' | 'paused' | 'full' = 'noted'
  await changeSchedule(directoryOf(context, project), triggerKey(name), (before) => {
    const state = before ?? begin(now)
    const waiting = state.runs.filter((run) => run.state === 'waiting').length
    if (state.runs.some((run) => run.of === of)) answer = 'repeated'
    else if (state.paused) answer = 'paused'
    else if (waiting >= MOST_WAITING) answer = 'full'
    if (answer !== 'noted') return state
    const run: ScheduleRun = {
      due: now.toISOString(),
      state: 'waiting',
      of,
      text: text.slice(0, LONGEST_TEXT) || undefined,
    }
    return withRun(state, run)
  })
  return answer
}
