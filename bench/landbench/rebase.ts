// All that the scripted agent knows about conflicts: it keeps both sides, and keeps that only if the check passes.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCheck } from './check.ts'
import { type Feature, git, tryGit, type Workload } from './workload.ts'

/** The one commit of the change goes onto another. Null: done; otherwise why not, and everything is as before. */
export async function rebase(cwd: string, onto: string, feature: Feature, workload: Workload): Promise<string | null> {
  const before = git(cwd, 'rev-parse', 'HEAD')
  const refusal = await attempt(cwd, onto, feature, workload)
  if (refusal === null) return null
  tryGit(cwd, 'rebase', '--abort')
  git(cwd, 'reset', '--quiet', '--hard', before)
  return refusal
}

async function attempt(cwd: string, onto: string, feature: Feature, workload: Workload): Promise<string | null> {
  if (tryGit(cwd, 'rev-parse', '--verify', `${onto}^{commit}`) === null) return `${onto} is unknown here`
  if (tryGit(cwd, 'rebase', '--onto', onto, 'HEAD~1') === null) {
    const files = git(cwd, 'diff', '--name-only', '--diff-filter=U').split('\n').filter(Boolean)
    for (const file of files) if (!keepBothSides(cwd, file)) return `${file} was removed by one side`
    git(cwd, 'add', '--all')
    if (tryGit(cwd, 'rebase', '--continue') === null) return 'the rebase does not continue'
  }
  if ((await runCheck(cwd, workload, 'agent')) === 0) return null
  if (!repair(cwd, feature)) return 'both sides together fail the check'
  return (await runCheck(cwd, workload, 'agent')) === 0 ? null : 'the repair fails the check'
}

/** Those of the commit below first. */
function keepBothSides(cwd: string, file: string): boolean {
  const side = (stage: number) => tryGit(cwd, 'rev-parse', '--verify', `:${stage}:${file}`)
  if (side(2) === null || side(3) === null) return false
  const directory = mkdtempSync(join(tmpdir(), 'landbench-'))
  try {
    for (const stage of [1, 2, 3]) {
      const text = side(stage) === null ? '' : execFileSync('git', ['cat-file', 'blob', `:${stage}:${file}`], { cwd })
      writeFileSync(join(directory, String(stage)), text)
    }
    git(directory, 'merge-file', '--union', '2', '1', '3')
    writeFileSync(join(cwd, file), readFileSync(join(directory, '2')))
    return true
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** As part of the change's own commit, unless other words for `git commit` say otherwise. */
export function repair(cwd: string, { onRed, title }: Feature, how: readonly string[] = ['--amend']): boolean {
  if (onRed === undefined) return false
  const path = join(cwd, onRed.file)
  const text = readFileSync(path, 'utf8')
  if (!text.includes(onRed.from) || text.includes(onRed.to)) return false
  writeFileSync(path, text.replace(onRed.from, onRed.to))
  git(cwd, 'commit', '--quiet', '--all', ...how, '-m', title)
  return true
}
