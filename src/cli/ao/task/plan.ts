// `ao plan`: an agent proposes how to split work, a person reads it, changes it and accepts it.
import { AoError } from '../../../contract/errors.ts'
import { IN_A_SESSION } from '../../../core/boundary/rights.ts'
import { proposalRequest } from '../../../core/task/read-proposal.ts'
import type { SplitTask } from '../../../core/task/shared-task.ts'
import { plural } from '../../../core/text/format-age.ts'
import { ACTS } from '../../../mcp/command-tool.ts'
import { planDigest } from '../../../store/tasks.ts'
import { askYesNo, readText } from '../../arguments/read-text.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine, toSafeLines } from '../../print/plain-text.ts'
import { withProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { chooseProject, splitIssue } from '../choose-project.ts'
import { openAo } from '../open-ao.ts'

const PROJECT = { short: 'p', value: 'id', about: 'The project', completes: 'project' } as const
const ID = { plan: { about: 'Id of the plan', required: true } } as const
const PLAN_JSON =
  '{ plan: { id, project, issueId, by, state, digest, children: [{ key, title, body, project, needs, issue?, session? }] } }'

export const planCommand = defineCommand({
  name: 'plan',
  about: 'Let an agent propose how to split an issue into parts',
  details: 'A session reads the repository and hands in a proposal. Nothing else happens until you accept it.',
  args: { issue: { about: 'Issue id, or <project>/<issue>', required: true } },
  options: {
    project: PROJECT,
    agent: { value: 'name', about: 'Agent to use instead of the configured one', completes: 'agent' },
    json: JSON_OPTION,
  },
  json: '{ session: Session }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const { projectId, issueId } = splitIssue(ao.config, args.issue)
    const project = chooseProject(ao.config, options.project ?? projectId, io)
    const request = { projectId: project.id, issueId, prompt: proposalRequest(issueId), agent: options.agent }
    const session = await withProgress(io, 'The start was interrupted', (onProgress) =>
      ao.manager.spawn(request, { onProgress, requireIssue: true, second: 'start' }),
    )
    if (options.json) return void io.json({ session: toSessionJson(session) })
    io.print(
      `${io.style.green('started')} ${io.style.bold(session.id)}: it proposes how to split ${toOneLine(issueId)}`,
    )
    io.print('  what it proposes: ao plan ls')
    io.print(`SESSION=${session.id}`)
  },
})

export const planProposeCommand = defineCommand({
  name: 'plan propose',
  inside: IN_A_SESSION,
  about: 'Hand in a proposal of how to split work: data that a person accepts or not',
  details:
    'JSON: {"children":[{"key":"ui","title":"...","body":"...","project":"app","needs":["api"]}]}; needs are keys of parts that have to land first.',
  args: { issue: { about: 'The issue that is split' } },
  options: {
    file: { short: 'f', value: 'file', about: 'The proposal; - is stdin', completes: 'file' },
    project: PROJECT,
    json: JSON_OPTION,
  },
  json: PLAN_JSON,
  tool: {
    name: 'propose_plan',
    title: 'Propose how to split work',
    description:
      'Hand in a proposal of parts with the edges between them. It is only data: a person changes and accepts it, or not.',
    hints: ACTS,
    input: { issue: {}, proposal: { stdin: 'file', about: 'The proposal as JSON', required: true }, project: {} },
    output: { plan: 'object' },
  },
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const { projectId, issueId = null } = args.issue === undefined ? {} : splitIssue(ao.config, args.issue)
    const project = chooseProject(ao.config, options.project ?? projectId, io)
    const text = await readText(options.file ?? '-', io)
    const plan = await ao.manager.propose({ project: project.id, issueId, text, by: io.env.AO_SESSION })
    print(plan, options, io)
  },
})

export const planLsCommand = defineCommand({
  name: 'plan ls',
  about: 'List proposals and plans',
  args: {},
  options: { project: PROJECT, json: JSON_OPTION },
  json: '{ plans: [{ id, project, issueId, by, state, digest, children }] }',
  async run({ options }, io) {
    const { manager } = await openAo(io)
    const plans = await manager.proposals(options.project)
    if (options.json) return void io.json({ plans: plans.map((one) => ({ ...one, digest: planDigest(one) })) })
    if (plans.length === 0) io.print('There is no plan. Ask for one with: ao plan <issue>')
    for (const { id, state, issueId, by, children } of plans)
      io.print(
        toOneLine(
          `${id}  ${state}  ${plural(children.length, 'part')}${issueId === null ? '' : ` of ${issueId}`}, proposed by ${by}`,
        ),
      )
  },
})

export const planShowCommand = defineCommand({
  name: 'plan show',
  about: 'Show a plan: its parts, and what each of them needs',
  args: ID,
  options: { json: JSON_OPTION },
  json: PLAN_JSON,
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    print(await manager.proposal(args.plan), options, io)
  },
})

export const planEditCommand = defineCommand({
  name: 'plan edit',
  about: 'Replace the parts of a proposal that has not been accepted yet',
  details: 'The file is what ao plan show --json prints under plan, or only its children.',
  args: ID,
  options: {
    file: { short: 'f', value: 'file', about: 'The new parts; - is stdin', completes: 'file' },
    json: JSON_OPTION,
  },
  json: PLAN_JSON,
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    print(await manager.editProposal(args.plan, await readText(options.file ?? '-', io)), options, io)
  },
})

export const planAcceptCommand = defineCommand({
  name: 'plan accept',
  about: 'Accept a plan: make its issues, and start or queue a session for each',
  details:
    'Only a person can accept it, and only what they have read: on a terminal it is shown first, elsewhere --read names the text that ao plan show printed. Repeating it makes nothing twice.',
  args: ID,
  options: { read: { value: 'digest', about: 'The text that was read, as ao plan show names it' }, json: JSON_OPTION },
  json: PLAN_JSON,
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    const read = options.read ?? (await readFirst(await manager.proposal(args.plan), io))
    const plan = await withProgress(io, 'The plan was interrupted', () => manager.acceptProposal(args.plan, read))
    print(plan, options, io)
  },
})

export const planDiscardCommand = defineCommand({
  name: 'plan discard',
  about: 'Discard a proposal',
  args: ID,
  options: { json: JSON_OPTION },
  json: PLAN_JSON,
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    print(await manager.discardProposal(args.plan), options, io)
  },
})

/** What the person says yes to, as a digest. One that was accepted before is only carried on with. */
async function readFirst(plan: SplitTask, io: Io): Promise<string> {
  const digest = planDigest(plan)
  if (plan.state !== 'proposed') return digest
  if (!(io.stdin.isTTY && io.noteIsTerminal))
    throw new AoError('USAGE', 'Nothing was accepted: it takes the digest of what you read', {
      hint: `Read it with: ao plan show ${plan.id}; it prints the command that accepts exactly that`,
    })
  printParts(plan, io)
  if (!(await askYesNo(`Accept this and start ${plural(plan.children.length, 'session')}?`, io)))
    throw new AoError('USAGE', 'Nothing was accepted')
  return digest
}

function print({ owner: _, ...plan }: SplitTask, { json }: { json: boolean }, io: Io): void {
  const digest = planDigest(plan)
  if (json) return void io.json({ plan: { ...plan, digest } })
  printParts(plan, io)
  if (plan.state === 'proposed')
    io.print(
      `\nA person accepts exactly this with: ao plan accept ${plan.id} --read ${digest}, or on /plans/${plan.id}`,
    )
}

function printParts(plan: Omit<SplitTask, 'owner'>, io: Io): void {
  const of = plan.issueId === null ? '' : ` of ${plan.issueId}`
  io.print(toOneLine(`${plan.id}${of}: ${plan.state}, proposed by ${plan.by}`))
  for (const { key, title, body, project, needs, issue, session } of plan.children) {
    const after = needs.length === 0 ? '' : io.style.dim(`  after ${needs.join(', ')}`)
    const made = issue === undefined ? '' : `  #${issue}${session === undefined ? '' : `, ${session}`}`
    io.print(`\n${io.style.bold(key)}  ${toOneLine(title)}${after}${made}  ${io.style.dim(project)}`)
    if (body.trim() !== '') io.print(toSafeLines(body.trimEnd()).replace(/^/gm, '  '))
  }
}
