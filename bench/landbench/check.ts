// The check of a world as CI, an agent or the audit runs it, in a checkout: `node check.ts <workload.json> <ci|agent|audit>`.
// It takes its time, runs what the world says, and notes the tree and the answer in the raw log.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { append, type CheckedBy, readLog } from './log.ts'
import { git, readWorkload, type Workload } from './workload.ts'

const LIMIT_MS = 300_000
const FLAKY_CODE = 99

/** null: it did not come to its end, so nobody knows. */
export async function runCheck(
  cwd: string,
  workload: Workload,
  by: CheckedBy,
  limitMs = LIMIT_MS,
): Promise<number | null> {
  const began = Date.now()
  const [commit, tree] = git(cwd, 'rev-parse', 'HEAD', 'HEAD^{tree}').split('\n') as [string, string]
  if (by === 'ci') await pause(workload.ciSeconds * 1000)
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' }
  const stdio = import.meta.main ? 'inherit' : 'ignore'
  const child = spawn('sh', ['-c', workload.check], { cwd, env, stdio, timeout: limitMs })
  const [status] = (await once(child, 'exit')) as [number | null]
  const code = status === 0 && by === 'ci' && isFlaky(workload, tree) ? FLAKY_CODE : status
  append(workload.log, { what: 'check', by, commit, tree, code, ms: Date.now() - began })
  return code
}

/** By tree and by how often it was run, so that the same day has the same bad luck. */
function isFlaky({ seed, flaky, log }: Workload, tree: string): boolean {
  if (flaky === 0) return false
  const before = readLog(log).filter((one) => one.what === 'check' && one.by === 'ci' && one.tree === tree).length
  const hash = createHash('sha256').update(`${seed} ${tree} ${before}`).digest()
  return hash.readUInt32BE() / 2 ** 32 < flaky
}

if (import.meta.main) {
  const [path = '', by = 'ci'] = process.argv.slice(2)
  process.exitCode = (await runCheck(process.cwd(), readWorkload(path), by as CheckedBy)) ?? 1
}
