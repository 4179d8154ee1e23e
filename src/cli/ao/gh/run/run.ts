// `gh run list|view|watch`: the checks of a pull request as one run, whose id is the pull request's number. Agents look
// here for the log of what failed.
import { readCheckLog } from '../../../../forge/ci/check-log.ts'
import { finishChecks } from '../../../../forge/ci/finish-checks.ts'
import { observePull, observePulls, type PullView } from '../../../../forge/pulls/observe-pulls.ts'
import type { LocalForge } from '../../../../forge/types.ts'
import type { Io } from '../../../io.ts'
import { toOneLine, toSafeLines } from '../../../print/plain-text.ts'
import { parseFlags } from '../gh-flags.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../output/gh-json.ts'
import { openGh, wantedPull } from '../open-gh.ts'

const FIELDS: Record<string, (view: PullView) => unknown> = {
  databaseId: ({ pull }) => pull.number,
  number: ({ pull }) => pull.number,
  name: () => 'CI',
  workflowName: () => 'CI',
  displayTitle: ({ pull }) => pull.title,
  event: () => 'pull_request',
  headBranch: ({ pull }) => pull.head,
  headSha: ({ headSha }) => headSha,
  status: ({ ci }) => (ci === 'pending' ? 'in_progress' : 'completed'),
  conclusion: ({ ci }) => CONCLUSIONS[ci],
  url: ({ pull }) => `${pull.url}/checks`,
  createdAt: ({ pull }) => pull.createdAt,
  updatedAt: ({ pull }) => pull.updatedAt,
  jobs: ({ checks }) => checks.map(({ name, status }) => ({ name, status, conclusion: JOB_ENDS[status] })),
}
const CONCLUSIONS = { passing: 'success', failing: 'failure', pending: '', none: 'skipped' } as const
const JOB_ENDS = { passed: 'success', failed: 'failure', pending: '', running: '', skipped: 'skipped' } as const
const LOG_BYTES = 1024 * 1024

export async function runList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...JSON_FLAGS,
    branch: { short: 'b', value: true },
    limit: { short: 'L', value: true },
    workflow: { short: 'w', value: true },
    status: { short: 's', value: true },
    commit: { short: 'c', value: true },
    event: { short: 'e', value: true },
    user: { short: 'u', value: true },
  })
  const fields = wantedFields(args, Object.keys(FIELDS))
  const { forge } = await openGh(io)
  if (forge.options.ci.length === 0) return 0
  const wanted = forge.pulls.list().filter(({ head }) => (args.value('branch') ?? head) === head)
  const views = (await observePulls(forge, wanted.slice(-(Number(args.value('limit')) || 20)))).reverse()
  if (fields !== null) {
    await printJson(
      views.map((view) => pick(view, fields)),
      args.value('jq'),
      io,
    )
    return 0
  }
  for (const view of views) {
    const words = ['status', 'conclusion', 'displayTitle', 'name', 'headBranch', 'event', 'databaseId', 'createdAt']
    io.print(words.map((name) => toOneLine(String(FIELDS[name]!(view)))).join('\t'))
  }
  return 0
}

export async function runView(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...JSON_FLAGS,
    log: {},
    'log-failed': {},
    'exit-status': {},
    verbose: { short: 'v' },
    job: { short: 'j', value: true },
    attempt: { short: 'a', value: true },
  })
  const fields = wantedFields(args, Object.keys(FIELDS))
  const gh = await openGh(io)
  const view = await observePull(gh.forge, await wantedPull(gh, args.words[0], io))
  if (fields !== null) await printJson(pick(view, fields), args.value('jq'), io)
  else if (args.has('log') || args.has('log-failed')) printLogs(gh.forge, view, args.has('log-failed'), io)
  else for (const { name, status } of view.checks) io.print(`${name}\t${status}`)
  return args.has('exit-status') && view.ci === 'failing' ? 1 : 0
}

export async function runWatch(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { 'exit-status': {}, compact: {}, interval: { short: 'i', value: true } })
  const gh = await openGh(io)
  const pull = await wantedPull(gh, args.words[0], io)
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

function pick(view: PullView, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((name) => [name, FIELDS[name]!(view)]))
}
