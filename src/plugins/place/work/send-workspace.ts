// Makes the far workspace out of the mirror: commits and uncommitted work as objects, files that git ignores one by one, then
// the project's own commands there.
import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../../../contract/errors.ts'
import { runGit, tryGit } from '../../../git/git.ts'
import { openRepository, tryGitOn } from '../../../git/repository.ts'
import { readBytes, readIfReachable } from '../../../lib/plain-file.ts'
import type { AwayLaunch } from '../../../slots/runtime.ts'
import type { CheckoutRequest, FarWork, TravellingFile } from '../far-contract.ts'
import type { Far } from '../reach/far.ts'
import { captureMirror, type Mirror, placeRef } from './mirror.ts'
import { sendObjects } from './send-objects.ts'

/** `clonesRemote`: the place may fetch from the project's remote. */
export async function sendWorkspace(
  far: Far,
  mirror: Mirror,
  away: AwayLaunch,
  { clonesRemote }: { clonesRemote: boolean },
): Promise<FarWork> {
  const work = await captureMirror(mirror)
  await noteOtherWork(mirror, work, away.onNotice)
  const branch = work.ref!.replace('refs/heads/', '')
  const repository = openRepository(mirror.path, mirror.env)
  const { commonDir } = repository
  const remote = await neededBranches(away.project, branch, mirror.env)
  const url = clonesRemote ? await remoteUrl(mirror) : null
  await during('sending its commits', () =>
    sendObjects(far, repository, {
      base: [...new Set(Object.values(remote))],
      work: work.work,
      remote: url === null ? null : { url, branches: Object.keys(remote) },
      onNotice: away.onNotice,
    }),
  )
  const request: CheckoutRequest = {
    branch,
    head: work.head,
    work: work.work,
    remote,
    settings: await identityOf(mirror),
    exclude: await excludesOf(mirror, commonDir),
  }
  await during('checking out its workspace', () =>
    far.ask('POST /checkout', { body: request }, { timeoutMs: CHECKOUT_MS }),
  )
  const files = await ignoredFiles(mirror, away.onNotice)
  await during('sending files that git ignores', () =>
    far.ask('POST /files', { body: files }, { timeoutMs: CHECKOUT_MS }),
  )
  await during('running postCreate', () => runPostCreate(far, away))
  return work
}

/** What the work is for, and its own branch where the remote has that; `git fetch` brings others. */
async function neededBranches(
  { path, defaultBranch }: AwayLaunch['project'],
  branch: string,
  env: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const all = await remoteBranches(path, defaultBranch, env)
  return Object.fromEntries([defaultBranch, branch].flatMap((name) => (all[name] ? [[name, all[name]]] : [])))
}

/** Without a password or token in it: a place has access of its own, or none. */
async function remoteUrl({ path, env }: Mirror): Promise<string | null> {
  const found = await tryGit(path, ['remote', 'get-url', 'origin'], { env, read: true })
  return found.ok ? found.stdout.trim().replace(/^(https?:\/\/)[^/@]*@/, '$1') : null
}

const CHECKOUT_MS = 600_000

/** What is cut off or takes too long is named: the words of a broken stream say nothing about it. */
async function during<T>(what: string, step: () => Promise<T>): Promise<T> {
  const began = performance.now()
  try {
    return await step()
  } catch (error) {
    if (error instanceof AoError && error.code === 'POST_CREATE_FAILED') throw error
    const seconds = Math.round((performance.now() - began) / 1000)
    throw new AoError('PLACE_FAILED', `${what} in the place failed after ${seconds} s: ${errorText(error)}`, {
      cause: error,
    })
  }
}

/** A mirror that could not follow, because somebody changed it: both are kept, and the user decides. */
async function noteOtherWork(mirror: Mirror, sent: FarWork, onNotice: (line: string) => void): Promise<void> {
  const ref = placeRef(mirror.sessionId)
  const found = await tryGit(mirror.path, ['rev-parse', '--verify', '--quiet', ref], { env: mirror.env, read: true })
  if (!found.ok || found.stdout.trim() === sent.work) return
  onNotice(`The worktree of ${mirror.sessionId} differs from the work that came from its place; that is in ${ref}`)
}

/** Of origin where there is one; else the default branch as it is here. Cars of a train too: agents are asked to build on them. */
export async function remoteBranches(
  project: string,
  defaultBranch: string,
  env: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const repository = openRepository(project, env)
  const listed = async (pattern: string) => {
    const found = await tryGitOn(repository, ['for-each-ref', '--format=%(objectname) %(refname)', pattern], {
      read: true,
    })
    return found.stdout.split('\n').flatMap((line) => (line.includes(' ') ? [line.split(' ') as [string, string]] : []))
  }
  const ofOrigin = await listed('refs/remotes/origin/')
  const branches = ofOrigin.length > 0 ? ofOrigin : await listed(`refs/heads/${defaultBranch}`)
  const rows = [...branches, ...(await listed('refs/ao/train/'))]
  return Object.fromEntries(
    rows.flatMap(([id, ref]) => {
      const name = ref.replace(/^refs\/(?:remotes\/origin|heads)\//, '').replace(/^refs\/(?=ao\/train\/)/, '')
      return name === 'HEAD' ? [] : [[name, id]]
    }),
  )
}

async function identityOf(mirror: Mirror): Promise<Record<string, string>> {
  const settings: Record<string, string> = {}
  for (const name of ['user.name', 'user.email']) {
    const found = await tryGit(mirror.path, ['config', '--get', name], { env: mirror.env, read: true })
    if (found.ok) settings[name] = found.stdout.trim()
  }
  return settings
}

/** The repository's own excludes, and the user's. */
async function excludesOf(mirror: Mirror, commonDir: string): Promise<string> {
  const configured = await tryGit(mirror.path, ['config', '--type=path', '--get', 'core.excludesFile'], {
    env: mirror.env,
    read: true,
  })
  const { HOME = '', XDG_CONFIG_HOME = join(HOME, '.config') } = mirror.env
  const ofUser = configured.ok ? configured.stdout.trim() : join(XDG_CONFIG_HOME, 'git', 'ignore')
  return [join(commonDir, 'info', 'exclude'), ofUser].map((file) => readIfReachable(file) ?? '').join('\n')
}

const MAX_FILES = 2_000
const MAX_BYTES = 16 * 1024 * 1024

/** Env files, `.worktreeinclude` and `.ao/`: what the workspace was given besides its commits. */
async function ignoredFiles(mirror: Mirror, onNotice: (line: string) => void): Promise<TravellingFile[]> {
  const args = ['ls-files', '--others', '--ignored', '--exclude-standard', '-z']
  const names = (await runGit(mirror.path, args, { env: mirror.env, read: true }))
    .split('\0')
    .filter((name) => name !== '')
  const files: TravellingFile[] = []
  let bytes = 0
  for (const path of names) {
    const stats = lstatSync(join(mirror.path, path), { throwIfNoEntry: false })
    if (stats === undefined) continue
    if (stats.isSymbolicLink()) {
      const link = readlinkSync(join(mirror.path, path))
      // It leads to this machine.
      if (!link.startsWith('/')) files.push({ path, mode: 0o777, link })
    } else if (stats.isFile()) {
      bytes += stats.size
      if (files.length >= MAX_FILES || bytes > MAX_BYTES) {
        onNotice(
          `Not sent to the place: ignored files beyond ${MAX_FILES} or ${MAX_BYTES / 1024 / 1024} MB, from ${path} on`,
        )
        break
      }
      files.push({ path, mode: stats.mode & 0o777, data: readBytes(join(mirror.path, path)).toString('base64') })
    }
  }
  return files
}

const DEFAULT_TIMEOUT_S = 300

async function runPostCreate(far: Far, { project, sessionId }: AwayLaunch): Promise<void> {
  const commands = project.postCreate ?? []
  if (commands.length === 0) return
  const timeoutMs = (project.postCreateTimeout ?? DEFAULT_TIMEOUT_S) * 1000
  const env = { AO_SESSION: sessionId, AO_PROJECT_ID: project.id }
  const { failed } = await far.ask(
    'POST /commands',
    { body: { commands, timeoutMs, env } },
    { timeoutMs: timeoutMs * commands.length + 30_000 },
  )
  if (failed === null) return
  throw new AoError('POST_CREATE_FAILED', `postCreate command ${JSON.stringify(failed.command)} ${failed.how}`, {
    details: { command: failed.command },
  })
}
