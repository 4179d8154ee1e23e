// The far workspace: a repository made of what home sends, its remote, files that git ignores, and the agent's commands.
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { quoteForShell } from '../../../core/text/command-line.ts'
import { lastLines, runGit, tryGit } from '../../../git/git.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { exec } from '../../../lib/exec.ts'
import { staysInside } from '../../../lib/inside-directory.ts'
import { removeFile } from '../../../lib/remove.ts'
import type { CheckoutRequest, CommandsRequest, RepositoryRequest, TravellingFile } from '../far-contract.ts'
import type { FarPaths } from './far-paths.ts'

/** Objects arrive here first; the workspace borrows them. */
export async function createOrigin(paths: FarPaths): Promise<void> {
  if (existsSync(join(paths.origin, 'HEAD'))) return
  mkdirSync(paths.origin, { recursive: true, mode: 0o700 })
  await runGit(paths.origin, ['init', '--quiet', '--bare', '.'], { env: process.env })
  await runGit(paths.origin, ['config', 'receive.denyDeletes', 'true'], { env: process.env })
}

const FETCH_MS = 540_000

/** What home has sent, and so has itself. */
export const SENT = 'refs/ao/sent'

/** The place's own way to the remote, where the configuration allows it: git checks what it gets by its ids. */
export async function fetchOrigin(
  { origin }: FarPaths,
  { url, branches }: NonNullable<RepositoryRequest['remote']>,
): Promise<{ has: string[]; why?: string | undefined }> {
  const refs = branches.map((name) => `+refs/heads/${name}:refs/ao/fetched/${name}`)
  const extraEnv = { GIT_ALLOW_PROTOCOL: 'https:http:ssh:git:file', GIT_TERMINAL_PROMPT: '0' }
  const fetched = await tryGit(origin, ['fetch', '--quiet', '--no-tags', url, ...refs], {
    env: process.env,
    extraEnv,
    timeoutMs: FETCH_MS,
  })
  if (!fetched.ok) return { has: [], why: lastLines(fetched.stderr).slice(0, 2_000) || 'git fetch failed' }
  const listed = await runGit(origin, ['for-each-ref', '--format=%(objectname)', 'refs/ao/fetched/'], {
    env: process.env,
  })
  return { has: listed.split('\n').filter((id) => id !== '') }
}

/** Everything that these commits lead to is there. */
export async function isComplete(origin: string, commits: readonly string[]): Promise<boolean> {
  const input = commits.map((id) => `${id}\n`).join('')
  const args = ['rev-list', '--objects', '--quiet', '--stdin']
  return (await tryGit(origin, args, { env: process.env, read: true, input, timeoutMs: FETCH_MS })).ok
}

export async function readRemoteBranches({ origin }: FarPaths): Promise<Record<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads/']
  const listed = existsSync(origin) ? await runGit(origin, args, { env: process.env, read: true }) : ''
  return Object.fromEntries(
    listed.split('\n').flatMap((line) => {
      const [id = '', ref = ''] = line.split(' ')
      return ref === '' ? [] : [[ref.replace('refs/heads/', ''), id]]
    }),
  )
}

export async function checkOut(paths: FarPaths, request: CheckoutRequest, host: string[]): Promise<void> {
  const { workspace, origin } = paths
  await setRemoteBranches(paths, request.remote)
  mkdirSync(workspace, { recursive: true, mode: 0o700 })
  const git = (...args: string[]) => runGit(workspace, args, { env: process.env })
  await git('init', '--quiet', '.')
  writeFileSync(join(workspace, '.git', 'objects', 'info', 'alternates'), `${join(origin, 'objects')}\n`)
  mkdirSync(join(workspace, '.git', 'info'), { recursive: true })
  writeFileSync(join(workspace, '.git', 'info', 'exclude'), request.exclude)
  for (const [name, value] of Object.entries(request.settings)) await git('config', name, value)
  await git('config', 'remote.origin.url', origin)
  await git('config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*')
  await git('config', 'remote.origin.uploadpack', writeScript(paths, 'upload-pack', fetchScript(paths, host)))
  writeHook(paths, host)
  for (const [name, commit] of Object.entries(request.remote)) {
    await git('update-ref', `refs/remotes/origin/${name}`, commit)
  }
  await git('symbolic-ref', 'HEAD', `refs/heads/${request.branch}`)
  await git('update-ref', `refs/heads/${request.branch}`, request.head)
  // First the files, then the index alone: what was not committed stays uncommitted. What git-lfs keeps is not sent along.
  const extraEnv = { GIT_LFS_SKIP_SMUDGE: '1' }
  await runGit(workspace, ['read-tree', '--reset', '-u', request.work], { env: process.env, extraEnv })
  await git('read-tree', request.head)
  await git('update-ref', SENT, request.work)
  await runGit(workspace, ['update-index', '-q', '--refresh'], { env: process.env }).catch(() => undefined)
}

export async function setRemoteBranches(paths: FarPaths, branches: Record<string, string>): Promise<void> {
  const lines = Object.entries(branches).map(([name, commit]) => `update refs/heads/${name} ${commit}\n`)
  await runGit(paths.origin, ['update-ref', '--stdin'], { env: process.env, input: lines.join('') })
}

export function writeFiles(paths: FarPaths, files: TravellingFile[]): void {
  for (const file of files) {
    if (!staysInside(paths.workspace, file.path)) throw new Error(`${file.path} does not stay in the workspace`)
    const target = join(paths.workspace, file.path)
    mkdirSync(dirname(target), { recursive: true })
    removeFile(target)
    if (file.link !== undefined) symlinkSync(file.link, target)
    else writeFileSync(target, Buffer.from(file.data ?? '', 'base64'), { mode: file.mode & 0o777, flag: 'wx' })
  }
}

/** The project's own commands, one after another. null: all of them succeeded. */
export async function runCommands(
  paths: FarPaths,
  { commands, timeoutMs, env }: CommandsRequest,
): Promise<{ command: string; how: string } | null> {
  for (const command of commands) {
    const result = await exec('sh', ['-c', command], {
      cwd: paths.workspace,
      env: { ...process.env, ...env },
      timeoutMs,
      maxOutputBytes: 16 * 1024,
    })
    if (result.ok) continue
    const how = result.timedOut ? `did not finish in ${timeoutMs / 1000} s` : `failed with exit code ${result.exitCode}`
    return { command, how: `${how}:\n${(result.stdout + result.stderr).trim().split('\n').slice(-10).join('\n')}` }
  }
  return null
}

/** `gh`, `ao` and `ao-hook` as an agent finds them: the first two are answered by home. */
export function writeCommands(paths: FarPaths, host: string[]): void {
  mkdirSync(paths.bin, { recursive: true, mode: 0o700 })
  const program = host.map(quoteForShell).join(' ')
  for (const tool of ['gh', 'ao']) {
    writeScript(paths, tool, `#!/bin/sh\nexec ${program} forward ${quoteForShell(paths.socket)} ${tool} "$@"\n`)
  }
  writeScript(paths, 'ao-hook', `#!/bin/sh\nexec ${program} hook "$@"\n`)
}

/** Before a fetch, home fetches; without it the remote is as it was last. */
function fetchScript(paths: FarPaths, host: string[]): string {
  const program = host.map(quoteForShell).join(' ')
  return `#!/bin/sh\n${program} forward ${quoteForShell(paths.socket)} fetch || true\nexec git upload-pack "$@"\n`
}

/** A push to the remote that home plays succeeds only when home has passed it on. */
function writeHook(paths: FarPaths, host: string[]): void {
  const file = join(paths.origin, 'hooks', 'pre-receive')
  mkdirSync(dirname(file), { recursive: true })
  const program = host.map(quoteForShell).join(' ')
  writeFileAtomic(file, `#!/bin/sh\nexec ${program} forward ${quoteForShell(paths.socket)} push\n`, { durable: false })
  chmodSync(file, 0o755)
}

function writeScript(paths: FarPaths, name: string, text: string): string {
  mkdirSync(paths.bin, { recursive: true, mode: 0o700 })
  const file = join(paths.bin, name)
  writeFileAtomic(file, text, { mode: 0o755, durable: false })
  return file
}
