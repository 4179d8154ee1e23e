// What the demo agent can do: files of the workspace, git and gh. Every failure becomes text; none stops it.
import { appendFileSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorText } from '../../../contract/errors.ts'
import { parseAddedLines } from '../../../landing/checks/read-change.ts'
import { type ExecResult, exec, execFailure } from '../../../lib/exec.ts'
import { readPlainText } from '../../../lib/plain-file.ts'
import { removeTree } from '../../../lib/remove.ts'
import { confinePath } from '../program/confine-path.ts'
import { findPatterns } from './find-patterns.ts'

export interface Workplace {
  workspace: string
  env: NodeJS.ProcessEnv
  /** Ends a running command. git and gh are left to finish: interrupted, they would leave locks behind. */
  signal: AbortSignal
}

const GIT_TIMEOUT_MS = 120_000
const RUN_TIMEOUT_MS = 600_000

/** Says what was done, or why not. */
export function changeFile(workplace: Workplace, path: string, change: (file: string) => string): string {
  const confined = confinePath(workplace.workspace, path)
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

/** Throws when it is not there: a script that is wrong should fail. */
export function deleteFile(file: string): void {
  lstatSync(file)
  removeTree(file)
}

export function runCommand(workplace: Workplace, argv: string[]): Promise<ExecResult> {
  const [command, ...args] = argv
  const limits = { timeoutMs: RUN_TIMEOUT_MS, maxOutputBytes: 64 * 1024, signal: workplace.signal }
  return exec(command!, args, { ...inside(workplace), ...limits })
}

/** Commits everything that git does not ignore. */
export async function commitAll(workplace: Workplace, message: string): Promise<string> {
  const added = await git(workplace, ['add', '--all'])
  if (!added.ok) return execFailure('git add', added)
  const staged = await git(workplace, ['diff', '--cached', '--quiet'])
  if (staged.exitCode === 0) return 'There is nothing to commit.'
  const made = await git(workplace, [...(await identityOptions(workplace)), 'commit', '--quiet', '-m', message])
  if (!made.ok) return execFailure('git commit', made)
  const head = await git(workplace, ['rev-parse', '--short', 'HEAD'])
  return `Committed ${head.stdout.trim()}: ${message.split('\n')[0]}`
}

/** null: there is no remote to push to. */
export async function pushBranch(workplace: Workplace): Promise<string | null> {
  if ((await git(workplace, ['remote'])).stdout.trim() === '') return null
  const pushed = await git(workplace, ['push', '--quiet', '--set-upstream', 'origin', 'HEAD'])
  return pushed.ok ? 'Pushed.' : execFailure('git push', pushed)
}

/** Conflicts are resolved in our favour: this is a demo, nobody reads both sides. */
export async function mergeBaseBranch(workplace: Workplace): Promise<string> {
  const hasRemote = (await git(workplace, ['remote'])).stdout.trim() !== ''
  if (hasRemote) await git(workplace, ['fetch', '--quiet', 'origin'])
  for (const base of [...(hasRemote ? ['origin/HEAD', 'origin/main', 'origin/master'] : []), 'main', 'master']) {
    if (!(await git(workplace, ['rev-parse', '--verify', '--quiet', `${base}^{commit}`])).ok) continue
    const options = await identityOptions(workplace)
    const merged = await git(workplace, [...options, 'merge', '--no-edit', '-X', 'ours', base])
    if (merged.ok) return `Merged ${base}.`
    await git(workplace, ['merge', '--abort'])
    return execFailure(`git merge ${base}`, merged)
  }
  return 'I found no base branch to merge.'
}

export async function openPullRequest(workplace: Workplace, title: string): Promise<string> {
  const branch = (await git(workplace, ['branch', '--show-current'])).stdout.trim()
  if (branch === '') return 'I am on no branch, so I cannot open a pull request.'
  const body = 'Opened by the demo agent. It is scripted: there is no model behind it.'
  const argv = ['pr', 'create', '--title', title, '--body', body, '--head', branch]
  const result = await exec('gh', argv, { ...inside(workplace), timeoutMs: GIT_TIMEOUT_MS })
  if (!result.ok) return `I could not open a pull request: ${execFailure('gh', result)}`
  return `Opened a pull request: ${result.stdout.trim().split('\n').at(-1)}`
}

/** It reports what it finds as any reviewer does. */
export async function reviewChange(
  workplace: Workplace,
  { from, head }: { from: string; head: string },
): Promise<string> {
  const diff = await git(workplace, ['diff', '--unified=0', '--no-color', '--no-renames', '--no-ext-diff', from, head])
  if (!diff.ok) return execFailure('git diff', diff)
  const lines = parseAddedLines(diff.stdout)
  const findings = findPatterns(lines)
  const ao = (...args: string[]) => exec('ao', ['review', ...args], { ...inside(workplace), timeoutMs: GIT_TIMEOUT_MS })
  for (const { path, line, severity, text } of findings) {
    const added = await ao('add', '--file', path, '--line', String(line), '--severity', severity, '--', text)
    if (!added.ok) return execFailure('ao review add', added)
  }
  const summary = `The demo agent looked for a few patterns in ${lines.length} added lines. There is no model behind it.`
  const done = await ao('done', '--summary', summary)
  return done.ok
    ? `I have ${findings.length} findings in ${lines.length} added lines.`
    : execFailure('ao review done', done)
}

function git(workplace: Workplace, args: string[]): Promise<ExecResult> {
  return exec('git', args, { ...inside(workplace), timeoutMs: GIT_TIMEOUT_MS })
}

function inside(workplace: Workplace): { cwd: string; env: NodeJS.ProcessEnv } {
  return { cwd: workplace.workspace, env: workplace.env }
}

/** A neutral author, only where git has none. */
async function identityOptions(workplace: Workplace): Promise<string[]> {
  if (workplace.env.GIT_AUTHOR_EMAIL && workplace.env.GIT_COMMITTER_EMAIL) return []
  if ((await git(workplace, ['config', 'user.email'])).stdout.trim() !== '') return []
  return ['-c', 'user.name=Demo Agent', '-c', 'user.email=demo-agent@example.invalid']
}
