// `ao spawn --times`, `--agents` and `--projects`: one task, several sessions.

import { isWaiting } from '../../../contract/blocker.ts'
import { AoError } from '../../../contract/errors.ts'
import { recordOf } from '../../../contract/record.ts'
import type { Session } from '../../../contract/session.ts'
import type { LaunchPlan } from '../../../core/session/plan-launch.ts'
import type { TaskMember, TaskRequest } from '../../../core/task/shared-task.ts'
import { MOST_MEMBERS, type WantedTask } from '../../../manager/task/spawn-task.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { requireProject } from '../choose-project.ts'
import type { Ao } from '../open-ao.ts'

interface SeveralOptions {
  times?: string | undefined
  agents?: string | undefined
  projects?: string | undefined
  agent?: string | undefined
  branch?: string | undefined
  again: boolean
  'dry-run': boolean
  json: boolean
}

export async function spawnSeveral(
  ao: Ao,
  request: TaskRequest & Pick<WantedTask, 'files'> & { project: string },
  options: SeveralOptions,
  io: Io,
  printPlan: (plan: LaunchPlan) => void,
): Promise<{ sessions: Session[]; code: number }> {
  const wanted = wantedTask(ao, request, options)
  if (options['dry-run']) {
    const plans = await ao.manager.planTask(wanted)
    if (options.json) io.json({ plans })
    else for (const plan of plans) printPlan(plan)
    return { sessions: [], code: 0 }
  }
  const onNotice = (line: string) => io.note(`${io.noteStyle.yellow('warning:')} ${toOneLine(line)}`)
  const { task, sessions, failed } = await withProgress(io, 'The start was interrupted', (onProgress) =>
    ao.manager.spawnTask(wanted, { onProgress, onNotice }),
  )
  if (options.json) io.json({ task: { id: task, kind: wanted.kind }, sessions: sessions.map(toSessionJson), failed })
  else printStarted(task, sessions, failed, io)
  return { sessions, code: failed.length > 0 ? 1 : 0 }
}

function wantedTask(
  ao: Ao,
  { project, files, ...request }: TaskRequest & Pick<WantedTask, 'files'> & { project: string },
  options: SeveralOptions,
): WantedTask {
  if (options.branch !== undefined)
    throw new AoError('USAGE', 'Several sessions cannot share one branch', { hint: 'Leave --branch out' })
  const { again } = options
  if (options.projects === undefined)
    return { kind: 'best', project, request, members: triesOf(project, options), again, files }
  if (options.times !== undefined || options.agents !== undefined)
    throw new AoError('USAGE', '--projects goes with neither --times nor --agents')
  const projects = namesIn(options.projects).map((id) => requireProject(ao.config, id).id)
  return {
    kind: 'group',
    project,
    request,
    members: projects.map((id) => ({ project: id, agent: options.agent })),
    again,
    files,
  }
}

/** The agents take turns, in the order in which they are named. */
function triesOf(project: string, { times, agents, agent }: SeveralOptions): TaskMember[] {
  const names = agents === undefined ? [agent] : namesIn(agents)
  const count = times === undefined ? names.length : Number(times)
  if (!Number.isInteger(count) || count < 2 || count > MOST_MEMBERS)
    throw new AoError('USAGE', `--times takes a number from 2 to ${MOST_MEMBERS}, not ${times ?? count}`, {
      hint: 'For example: ao spawn 42 --times 3',
    })
  if (names.length > count) throw new AoError('USAGE', `${names.length} agents cannot share ${count} sessions`)
  return Array.from({ length: count }, (_, at) => ({ project, agent: names[at % names.length] }))
}

function namesIn(text: string): string[] {
  const list = text.split(',').map((word) => word.trim())
  if (list.every((word) => word !== '')) return list
  throw new AoError('USAGE', `${JSON.stringify(text)} is not a list of names, separated by commas`)
}

function printStarted(
  task: string,
  sessions: Session[],
  failed: Array<{ session: string; why: string }>,
  io: Io,
): void {
  for (const session of sessions) {
    const { agent, task: mark } = recordOf(session)
    const name = `${io.style.bold(session.id)}: ${agent} on branch ${session.branch}`
    const why = failed.find((one) => one.session === session.id)?.why
    if (why !== undefined) io.print(`${io.style.yellow('not started')} ${name}: ${toOneLine(why)}`)
    else if (isWaiting(recordOf(session))) io.print(`${io.style.yellow('waiting')} ${name}`)
    else io.print(`${io.style.green('started')} ${name}`)
    if (mark?.kind === 'group' && mark.index === mark.of)
      io.print('  They land together, in this order, once each of them is approved and green.')
  }
  if (failed.length > 0) io.print('  ao start starts what waits; at once: ao session restore <session>')
  io.print(`  compare them: ao compare ${task}`)
  io.print(`TASK=${task}`)
}
