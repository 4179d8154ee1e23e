// Logs of checks that have ended: the results beside them, and proofs, rest on them. A run that is repeated has a new log, and the
// oldest commits go when there are too many; whatever else is missing or changed was not removed by ao.
import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { quoteForShell } from '../../../core/text/command-line.ts'
import { plural } from '../../../core/text/format-age.ts'
import { type CheckRecord, hasOwnLog, MAX_COMMITS } from '../../../landing/checks/check-store.ts'
import { namesIn, readIfThere } from '../../../lib/plain-file.ts'
import type { ProjectPaths } from '../../../store/paths.ts'
import type { Finding } from '../../print/findings.ts'
import type { Ledger } from './ledger.ts'
import type { Task } from './verify-files.ts'

interface EndedRun {
  name: string
  startedAt: string
  /** Nothing but this machine had a hand in it, and it wrote its log before its end. */
  hasLog: boolean
}

export function checkTasks({ dir }: ProjectPaths, ledger: Ledger): Task[] {
  return checkDirectories(dir).flatMap((checks) =>
    namesIn(checks).flatMap((commit) =>
      namesIn(join(checks, commit))
        .filter((name) => name.endsWith('.json') && !name.endsWith('.first.json'))
        .map((name) => ({
          kind: 'check log',
          verify: async () => verifyLog(join(checks, commit, name), ledger),
        })),
    ),
  )
}

/** Of heads and of cars, of the local forge and of gates. */
function checkDirectories(dir: string): string[] {
  const landing = namesIn(join(dir, 'landing')).filter((name) => /^(?:run|gates)-\d+$/.test(name))
  const owners = [dir, join(dir, 'gates'), ...landing.map((name) => join(dir, 'landing', name))]
  return owners.map((owner) => join(owner, 'checks'))
}

function verifyLog(file: string, ledger: Ledger): Finding[] {
  const run = endedRun(file)
  if (run === null) return []
  const log = logOf(file)
  const key = `${log}#${run.startedAt}`
  if (lstatSync(log, { throwIfNoEntry: false }) !== undefined) {
    const isChanged = ledger.check(log, 'replaced', key)
    // Begun again while it was read.
    if (!isChanged || endedRun(file)?.startedAt !== run.startedAt) return []
    return [finding(file, run, `${log} was changed since ${ledger.at}, and not by ao`)]
  }
  const wasThere = ledger.before(key) !== undefined
  if (wasThere) ledger.keep(key)
  return wasThere || run.hasLog ? [finding(file, run, `${log} is gone`)] : []
}

function finding(file: string, { name }: EndedRun, detail: string): Finding {
  const commit = basename(dirname(file))
  const fix = `Forget its result, and it runs again where it is needed: rm ${quoteForShell(file)}. Of a landed commit: ao verify <commit> --rerun`
  return { level: 'fail', name: `log of ${name} on ${commit.slice(0, 10)}`, detail, fix }
}

/** null: it is running, or nothing can be said about it. */
function endedRun(file: string): EndedRun | null {
  try {
    const record = JSON.parse(readIfThere(file) ?? 'null') as Partial<CheckRecord>
    const { name, status, startedAt = '' } = record
    if (typeof name !== 'string' || typeof startedAt !== 'string' || startedAt === '' || status === 'running')
      return null
    return { name, startedAt, hasLog: hasOwnLog(record) }
  } catch {
    // Damaged: the check is run again where it is needed.
    return null
  }
}

function logOf(file: string): string {
  return `${file.slice(0, -'.json'.length)}.log`
}

/** Logs whose commit's directory is gone, although there were not too many of them. */
export function goneLogs(projects: readonly ProjectPaths[], ledger: Ledger): Finding[] {
  const isOurs = (key: string) => projects.some(({ dir }) => key.startsWith(`${dir}/`))
  const keys = ledger.unseen().filter((key) => KEY.test(key) && isOurs(key))
  const gone = keys.filter((key) => {
    const directory = dirname(KEY.exec(key)![1]!)
    const wasSwept = namesIn(dirname(directory)).length >= MAX_COMMITS
    return !wasSwept && lstatSync(directory, { throwIfNoEntry: false }) === undefined
  })
  for (const key of gone) ledger.keep(key)
  return [...Map.groupBy(gone, (key) => dirname(KEY.exec(key)![1]!))].map(([directory, logs]) => ({
    ...{ level: 'fail', name: `checks of ${basename(directory).slice(0, 10)}` },
    detail: `${directory} is gone; ${plural(logs.length, 'log')} of checks were there at ${ledger.at}`,
    fix: `Bring it back from a copy of your home directory. Of a landed commit the checks can be run again: ao verify <commit> --rerun`,
  }))
}

const KEY = /^(.+\/checks\/[0-9a-f]{40,64}\/[^/]+\.log)#[^/]+$/
