// What a repository holds that would make git show other content than what is stored, or start programs. ao's own git obeys
// none of it; the user's does.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../../contract/config.ts'
import { type GitSetting, parseSettings, suspiciousSettings } from '../../../core/git/local-settings.ts'
import { quoteForShell } from '../../../core/text/command-line.ts'
import { formatAge, plural } from '../../../core/text/format-age.ts'
import { gitOn, openRepository, type Repository } from '../../../git/repository.ts'
import { handMoveText, readHandMoves } from '../../../landing/watch/hand-moves.ts'
import { readIfReachable } from '../../../lib/plain-file.ts'
import { type Finding, guarded } from '../../print/findings.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'

export async function checkGitData(ao: Ao, io: Io): Promise<Finding[]> {
  const projects = Object.values(ao.config.projects).filter(({ path }) => existsSync(join(path, '.git')))
  const found = projects.map((project) =>
    guarded(nameOf(project), () => checkProject(project, ao.paths.project(project.id).dir, io), 'warn'),
  )
  return (await Promise.all(found)).flat()
}

const nameOf = ({ id }: ProjectConfig) => `git data of ${id}`

async function checkProject(project: ProjectConfig, projectDir: string, io: Io): Promise<Finding[]> {
  const repository = openRepository(project.path, io.env)
  const [replaced, settings] = await Promise.all([findReplacements(repository), findSettings(repository)])
  const moves = findMoves(project, projectDir, io)
  const found = [...replaced, ...findFiles(repository), ...findLocks(repository, io), ...settings, ...moves]
  return found.map(([detail, fix]) => ({ level: 'warn', name: nameOf(project), detail, fix }))
}

type Found = [detail: string, fix: string]

const SHOWN_MS = 7 * 24 * 60 * 60_000

/** Of a project with a train, whose base branch nothing else is to move. */
function findMoves({ defaultBranch }: ProjectConfig, projectDir: string, io: Io): Found[] {
  const since = io.clock.now().getTime() - SHOWN_MS
  const recent = readHandMoves(projectDir).filter(({ at }) => Date.parse(at) > since)
  return recent.map((move): Found => {
    return [
      handMoveText(move, defaultBranch),
      `See it with: git log -p ${move.from.slice(0, 10)}..${move.to.slice(0, 10)}`,
    ]
  })
}

async function findReplacements(repository: Repository): Promise<Found[]> {
  const listed = await gitOn(repository, ['for-each-ref', '--format=%(refname)', 'refs/replace/'], { read: true })
  const refs = listed.split('\n').filter(Boolean)
  if (refs.length === 0) return []
  const ids = refs.map((ref) => ref.slice('refs/replace/'.length))
  const named = `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}`
  return [
    [
      `${plural(ids.length, 'object')} replaced (refs/replace): your own git shows other content than the one stored under ${named}`,
      `See it with: git replace --list --format=long; remove it with: git replace -d ${ids[0]}`,
    ],
  ]
}

const FILES: ReadonlyArray<readonly [file: string, what: string, fix: string]> = [
  ['info/grafts', 'gives commits other parents than they have, for your own git', 'Read it, then remove it: rm'],
  ['info/attributes', 'changes how your own git shows, merges and checks out files', 'Read it: cat'],
  ['objects/info/alternates', 'has git read objects of other directories; a landing relies on them', 'Read it: cat'],
]

function findFiles({ commonDir }: Repository): Found[] {
  return FILES.flatMap(([file, what, fix]): Found[] => {
    const path = join(commonDir, file)
    const lines = (readIfReachable(path) ?? '')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    return lines.length === 0 ? [] : [[`${file} ${what}`, `${fix} '${path}'`]]
  })
}

/** Git holds one for milliseconds. */
const LEFT_AFTER_MS = 60_000

/** What a killed git or a power loss left: whatever changes such a ref waits for it in vain. */
function findLocks({ commonDir }: Repository, io: Io): Found[] {
  const heads = join(commonDir, 'refs', 'heads')
  const refs = existsSync(heads) ? readdirSync(heads, { recursive: true, encoding: 'utf8' }) : []
  const worktrees = join(commonDir, 'worktrees')
  const checkouts = [
    '',
    ...(existsSync(worktrees) ? readdirSync(worktrees) : []).map((name) => join('worktrees', name)),
  ]
  const names = [
    ...['packed-refs.lock', 'config.lock', 'shallow.lock'],
    ...checkouts.flatMap((name) => [join(name, 'HEAD.lock'), join(name, 'index.lock')]),
    ...refs.map((name) => join('refs', 'heads', name)),
  ]
  return names.flatMap((name): Found[] => {
    const path = join(commonDir, name)
    const made = name.endsWith('.lock') ? statSync(path, { throwIfNoEntry: false })?.mtime : undefined
    const now = io.clock.now()
    if (made === undefined || now.getTime() - made.getTime() <= LEFT_AFTER_MS) return []
    const detail = `git's lock ${name} was left ${formatAge(made, now)} ago`
    return [[detail, `If no git process is running there: rm ${quoteForShell(path)}`]]
  })
}

async function findSettings(repository: Repository): Promise<Found[]> {
  const listed = await gitOn(repository, ['config', '--list', '-z', '--show-scope'], { read: true })
  const keys = new Map(suspiciousSettings(parseSettings(listed)).map((one) => [one.key, one]))
  return [...keys.values()].map((one): Found => {
    return [`${one.key} is set in the repository itself, where agents can write; ao does not use it`, moveIt(one)]
  })
}

function moveIt({ key, value }: GitSetting): string {
  const name = quoteForShell(key)
  return `If it is yours: git config --global ${name} ${quoteForShell(value)}; if not: git config --unset-all ${name}`
}
