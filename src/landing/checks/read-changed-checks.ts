// Which of its own checks a change touches: tests, CI configuration, and what the checks run, followed through files.
import type { ProjectConfig } from '../../contract/config.ts'
import { changedChecks, holdsCommands, scriptsOf } from '../../core/landing/own-checks/changed-checks.ts'
import { type Followed, followChecks } from '../../core/landing/own-checks/follow-checks.ts'
import { recipesOf } from '../../core/landing/own-checks/make-recipes.ts'
import { joinPath } from '../../core/landing/own-checks/named-files.ts'
import { gitOn } from '../../git/repository.ts'
import type { VerifiedRepository } from '../../git/vault/verified.ts'
import { readTexts } from '../resolve/git-files.ts'
import { type CommitRange, readChangedPaths, verifiedRange } from './read-change.ts'

export async function readChangedChecks(
  { gates = [] }: Pick<ProjectConfig, 'gates'>,
  range: CommitRange,
  /** What the forge itself runs as CI, where that is configured here. */
  ci: readonly string[] = [],
): Promise<string[]> {
  const changes = await readChangedPaths(range)
  if (changes.length === 0) return []
  const repository = await verifiedRange(range)
  const commands = [...gates.flatMap(({ run }) => run ?? []), ...ci]
  const followed = [await follow(repository, range.from, commands), await follow(repository, range.to, commands)]
  const holders = changes.filter(({ path }) => holdsCommands(path) || followed.some(({ named }) => named.has(path)))
  const texts = await readTexts(
    repository,
    holders.flatMap(({ blob, before }) => [blob, before.blob]).filter((id) => /[1-9a-f]/.test(id)),
  )
  const changed = new Set<string>()
  for (const { path, blob, before } of holders) {
    const targets = followed.flatMap(({ named }) => named.get(path)?.targets ?? [])
    const runOf = (id: string) => {
      const text = texts.get(id) ?? null
      // Too large to be compared in parts.
      if (text === null) return id
      return targets.length > 0 ? recipesOf(text, targets) : scriptsOf(path, text)
    }
    if (runOf(before.blob) !== runOf(blob)) changed.add(path)
  }
  return changedChecks(
    changes.map((one) => ({ ...one, isProgram: one.mode === '100755' })),
    { commands, followed, commandsChanged: (path) => changed.has(path) },
  )
}

async function follow(repository: VerifiedRepository, commit: string, commands: readonly string[]): Promise<Followed> {
  const follower = followChecks(commands)
  for (let paths = follower.wanted(); paths.length > 0; paths = follower.wanted()) {
    const entries = await entriesAt(repository, commit, paths)
    const blobs = [...entries.values()].filter(({ size }) => size <= MOST_BYTES).map(({ blob }) => blob)
    const texts = await readTexts(repository, blobs)
    const linkOf = (path: string) => {
      const { mode, blob = '' } = entries.get(path) ?? {}
      return mode === LINK ? texts.get(blob) : undefined
    }
    const isFile = (path: string) => /^100/.test(entries.get(path)?.mode ?? '')
    const read = paths.flatMap((path): Array<[string, string]> => {
      const text = isFile(path) ? texts.get(entries.get(path)!.blob) : undefined
      return text === undefined ? [] : [[path, text]]
    })
    const links = paths.flatMap((path): Array<[string, string]> => {
      const target = targetOf(path, linkOf)
      return target === null ? [] : [[path, target]]
    })
    follower.take(new Map(read), new Map(links))
  }
  return follower
}

const LINK = '120000'
const MOST_PARTS = 12
const MOST_BYTES = 256 * 1024

/** Where the first link on the way leads to, inside the repository. null: there is none. */
function targetOf(path: string, linkOf: (path: string) => string | undefined): string | null {
  for (const parent of withParents(path)) {
    const link = linkOf(parent)
    if (link === undefined) continue
    const base = joinPath(parent, '..') ?? ''
    const target = joinPath(base, link)
    return target === null ? null : joinPath(target, path.slice(parent.length + 1) || '.')
  }
  return null
}

function withParents(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

/** The files and links among these paths and the directories they are in. */
async function entriesAt(
  repository: VerifiedRepository,
  commit: string,
  paths: readonly string[],
): Promise<Map<string, { mode: string; blob: string; size: number }>> {
  const wanted = [...new Set(paths.filter((path) => path.split('/').length <= MOST_PARTS).flatMap(withParents))]
  const args = ['--literal-pathspecs', 'ls-tree', '-l', '-z', '--full-tree', commit, '--', ...wanted]
  const listed = await gitOn(repository, args, { read: true })
  return new Map(
    listed.split('\0').flatMap((row): Array<[string, { mode: string; blob: string; size: number }]> => {
      const [, mode = '', blob = '', size = '', path = ''] = /^(\d{6}) blob (\w+) +(\d+)\t([\s\S]+)$/.exec(row) ?? []
      return path === '' ? [] : [[path, { mode, blob, size: Number(size) }]]
    }),
  )
}
