// `gh pr checks`: exit code 1 when one failed, 8 while one is pending.

import type { Io } from '../../cli/io.ts'
import { readCheckRecord } from '../../forge/ci/check-log.ts'
import { finishChecks } from '../../forge/ci/finish-checks.ts'
import { observePull, type PullView } from '../../forge/pulls/observe-pulls.ts'
import type { LocalForge } from '../../forge/types.ts'
import { GhError } from '../gh-error.ts'
import { NO_WEB, parseFlags } from '../gh-flags.ts'
import { openGh, wantedPull } from '../open-gh.ts'
import { JSON_FLAGS, printJson, wantedFields } from '../output/gh-json.ts'

const FIELDS = ['name', 'state', 'bucket', 'link', 'startedAt', 'completedAt', 'description', 'event', 'workflow']
const BUCKETS = { passed: 'pass', failed: 'fail', pending: 'pending', running: 'pending', skipped: 'skipping' } as const
const STATES = {
  passed: 'SUCCESS',
  failed: 'FAILURE',
  pending: 'QUEUED',
  running: 'IN_PROGRESS',
  skipped: 'SKIPPED',
} as const

export async function prChecks(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, {
    ...JSON_FLAGS,
    watch: {},
    // They configure waiting and counting; all checks run in one go, and all are required.
    'fail-fast': {},
    required: {},
    interval: { short: 'i', value: true },
    ...NO_WEB,
  })
  const fields = wantedFields(args, FIELDS)
  const { forge, ...gh } = await openGh(io, args)
  const pull = await wantedPull({ forge, ...gh }, args.positionals[0], io)
  if (forge.options.ci.length === 0) throw new GhError(`no checks reported on the '${pull.head}' branch`)
  // Nothing else may be running the checks, and waiting would never end: so they are run here.
  if (args.has('watch')) await finishChecks(forge, pull.number)
  const view = await observePull(forge, forge.pulls.read(pull.number) ?? pull)
  const rows = view.checks.map((check) => describe(forge, view, check))
  if (fields !== null) {
    const picked = rows.map((row) => Object.fromEntries(fields.map((name) => [name, row[name as keyof typeof row]])))
    await printJson(picked, args, io)
    return 0
  }
  for (const { name, bucket, elapsed, link } of rows) io.print([name, bucket, elapsed, link, ''].join('\t'))
  const failed = rows.filter(({ bucket }) => bucket === 'fail')
  for (const { name } of failed)
    io.note(`The log of ${name}: ao pr checks ${pull.number} --log ${JSON.stringify(name)}`)
  if (failed.length > 0) return 1
  return rows.some(({ bucket }) => bucket === 'pending') ? 8 : 0
}

function describe(forge: LocalForge, { pull }: PullView, check: PullView['checks'][number]) {
  const { name, status } = check
  const record = readCheckRecord(forge, check)
  const startedAt = record?.startedAt ?? ''
  const completedAt = record?.finishedAt ?? ''
  const seconds = completedAt ? Math.round((Date.parse(completedAt) - Date.parse(startedAt)) / 1000) : 0
  return {
    name,
    state: STATES[status],
    bucket: BUCKETS[status],
    link: `${pull.url}/checks/${encodeURIComponent(name)}`,
    startedAt,
    completedAt,
    description: record?.why ?? '',
    event: 'pull_request',
    workflow: 'CI',
    elapsed: seconds < 60 ? (seconds === 0 ? '0' : `${seconds}s`) : `${Math.floor(seconds / 60)}m${seconds % 60}s`,
  }
}
