// Which settings and which history git may take from a repository that agents can write: found once for each version of its
// files, so that a git process costs a few calls of stat and no second process. The settings that are ignored, and why, are in
// core/git/local-settings.ts.
import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import {
  type GitSetting,
  isLocal,
  MAY_DECIDE,
  type Override,
  overridesOf,
  parseSettings,
} from '../../core/git/local-settings.ts'
import type { ExecResult } from '../../lib/exec.ts'
import { readIfReachable } from '../../lib/plain-file.ts'
import { type GitLocation, locateGit } from '../git-dir.ts'

/** Runs git on the git directory with what is the same for every command, and nothing of what is decided here. */
type PlainGit = (gitDir: string, args: readonly string[], extraEnv?: Record<string, string>) => Promise<ExecResult>

export interface Guard {
  overrides: readonly Override[]
  /** Commits that the repository calls the end of history have their parents here after all. */
  ignoreShallow: boolean
}

const NOTHING: Guard = { overrides: [], ignoreShallow: false }

interface Kept {
  stamp: string
  guard: Promise<Guard>
}

const kept = new Map<string, Kept>()
const MAX_KEPT = 500
const MOST_ENDS = 500

/** For a git process that is about to be started. Throws when the repository sends git to somebody else's files. */
export async function guardOf(
  { cwd, args, env }: { cwd: string; args: readonly string[]; env: NodeJS.ProcessEnv },
  git: PlainGit,
): Promise<Guard> {
  const found = findRepository(cwd, args)
  if (found === null) return NOTHING
  const { location, root } = found
  requireOwnSettings(cwd, location)
  const files = [join(location.commonDir, 'config'), join(location.gitDir, 'config.worktree')]
  const shallow = join(location.commonDir, 'shallow')
  const key = `${location.gitDir}\0${root}\0${env.HOME}\0${env.GIT_CONFIG_GLOBAL}`
  const stamp = [...files, shallow].map(stampOf).join(' ')
  const cached = kept.get(key)
  if (cached?.stamp === stamp) return cached.guard
  // What other files say is not part of the stamp, so it is read every time.
  const texts = files.map((file) => readIfReachable(file) ?? '')
  const guard = readGuard({ location, root, texts, hasShallow: stampOf(shallow) !== '' }, git)
  if (texts.some((text) => /\[include/i.test(text))) return guard
  kept.set(key, { stamp, guard })
  // A failure is not kept.
  guard.catch(() => kept.delete(key))
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
  return guard
}

interface Found {
  location: GitLocation
  /** The directory whose files git works on; null: none. */
  root: string | null
}

async function readGuard(
  { location, root, texts, hasShallow }: Found & { texts: string[]; hasShallow: boolean },
  git: PlainGit,
): Promise<Guard> {
  const mayDecide = texts.some((text) => MAY_DECIDE.test(text))
  if (!mayDecide && !hasShallow) return NOTHING
  const settings = mayDecide ? await listSettings(location.gitDir, git) : []
  requireOwnFiles(settings, { location, root })
  requireOwnSource(settings, location)
  return { overrides: overridesOf(settings), ignoreShallow: hasShallow && (await isWhole(location, git)) }
}

/** All settings that git has for the repository; those of the user may depend on where it is. */
async function listSettings(gitDir: string, git: PlainGit): Promise<GitSetting[]> {
  const listed = await git(gitDir, ['config', '--list', '-z', '--show-scope'])
  if (listed.ok) return parseSettings(listed.stdout)
  throw new AoError('GIT_FAILED', `git cannot read the settings in ${gitDir}: ${listed.stderr.trim()}`)
}

/**
 * A worktree shares the settings of its repository, in whose directory its own is. Anyone who can write there could substitute
 * another repository's settings, and with them programs that git runs.
 */
function requireOwnSettings(cwd: string, { gitDir, commonDir, linked }: GitLocation): void {
  if (!linked || commonDir === resolve(gitDir, '..', '..')) return
  throw new AoError('GIT_FAILED', `${cwd} was made to obey the git settings of ${commonDir}; git is not run there`, {
    hint: `If you did not do that, undo it: echo ../.. > '${gitDir}/commondir'`,
    details: { cwd, commonDir },
  })
}

/** A checkout's files are those beside its `.git`, whatever its settings say. */
function requireOwnFiles(settings: readonly GitSetting[], { location, root }: Found): void {
  const named = settings.findLast((one) => isLocal(one) && one.key === 'core.worktree')?.value
  if (named === undefined || root === null) return
  const directory = resolve(location.gitDir, named)
  if (directory === root || sameDirectory(directory, root)) return
  throw new AoError('GIT_FAILED', `${root} was made to work on the files of ${directory}; git is not run there`, {
    hint: `If you did not do that, undo it: git -C '${location.gitDir}' config --unset core.worktree`,
    details: { root, directory },
  })
}

/** In a partial clone every command fetches what is missing, and starts the program that the repository names for it. */
function requireOwnSource(settings: readonly GitSetting[], { gitDir }: GitLocation): void {
  const named = (name: string) => settings.find((one) => isLocal(one) && one.key.endsWith(`.${name}`))
  const program = named('uploadpack')
  if (program === undefined || (named('promisor') ?? named('partialclone')) === undefined) return
  throw new AoError(
    'GIT_FAILED',
    `${program.key} in ${gitDir} names a program for every missing object; git is not run there`,
    {
      hint: `If you did not do that, undo it: git -C '${gitDir}' config --unset-all '${program.key}'`,
      details: { gitDir, key: program.key },
    },
  )
}

function sameDirectory(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev
}

/** Can everything be reached without the list of where history ends? Then the list hides something. */
async function isWhole({ gitDir, commonDir }: GitLocation, git: PlainGit): Promise<boolean> {
  const ends = (readIfReachable(join(commonDir, 'shallow')) ?? '')
    .split('\n')
    .filter((line) => /^[0-9a-f]+$/.test(line))
  const args = ['rev-list', '--count', '--ignore-missing', '--all', ...ends.slice(0, MOST_ENDS)]
  return (await git(gitDir, args, { GIT_SHALLOW_FILE: '' })).ok
}

function findRepository(cwd: string, args: readonly string[]): Found | null {
  const given = args.find((word) => word.startsWith('--git-dir='))?.slice('--git-dir='.length)
  if (given !== undefined) {
    const location = locateGit(resolve(cwd, given))
    return location && { location, root: null }
  }
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    const location = locateGit(directory)
    if (location !== null) return { location, root: location.gitDir === directory ? null : directory }
    if (dirname(directory) === directory) return null
  }
}

function stampOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? '' : `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`
}
