// What the demo agent can do: files of the workspace, git and gh. Every failure becomes text; none stops it.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorText } from '../../../contract/errors.ts'
import { type ExecResult, exec, execFailure } from '../../../lib/exec.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import { confinePath } from '../program/confine-path.ts'

export interface Workplace {
  workspace: string
  env: NodeJS.ProcessEnv
  /** Ends a running command. git and gh are left to finish: interrupted, they would leave locks behind. */
  signal: AbortSignal
}

const GIT_TIMEOUT_MS = 120_000
const RUN_TIMEOUT_MS = 600_000

/** Says what was done, or why not. */
export function changeFile(place: Workplace, path: string, change: (file: string) => string): string {
  const confined = confinePath(place.workspace, path)
  if ('refused' in confined) return `I do not touch that: ${confined.refused}.`
  try {
    return change(confined.path)
  } catch (error) {
    return `That did not work: ${errorText(error)}`
  }
}

export function writeText(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

export function appendText(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, text)
}

/** false: the file does not contain that text. */
export function replaceText(file: string, from: string, to: string): boolean {
  const before = readPlainText(file)
  if (!before.includes(from)) return false
  writeFileSync(
    file,
    before.replace(from, () => to),
  )
  return true
}

export function deleteFile(file: string): void {
  rmSync(file, { recursive: true })
}

export function runCommand(place: Workplace, argv: string[]): Promise<ExecResult> {
  const [command, ...args] = argv
  const limits = { timeoutMs: RUN_TIMEOUT_MS, maxOutputBytes: 64 * 1024, signal: place.signal }
  return exec(command!, args, { ...inside(place), ...limits })
}

/** Commits everything that git does not ignore. */
export async function commitAll(place: Workplace, message: string): Promise<string> {
  const added = await git(place, ['add', '--all'])
  if (!added.ok) return execFailure('git add', added)
  const staged = await git(place, ['diff', '--cached', '--quiet'])
  if (staged.exitCode === 0) return 'There is nothing to commit.'
  const made = await git(place, [...(await identityOptions(place)), 'commit', '--quiet', '-m', message])
  if (!made.ok) return execFailure('git commit', made)
  const head = await git(place, ['rev-parse', '--short', 'HEAD'])
  return `Committed ${head.stdout.trim()}: ${message.split('\n')[0]}`
}

/** null: there is no remote to push to. */
export async function pushBranch(place: Workplace): Promise<string | null> {
  if ((await git(place, ['remote'])).stdout.trim() === '') return null
  const pushed = await git(place, ['push', '--quiet', '--set-upstream', 'origin', 'HEAD'])
  return pushed.ok ? 'Pushed.' : execFailure('git push', pushed)
}

/** Conflicts are resolved in our favour: this is a demo, nobody reads both sides. */
export async function mergeBaseBranch(place: Workplace): Promise<string> {
  const hasRemote = (await git(place, ['remote'])).stdout.trim() !== ''
  if (hasRemote) await git(place, ['fetch', '--quiet', 'origin'])
  for (const base of [...(hasRemote ? ['origin/HEAD', 'origin/main', 'origin/master'] : []), 'main', 'master']) {
    if (!(await git(place, ['rev-parse', '--verify', '--quiet', `${base}^{commit}`])).ok) continue
    const options = await identityOptions(place)
    const merged = await git(place, [...options, 'merge', '--no-edit', '-X', 'ours', base])
    if (merged.ok) return `Merged ${base}.`
    await git(place, ['merge', '--abort'])
    return execFailure(`git merge ${base}`, merged)
  }
  return 'I found no base branch to merge.'
}

export async function openPullRequest(place: Workplace, title: string): Promise<string> {
  const branch = (await git(place, ['branch', '--show-current'])).stdout.trim()
  if (branch === '') return 'I am on no branch, so I cannot open a pull request.'
  const body = 'Opened by the demo agent. It is scripted: there is no model behind it.'
  const argv = ['pr', 'create', '--title', title, '--body', body, '--head', branch]
  const result = await exec('gh', argv, { ...inside(place), timeoutMs: GIT_TIMEOUT_MS })
  if (!result.ok) return `I could not open a pull request: ${execFailure('gh', result)}`
  return `Opened a pull request: ${result.stdout.trim().split('\n').at(-1)}`
}

function git(place: Workplace, args: string[]): Promise<ExecResult> {
  return exec('git', args, { ...inside(place), timeoutMs: GIT_TIMEOUT_MS })
}

function inside(place: Workplace): { cwd: string; env: NodeJS.ProcessEnv } {
  return { cwd: place.workspace, env: place.env }
}

/** A neutral author, only where git has none. */
async function identityOptions(place: Workplace): Promise<string[]> {
  if (place.env.GIT_AUTHOR_EMAIL && place.env.GIT_COMMITTER_EMAIL) return []
  if ((await git(place, ['config', 'user.email'])).stdout.trim() !== '') return []
  return ['-c', 'user.name=Demo Agent', '-c', 'user.email=demo-agent@example.invalid']
}
