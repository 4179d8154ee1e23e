// `ao spawn`: one agent on one task.

import { AoError } from '../../../contract/errors.ts'
import { recordOf } from '../../../contract/record.ts'
import type { Session } from '../../../contract/session.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import type { LaunchPlan, PromptDelivery } from '../../../core/session/plan-launch.ts'
import { blockerName } from '../../../core/task/read-blockers.ts'
import { shortCommand } from '../../../core/text/command-line.ts'
import { findCaller } from '../../../inside/find-caller.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import { ACTS, ONE_SESSION } from '../../../mcp/command-tool.ts'
import { FILE_OPTION, readFiles } from '../../arguments/read-files.ts'
import { askYesNo, readText } from '../../arguments/read-text.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { chooseProject, splitIssue } from '../choose-project.ts'
import { type Ao, openAo } from '../open-ao.ts'
import { openSessions } from '../open-sessions.ts'
import { attachHere } from '../session/attach-here.ts'
import { ownWorkspace } from './own-workspace.ts'

export const spawnCommand = defineCommand({
  name: 'spawn',
  inside: ORCHESTRATOR,
  about: 'Start an agent in its own worktree, on an issue or with a prompt',
  details:
    "The issue is an id of the project's tracker, or a few words that describe the work. An unknown id starts nothing unless --prompt says what to do, nor does an issue that a session works on already.\nWithout --project it is the only project, AO_PROJECT_ID, or the one around the current directory.\nThe last line of the output is SESSION=<id>, for scripts.",
  args: { issue: { about: 'Issue id, or <project>/<issue>' } },
  options: {
    project: { short: 'p', value: 'id', about: 'The project', completes: 'project' },
    agent: { value: 'name', about: 'Agent to use instead of the configured one', completes: 'agent' },
    place: { value: 'name', about: 'Run it in this place instead of the configured one' },
    branch: { value: 'name', about: 'Branch name (default: derived from the issue)' },
    base: {
      value: 'name',
      about: 'Branch, session or pr:<number> to start from and hand in for',
    },
    model: { value: 'name', about: 'Model to use instead of the configured one' },
    mode: { value: 'name', about: 'plan: it plans first, and changes nothing before you agree', completes: ['plan'] },
    needs: { value: 'ids', about: 'Sessions, issues or pr:<number> that have to land first, separated by commas' },
    now: { about: 'Start now, whatever it needs' },
    times: { value: 'number', about: 'Start the same task this many times, to choose one of the results' },
    agents: { value: 'names', about: 'Agents that take turns at it, separated by commas' },
    projects: { value: 'ids', about: 'One task over several repositories, in landing order' },
    prompt: { value: 'text', about: 'What to do, in addition to or instead of an issue' },
    'prompt-file': { value: 'file', about: 'The same from a file; - is stdin', completes: 'file' },
    file: FILE_OPTION,
    again: { about: 'A second session for an issue, on its own branch' },
    'dry-run': { about: 'Only say what would be started, where and how' },
    open: { about: 'Open the session in a terminal once it is running' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao spawn 42', about: 'Work on issue 42' },
    { line: 'ao spawn --prompt "Fix the flaky login test"', about: 'Without an issue' },
    { line: 'ao spawn 43 --needs 42', about: 'Wait until 42 has landed, then start' },
    { line: 'ao spawn 44 --base app-3', about: "On top of app-3's branch" },
    { line: 'ao spawn 42 --times 3 --agents claude-code,codex', about: 'Three tries, of which you choose one' },
    { line: 'ao spawn api/42 --projects api,web', about: 'One task in two repositories, which lands as a whole' },
  ],
  json: '{ session: Session }, with --dry-run { plan: LaunchPlan }; of several { task: { id, kind }, sessions: [Session], failed: [{ session, why }] }, with --dry-run { plans: [LaunchPlan] }',
  tool: {
    name: 'spawn_session',
    title: 'Start a session',
    description: 'Start an agent in its own worktree, on an issue of the tracker, with a prompt, or both.',
    hints: ACTS,
    input: {
      issue: {},
      prompt: { stdin: 'prompt-file' },
      project: {},
      agent: {},
      branch: {},
      base: {},
      model: {},
      needs: {},
      again: {},
    },
    needsOneOf: ['issue', 'prompt'],
    output: ONE_SESSION,
  },
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const { projectId, issueId } = args.issue === undefined ? {} : splitIssue(ao.config, args.issue)
    // Of a group, the issue is one of its first project unless it says otherwise.
    const named = options.project ?? projectId ?? options.projects?.split(',')[0]?.trim()
    const project = chooseProject(ao.config, named, io)
    const prompt = await readPrompt(options.prompt, options['prompt-file'], io)
    const task = {
      projectId: project.id,
      issueId,
      prompt,
      branch: options.branch,
      agent: options.agent,
    }
    const second = options.again ? 'start' : 'refuse'
    const { place, base, model, now } = options
    if (options.mode !== undefined && options.mode !== 'plan')
      throw new AoError('USAGE', `${JSON.stringify(options.mode)} is not a mode; there is plan`)
    const mode = options.mode
    const needs = options.needs?.split(',')
    const files = options.file.length === 0 ? [] : readFiles(options.file, io, ownWorkspace(ao, options.file, io))
    // Only words that were typed: a file may be anybody's text.
    const byPerson = options.prompt?.includes('@') === true && findCaller(io) === null
    const how = {
      requireIssue: prompt === undefined,
      files,
      byPerson,
      place,
      base,
      model,
      mode,
      needs,
      now,
      second,
    } as const
    if ((options.times ?? options.agents ?? options.projects) !== undefined) {
      const { spawnSeveral } = await import('../task/spawn-several.ts')
      const { second: _, files, byPerson: _by, place: where, ...shared } = how
      const request = { project: project.id, issueId, prompt, where, ...shared }
      const { sessions, code } = await spawnSeveral(ao, { ...request, files }, options, io, (plan) =>
        printPlan(plan, io),
      )
      if (options.open) await openSessions(ao, sessions, io)
      return code
    }
    if (options['dry-run']) {
      const plan = await ao.manager.planSpawn(task, how)
      if (options.json) io.json({ plan })
      else printPlan(plan, io)
      return
    }
    const onNotice = (line: string) => io.note(`${io.noteStyle.yellow('warning:')} ${toOneLine(line)}`)
    const session = await withProgress(io, 'The start was interrupted', (onProgress) =>
      ao.manager.spawn(task, { ...how, onProgress, onNotice }),
    ).catch((error: unknown) => (options.json ? Promise.reject(error) : offerToAttach(ao, error, io)))
    if (session === null) return
    if (options.json) io.json({ session: toSessionJson(session) })
    else printSpawned(session, io, issueId !== undefined || prompt !== undefined || files.length > 0)
    if (options.open) await openSessions(ao, [session], io)
  },
})

/** Only with a person at the terminal; null: they have been there, and left. */
async function offerToAttach(ao: Ao, error: unknown, io: Io): Promise<null> {
  const isTaken = error instanceof AoError && error.code === 'ISSUE_TAKEN' && error.details.waits === null
  if (!isTaken || !io.stdin.isTTY || !io.isTerminal || !io.noteIsTerminal) throw error
  io.note(toOneLine(error.message))
  const id = String(error.details.session)
  if (!(await askYesNo(`Attach to ${id}?`, io))) throw error
  await attachHere(ao, await requireSession(ao.context, id), io)
  return null
}

const DELIVERIES: Record<PromptDelivery, string> = {
  none: 'none, the agent starts without a task',
  command: 'on the command line',
  message: 'as a message once the agent runs',
  unless_resumed: 'only if the agent cannot resume its conversation',
}

function printPlan(plan: LaunchPlan, io: Io): void {
  const rows: Array<[string, string]> = [
    ['session', `${plan.session} in project ${plan.project}`],
    ['branch', `${plan.workspace.branch ?? 'none'}, for ${plan.workspace.base}`],
    ['workspace', `${plan.workspace.path} (${plan.workspace.kind})`],
    ['agent', `${plan.agent}${plan.model ? `, model ${plan.model}` : ''}, permissions ${plan.permissions}`],
    ...(plan.mode ? [['mode', describeMode(plan.mode)] as [string, string]] : []),
    ['runtime', plan.place ? `${plan.runtime} (a place)` : plan.runtime],
    ['command', plan.command ? shortCommand(plan.command).join(' ') : 'not known yet'],
    ['environment', plan.environment.join(' ')],
    ['steps', plan.steps.join(', ')],
    ['prompt', DELIVERIES[plan.promptDelivery]],
  ]
  for (const [name, text] of rows) io.print(`${io.style.dim(name.padEnd(12))}${toOneLine(text)}`)
  if (plan.prompt !== null) io.print(`\n${toSafeLines(plan.prompt)}`)
  if (plan.waits) io.print(`\nIt would not start yet: ${toOneLine(plan.waits)}`)
  io.print('\nNothing was started.')
}

function describeMode({ name, isCertain }: NonNullable<LaunchPlan['mode']>): string {
  if (isCertain) return name
  return `${name}, if the agent offers it: that is known once it was started, and otherwise it is ended before it gets its task`
}

function printSpawned(session: Session, io: Io, hasTask: boolean): void {
  const { id, branch } = session
  const issue = session.issueId ? ` for ${session.issueId}` : ''
  const { blockers = [], waitsSince } = recordOf(session)
  if (waitsSince) {
    const names = blockers.map((blocker) => blockerName(blocker, session.projectId)).join(', ')
    io.print(`${io.style.yellow('waiting')} ${io.style.bold(id)}${issue}: it starts by itself once ${names} landed`)
    io.print(`  why: ao why ${id}   start it now: ao session restore ${id}`)
    io.print(`SESSION=${id}`)
    return
  }
  io.print(`${io.style.green('started')} ${io.style.bold(id)}${issue}: ${recordOf(session).agent} on branch ${branch}`)
  if (recordOf(session).startMode) io.print(`  in its ${recordOf(session).startMode} mode`)
  if (!hasTask) io.print('  without a task: it waits for its first message')
  io.print(`  watch it: ao session attach ${id}   talk to it: ao send ${id} "..."`)
  io.print(`SESSION=${id}`)
}

async function readPrompt(text: string | undefined, file: string | undefined, io: Io): Promise<string | undefined> {
  if (text !== undefined && file !== undefined) {
    throw new AoError('USAGE', '--prompt and --prompt-file exclude each other', { hint: 'Give one of them' })
  }
  return file === undefined ? text : readText(file, io)
}
