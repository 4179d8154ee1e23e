// `gh run list|view|watch|rerun` and `gh workflow list`: the checks of a pull request as one run, whose id is the pull request's
// number. Agents come here for the log of a failure.
import type { Io } from '../cli/print/io.ts'
import { toOneLine, toSafeLines } from '../cli/print/plain-text.ts'
import type { Pull } from '../contract/pull.ts'
import { finishChecks } from '../forge/finish-checks.ts'
import { forgetResults, observePull, readCheckLog } from '../forge/pulls/observe-pulls.ts'
import { RUN_JSON } from './describe/json-tables.ts'
import { type Node, tabulate } from './describe/node.ts'
import { describeRun, findJob, jobId, WORKFLOW, WORKFLOW_ID } from './describe/run.ts'
import { GhError } from './gh-error.ts'
import { NO_WEB, parseFlags, positiveNumber } from './gh-flags.ts'
import { JSON_FLAGS, printJson, wantedFields } from './gh-json.ts'
import { type Gh, namesOf, observe, openGh, readPull, recordOf, wantedPull } from './open-gh.ts'

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
const COLUMNS = ['status', 'conclusion', 'displayTitle', 'name', 'headBranch', 'event', 'databaseId', 'createdAt']

export async function runList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, LIST_FLAGS, { most: 0 })
  const fields = wantedFields(args, RUN_JSON)
  const limit = positiveNumber(args.value('limit'), 20, '--limit')
  const gh = await openGh(io, args)
  const workflow = args.value('workflow')
  if (workflow !== undefined && ![WORKFLOW.toLowerCase(), String(WORKFLOW_ID)].includes(workflow.toLowerCase()))
    throw new GhError(`could not find any workflows named ${workflow}`)
  const [user] = namesOf(args.values('user').slice(-1), io)
  const has = (value: string | undefined, ...actual: unknown[]) => value === undefined || actual.includes(value)
  const wanted = (hasChecks(gh) ? gh.forge.pulls.list() : [])
    .filter(({ head }) => has(args.value('branch'), head))
    .filter(({ author }) => has(user, author))
    .filter(() => has(args.value('event'), 'pull_request'))
  const runs = (await observe(gh, wanted))
    .filter(({ headSha }) => has(args.value('commit'), headSha))
    .map((pull) => describeRun(gh, pull))
    .filter(({ status, conclusion }) => has(args.value('status'), status, conclusion ?? ''))
    .reverse()
    .slice(0, limit)
  const rows = await Promise.all(runs.map((run) => tabulate(run, RUN_JSON, gh, fields ?? COLUMNS)))
  if (fields !== null) await printJson(rows, args, io)
  else for (const row of rows) io.print(COLUMNS.map((name) => toOneLine(String(row[name]))).join('\t'))
  return 0
}

export function hasChecks({ forge }: Gh): boolean {
  return forge.options.ci.length > 0
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
  const fields = wantedFields(args, RUN_JSON)
  const gh = await openGh(io, args)
  const job = args.value('job')
  const pull =
    job === undefined ? await wantedPull(gh, args.positionals[0], io) : await withOnlyJob(gh, job, args.positionals[0])
  if (fields !== null) await printJson(await runFields(gh, pull, fields), args, io)
  else if (args.has('log') || args.has('log-failed')) printLogs(gh, pull, args.has('log-failed'), io)
  else for (const check of pull.checks) io.print(`${toOneLine(check.name)}\t${check.status}\t${jobId(check)}`)
  return args.has('exit-status') && pull.checks.some(({ status }) => status === 'failed') ? 1 : 0
}

function runFields(gh: Gh, pull: Pull, fields: readonly string[]): Promise<Node> {
  return tabulate(describeRun(gh, pull), RUN_JSON, gh, fields)
}

async function withOnlyJob(gh: Gh, job: string, run: string | undefined): Promise<Pull> {
  const { pull, check } = await findJob(gh, job)
  const { number } = pull.pr
  if (run !== undefined && run !== String(number))
    throw new GhError(`the job ${job} belongs to run ${number}, not ${run}`)
  return { ...pull, checks: [check] }
}

export async function runWatch(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { 'exit-status': {}, compact: {}, interval: { short: 'i', value: true } })
  const gh = await openGh(io, args)
  const pull = await wantedPull(gh, args.positionals[0], io)
  await finishChecks(gh.forge, pull.pr.number)
  const { checks, ci } = (await readPull(gh, pull.pr.number)) ?? pull
  for (const { name, status } of checks) io.print(`${name}\t${status}`)
  return args.has('exit-status') && ci === 'failing' ? 1 : 0
}

function printLogs({ forge }: Gh, { checks }: Pull, onlyFailed: boolean, io: Io): void {
  for (const check of checks) {
    if (onlyFailed && check.status !== 'failed') continue
    const lines = toSafeLines(readCheckLog(forge, check, LOG_BYTES))
      .trimEnd()
      .split('\n')
    for (const line of lines) io.print(`${check.name}\tUNKNOWN STEP\t${line}`)
  }
}

const RERUN_FLAGS = {
  failed: {},
  job: { short: 'j', value: true },
  debug: { short: 'd', refused: 'checks have no debug logging' },
} as const

export async function runRerun(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, RERUN_FLAGS)
  const job = args.value('job')
  if (job !== undefined && args.has('failed')) throw new GhError('specify only one of `--failed` or `--job`')
  const gh = await openGh(io, args)
  if (job === undefined && args.positionals[0] === undefined)
    throw new GhError('run or job ID required when not running interactively')
  const { pr } = job === undefined ? await wantedPull(gh, args.positionals[0], io) : (await findJob(gh, job)).pull
  await rerunChecks(gh, pr.number, { onlyFailed: args.has('failed') })
  io.note(`✓ Requested rerun of run ${pr.number}; to see its end: gh run watch ${pr.number}`)
  return 0
}

/** The loop runs them, or `gh run watch` and `gh pr checks --watch` do. */
export async function rerunChecks(gh: Gh, number: number, { onlyFailed }: { onlyFailed: boolean }): Promise<void> {
  const why = forgetResults(gh.forge, await observePull(gh.forge, recordOf(gh, number)), { onlyFailed })
  if (why !== null) throw new GhError(`run ${number} cannot be rerun; ${why}`)
}

/** The checks of the configuration form one workflow. */
export async function workflowList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { all: { short: 'a' }, limit: { short: 'L', value: true } }, { most: 0 })
  positiveNumber(args.value('limit'), 50, '--limit')
  if (hasChecks(await openGh(io, args))) io.print(`${WORKFLOW}\tactive\t${WORKFLOW_ID}`)
  return 0
}
