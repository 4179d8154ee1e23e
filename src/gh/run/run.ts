// `gh run list|view|watch`: the checks of a pull request as one run, whose id is the pull request's number. Agents come
// here for the log of a failure.

import type { Io } from '../../cli/io.ts'
import { toOneLine, toSafeLines } from '../../cli/print/plain-text.ts'
import { readCheckLog } from '../../forge/ci/check-log.ts'
import { finishChecks } from '../../forge/ci/finish-checks.ts'
import { observePull, observePulls, type PullView } from '../../forge/pulls/observe-pulls.ts'
import type { LocalForge } from '../../forge/types.ts'
import { GhError } from '../gh-error.ts'
import { NO_WEB, parseFlags, positiveNumber } from '../gh-flags.ts'
import { namesOf, openGh, wantedPull } from '../open-gh.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../output/gh-json.ts'
import { findJob, JOB_ENDS, JOB_STATES, jobId, jobTimes } from './job.ts'
import { WORKFLOW, WORKFLOW_ID } from './workflow.ts'

const FIELDS: Record<string, (view: PullView, forge: LocalForge) => unknown> = {
  databaseId: ({ pull }) => pull.number,
  number: ({ pull }) => pull.number,
  attempt: () => 1,
  name: () => WORKFLOW,
  workflowName: () => WORKFLOW,
  workflowDatabaseId: () => WORKFLOW_ID,
  displayTitle: ({ pull }) => pull.title,
  event: () => 'pull_request',
  headBranch: ({ pull }) => pull.head,
  headSha: ({ headSha }) => headSha,
  status: ({ ci }) => (ci === 'pending' ? 'in_progress' : 'completed'),
  conclusion: ({ ci }) => CONCLUSIONS[ci],
  url: ({ pull }) => `${pull.url}/checks`,
  createdAt: ({ pull }) => pull.createdAt,
  startedAt: ({ pull }) => pull.createdAt,
  updatedAt: ({ pull }) => pull.updatedAt,
  jobs: (view, forge) => view.checks.map((check) => describeJob(forge, view, check)),
}
const CONCLUSIONS = { passing: 'success', failing: 'failure', pending: '', none: 'skipped' } as const
const LOG_BYTES = 1024 * 1024

const LIST_FLAGS = {
  ...JSON_FLAGS,
  branch: { short: 'b', value: true },
  limit: { short: 'L', value: true },
  workflow: { short: 'w', value: true },
  status: { short: 's', value: true },
  commit: { short: 'c', value: true },
  event: { short: 'e', value: true },
  user: { short: 'u', value: true },
  created: { value: true, refused: 'use --limit' },
  all: { short: 'a' },
} as const

export async function runList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, LIST_FLAGS, { most: 0 })
  const fields = wantedFields(args, Object.keys(FIELDS))
  const limit = positiveNumber(args.value('limit'), 20, '--limit')
  const { forge } = await openGh(io, args)
  const workflow = args.value('workflow')
  if (workflow !== undefined && ![WORKFLOW.toLowerCase(), String(WORKFLOW_ID)].includes(workflow.toLowerCase()))
    throw new GhError(`could not find any workflows named ${workflow}`)
  const [user] = namesOf(args.values('user').slice(-1), io)
  const has = (value: string | undefined, ...actual: string[]) => value === undefined || actual.includes(value)
  const wanted = (forge.options.ci.length === 0 ? [] : forge.pulls.list())
    .filter(({ head }) => has(args.value('branch'), head))
    .filter(({ author }) => has(user, author))
    .filter(() => has(args.value('event'), 'pull_request'))
  const views = (await observePulls(forge, wanted))
    .filter(({ headSha }) => has(args.value('commit'), headSha))
    .filter((view) => has(args.value('status'), word(view, 'status'), word(view, 'conclusion')))
    .reverse()
    .slice(0, limit)
  if (fields !== null) {
    await printJson(
      views.map((view) => pick(view, fields, forge)),
      args,
      io,
    )
    return 0
  }
  const columns = ['status', 'conclusion', 'displayTitle', 'name', 'headBranch', 'event', 'databaseId', 'createdAt']
  for (const view of views) io.print(columns.map((name) => toOneLine(word(view, name))).join('\t'))
  return 0

  function word(view: PullView, field: string): string {
    return String(FIELDS[field]!(view, forge))
  }
}

const VIEW_FLAGS = {
  ...JSON_FLAGS,
  ...NO_WEB,
  log: {},
  'log-failed': {},
  'exit-status': {},
  job: { short: 'j', value: true },
  verbose: { short: 'v', refused: 'a check has no steps' },
  attempt: { short: 'a', value: true, refused: 'only the last attempt is kept' },
} as const

export async function runView(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, VIEW_FLAGS)
  const fields = wantedFields(args, Object.keys(FIELDS))
  const gh = await openGh(io, args)
  const job = args.value('job')
  const view =
    job === undefined
      ? await observePull(gh.forge, await wantedPull(gh, args.positionals[0], io))
      : await viewOfJob(gh.forge, job, args.positionals[0])
  if (fields !== null) await printJson(pick(view, fields, gh.forge), args, io)
  else if (args.has('log') || args.has('log-failed')) printLogs(gh.forge, view, args.has('log-failed'), io)
  else for (const check of view.checks) io.print(`${toOneLine(check.name)}\t${check.status}\t${jobId(check)}`)
  return args.has('exit-status') && view.checks.some(({ status }) => status === 'failed') ? 1 : 0
}

/** The same run with only this job. */
async function viewOfJob(forge: LocalForge, job: string, run: string | undefined): Promise<PullView> {
  const { view, check } = await findJob(forge, job)
  if (run !== undefined && run !== String(view.pull.number))
    throw new GhError(`the job ${job} belongs to run ${view.pull.number}, not ${run}`)
  return { ...view, checks: [check] }
}

function describeJob(forge: LocalForge, view: PullView, check: PullView['checks'][number]): Record<string, unknown> {
  const { startedAt, completedAt } = jobTimes(forge, check)
  return {
    databaseId: jobId(check),
    name: check.name,
    status: JOB_STATES[check.status],
    conclusion: JOB_ENDS[check.status],
    startedAt,
    completedAt,
    steps: [],
    url: `${view.pull.url}/checks/${encodeURIComponent(check.name)}`,
  }
}

export async function runWatch(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { 'exit-status': {}, compact: {}, interval: { short: 'i', value: true } })
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  await finishChecks(gh.forge, pull.number)
  const view = await observePull(gh.forge, gh.forge.pulls.read(pull.number) ?? pull)
  for (const { name, status } of view.checks) io.print(`${name}\t${status}`)
  return args.has('exit-status') && view.ci === 'failing' ? 1 : 0
}

function printLogs(forge: LocalForge, { checks }: PullView, onlyFailed: boolean, io: Io): void {
  for (const check of checks) {
    if (onlyFailed && check.status !== 'failed') continue
    const lines = toSafeLines(readCheckLog(forge, check, LOG_BYTES))
      .trimEnd()
      .split('\n')
    for (const line of lines) io.print(`${check.name}\tUNKNOWN STEP\t${line}`)
  }
}

function pick(view: PullView, fields: readonly string[], forge: LocalForge): Record<string, unknown> {
  return Object.fromEntries(fields.map((name) => [name, FIELDS[name]!(view, forge)]))
}
