// `ao spawn`: one agent on one task.

import { AoError } from '../../../contract/errors.ts'
import { recordOf } from '../../../contract/record.ts'
import type { Session } from '../../../contract/session.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { type LaunchPlan, type PromptDelivery, shortCommand } from '../../../core/session/plan-launch.ts'
import { ACTS, ONE_SESSION } from '../../../mcp/command-tool.ts'
import { readText } from '../../arguments/read-text.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { chooseProject, splitIssue } from '../choose-project.ts'
import { openAo } from '../open-ao.ts'
import { openSessions } from '../open-sessions.ts'
import { withProgress } from '../start/with-progress.ts'

export const spawnCommand = defineCommand({
  name: 'spawn',
  inside: ORCHESTRATOR,
  about: 'Start an agent in a worktree of its own, on an issue or with a prompt',
  details:
    "The issue is an id of the project's tracker, or a few words that describe the work.\nAn id that the tracker does not have, or that no tracker could know, starts nothing unless --prompt says what to do.\nWithout --project it is the only project, AO_PROJECT_ID, or the one around the current directory.\nThe last line of the output is SESSION=<id>, for scripts.",
  args: { issue: { about: 'Issue id, or <project>/<issue>' } },
  options: {
    project: { short: 'p', value: 'id', about: 'The project', completes: 'project' },
    agent: { value: 'name', about: 'Agent to use instead of the configured one', completes: 'agent' },
    place: { value: 'name', about: 'Run it in this place instead of the configured one' },
    branch: { value: 'name', about: 'Branch name (default: derived from the issue)' },
    prompt: { value: 'text', about: 'What to do, in addition to or instead of an issue' },
    'prompt-file': { value: 'file', about: 'The same from a file; - is stdin', completes: 'file' },
    'dry-run': { about: 'Only say what would be started, where and how' },
    open: { about: 'Open the session in a terminal once it is running' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao spawn 42', about: 'Work on issue 42' },
    { line: 'ao spawn api/INT-7 --agent codex', about: 'In project api, with codex' },
    { line: 'ao spawn --prompt "Fix the flaky login test"', about: 'Without an issue' },
    { line: 'ao spawn 42 --dry-run', about: 'See branch, workspace, command and prompt first' },
  ],
  json: '{ session: Session }, with --dry-run { plan: LaunchPlan }',
  tool: {
    name: 'spawn_session',
    title: 'Start a session',
    description: 'Start an agent in a worktree of its own, on an issue of the tracker, with a prompt, or both.',
    hints: ACTS,
    input: { issue: {}, prompt: { stdin: 'prompt-file' }, project: {}, agent: {}, branch: {} },
    needsOneOf: ['issue', 'prompt'],
    output: ONE_SESSION,
  },
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const { projectId, issueId } = args.issue === undefined ? {} : splitIssue(ao.config, args.issue)
    const project = chooseProject(ao.config, options.project ?? projectId, io)
    const prompt = await readPrompt(options.prompt, options['prompt-file'], io)
    const task = {
      projectId: project.id,
      issueId,
      prompt,
      branch: options.branch,
      agent: options.agent,
    }
    const requireIssue = prompt === undefined
    if (options['dry-run']) {
      const plan = await ao.manager.planSpawn(task, { requireIssue, place: options.place })
      if (options.json) io.json({ plan })
      else printPlan(plan, io)
      return
    }
    const onNotice = (line: string) => io.note(`${io.noteStyle.yellow('warning:')} ${toOneLine(line)}`)
    const session = await withProgress(io, 'The start was interrupted', (onProgress) =>
      ao.manager.spawn(task, { onProgress, onNotice, requireIssue, place: options.place }),
    )
    if (options.json) io.json({ session: toSessionJson(session) })
    else printSpawned(session, io)
    if (options.open) await openSessions(ao, [session], io)
  },
})

const DELIVERIES: Record<PromptDelivery, string> = {
  none: 'none, the agent starts without a task',
  command: 'on the command line',
  message: 'as a message once the agent runs',
  unless_resumed: 'only if the agent cannot resume its conversation',
}

function printPlan(plan: LaunchPlan, io: Io): void {
  const rows: Array<[string, string]> = [
    ['session', `${plan.session} in project ${plan.project}`],
    ['branch', plan.workspace.branch ?? 'none'],
    ['workspace', `${plan.workspace.path} (${plan.workspace.kind})`],
    ['agent', `${plan.agent}${plan.model ? `, model ${plan.model}` : ''}, permissions ${plan.permissions}`],
    ['runtime', plan.place ? `${plan.runtime} (a place)` : plan.runtime],
    ['command', plan.command ? shortCommand(plan.command).join(' ') : 'not known yet'],
    ['environment', plan.environment.join(' ')],
    ['steps', plan.steps.join(', ')],
    ['prompt', DELIVERIES[plan.promptDelivery]],
  ]
  for (const [name, text] of rows) io.print(`${io.style.dim(name.padEnd(12))}${toOneLine(text)}`)
  if (plan.prompt !== null) io.print(`\n${toSafeLines(plan.prompt)}`)
  io.print('\nNothing was started.')
}

function printSpawned(session: Session, io: Io): void {
  const { id, branch } = session
  const issue = session.issueId ? ` for ${session.issueId}` : ''
  io.print(`${io.style.green('started')} ${io.style.bold(id)}${issue}: ${recordOf(session).agent} on branch ${branch}`)
  io.print(`  watch it: ao session attach ${id}   talk to it: ao send ${id} "..."`)
  io.print(`SESSION=${id}`)
}

async function readPrompt(text: string | undefined, file: string | undefined, io: Io): Promise<string | undefined> {
  if (text !== undefined && file !== undefined) {
    throw new AoError('USAGE', '--prompt and --prompt-file exclude each other', { hint: 'Give one of them' })
  }
  return file === undefined ? text : readText(file, io)
}
