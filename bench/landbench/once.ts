// The scripted agent without a terminal: `node once.ts <workload.json> -p <prompt> …`, as orchestrators start `claude -p`. It does what the
// prompt asks for once, prints one line of JSON, and ends with 0 when it is done.
import { existsSync } from 'node:fs'
import { runCheck } from './check.ts'
import { append } from './log.ts'
import { rebase, repair } from './rebase.ts'
import { type Feature, git, readWorkload, type Workload } from './workload.ts'

const [path = '', , prompt = ''] = process.argv.slice(2)
const workload = readWorkload(path)
const cwd = process.cwd()

const refusal = await (prompt.startsWith('VERIFICATION') ? verify() : work(findFeature(), workload))
const result = `STEP 1: ${refusal === null ? 'PASS' : `FAIL - ${refusal}`}`
console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: refusal !== null, result }))
process.exitCode = refusal === null ? 0 : 1

async function verify(): Promise<string | null> {
  return (await runCheck(cwd, workload, 'ci')) === 0 ? null : 'the check fails'
}

function findFeature(): Feature {
  const id = /\blandbench: (\w+)/.exec(prompt)?.[1]
  const found = workload.features.find((one) => one.id === id)
  if (found === undefined) throw new Error(`The prompt names no change of this world: ${prompt.slice(0, 200)}`)
  return found
}

async function work(feature: Feature, { firstCommit, log }: Workload): Promise<string | null> {
  const refused = prompt.startsWith('FIX') ? repairOnTop(feature) : await write(feature, firstCommit)
  if (refused !== null) append(log, { what: 'gave-up', feature: feature.id, why: refused })
  return refused
}

/** Its commit goes onto the base branch, whether it is new or was left behind by a merge that failed. */
async function write(feature: Feature, firstCommit: string): Promise<string | null> {
  const isNew = !existsSync(feature.marker)
  append(workload.log, { what: 'started', feature: feature.id })
  if (isNew) {
    git(cwd, 'reset', '--quiet', '--hard', firstCommit)
    git(cwd, 'apply', '--index', feature.patch)
    git(cwd, 'commit', '--quiet', '-m', feature.title)
  }
  const refused = await rebase(cwd, git(cwd, 'rev-parse', 'main'), feature, workload)
  const head = git(cwd, 'rev-parse', 'HEAD')
  if (refused === null) append(workload.log, { what: isNew ? 'published' : 'rebased', feature: feature.id, head })
  return refused
}

/** What was merged already is not rewritten. */
function repairOnTop(feature: Feature): string | null {
  return repair(cwd, feature, []) ? null : 'it knows no repair'
}
