// What a pull request changes, in git's own format: from its merge base to its head; and which lines can be commented on.
import { AoError } from '../../contract/errors.ts'
import { readMergeBases } from '../../git/merge-memory.ts'
import { gitOn, tryGitOn } from '../../git/repository.ts'
import { type VerifiedRepository, verified } from '../../git/vault/verified.ts'
import type { LocalForge } from '../types.ts'
import { observePull } from './observe-pulls.ts'
import type { LocalPull } from './pull-events.ts'

export async function diffPull(forge: LocalForge, pull: LocalPull, format: readonly string[] = []): Promise<string> {
  const { repository, from, to } = await pullRange(forge, pull)
  return gitOn(repository, ['diff', '--no-color', '--ignore-submodules=none', ...format, from, to, '--'], {
    read: true,
  })
}

/** Its commits one by one, as mails that `git am` accepts. */
export async function patchPull(forge: LocalForge, pull: LocalPull): Promise<string> {
  const { repository, from, to } = await pullRange(forge, pull)
  const listed = await gitOn(repository, ['rev-list', '--parents', `${from}..${to}`], { read: true })
  await verified(repository, listed.split(/\s+/).filter(Boolean))
  return gitOn(repository, ['format-patch', '--stdout', '--no-color', `${from}..${to}`, '--'], { read: true })
}

interface PullRange {
  /** Holds both, verified. */
  repository: VerifiedRepository
  from: string
  to: string
}

/** A closed or merged one is compared with the base as it was before. */
export async function pullRange(forge: LocalForge, pull: LocalPull): Promise<PullRange> {
  const { headSha, baseSha } = await observePull(forge, pull)
  const end = pull.mergeCommit ?? baseSha
  if (end === null) throw new AoError('SCM_FAILED', `There is no base branch ${pull.base} in ${forge.project.path}`)
  const vault = await verified(forge.repository(), [headSha, end])
  const base = pull.mergeCommit === null ? end : await firstParent(vault, end)
  const from = (await readMergeBases(vault, { head: headSha, base }))?.[0] ?? base
  return { repository: await verified(vault, [from]), from, to: headSha }
}

/** Of the first commit of all: itself. */
async function firstParent(vault: VerifiedRepository, commit: string): Promise<string> {
  const parent = await tryGitOn(vault, ['rev-parse', '--verify', '--quiet', `${commit}^1`], { read: true })
  return parent.ok ? parent.stdout.trim() : commit
}

interface OnLine {
  path?: string | undefined
  startLine?: number | undefined
  line?: number | undefined
}

/**
 * Throws for the first comment that belongs to no line of the diff: nobody who reads the diff would see it. GitHub refuses it
 * too.
 */
export async function requireInDiff(forge: LocalForge, pull: LocalPull, comments: readonly OnLine[]): Promise<void> {
  const paths = new Set(comments.flatMap(({ path }) => path ?? []))
  if (paths.size === 0) return
  const { repository, from, to } = await pullRange(forge, pull)
  for (const path of paths) {
    const format = ['--no-color', '--no-ext-diff', '--no-textconv', '--unified=3']
    const diff = await gitOn(repository, ['diff', ...format, from, to, '--', `:(literal)${path}`], { read: true })
    const ranges = newLines(diff)
    const outside = comments.find((one) => one.path === path && !isInside(one, diff, ranges))
    if (outside === undefined) continue
    const lines = outside.startLine === undefined ? `${outside.line}` : `${outside.startLine}-${outside.line}`
    const where = outside.line === undefined ? path : `${path}:${lines}`
    throw new AoError('USAGE', `${where} is not part of the diff of pull request ${pull.number}`, {
      hint: `See what it changes with: ao pr diff ${pull.number}; a comment without a line can say anything`,
      details: { number: pull.number, path, line: outside.line },
    })
  }
}

type Range = readonly [first: number, last: number]

/** Several lines must be together in one hunk of the diff. */
function isInside({ startLine, line }: OnLine, diff: string, ranges: readonly Range[]): boolean {
  if (line === undefined) return diff !== ''
  const from = startLine ?? line
  return from <= line && ranges.some(([first, last]) => from >= first && line <= last)
}

/** The lines of the new file that a diff shows; of a deleted file, those of the old one. */
export function newLines(diff: string): Range[] {
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(
    ([, oldStart, oldCount, start, count]) => {
      const isDeleted = start === '0' && count === '0'
      const first = Number(isDeleted ? oldStart : start)
      return [first, first + Number((isDeleted ? oldCount : count) ?? 1) - 1] as const
    },
  )
}

interface PullFile {
  path: string
  previousPath?: string | undefined
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed'
  additions: number
  deletions: number
  /** Of the new content; for a removed file, of the old one. */
  sha: string
  /** Its hunks; '' for non-text files. */
  patch: string
}

const STATUS = { A: 'added', D: 'removed', M: 'modified', R: 'renamed', C: 'copied', T: 'changed' } as const
/** The person's own git settings must not change the output we parse. All three list files in the same order. */
const PLAIN = ['--find-renames', '--no-ext-diff', '--no-textconv', '--src-prefix=a/', '--dst-prefix=b/']

/** As GitHub lists them: status, counts, and the patch of each. */
export async function pullFiles(forge: LocalForge, pull: LocalPull): Promise<PullFile[]> {
  const raw = await diffPull(forge, pull, [...PLAIN, '--raw', '-z', '--no-abbrev'])
  const counts = (await diffPull(forge, pull, [...PLAIN, '--numstat', '-z'])).split('\0')
  const patches = (await diffPull(forge, pull, PLAIN)).split(/^(?=diff --git )/m)
  const fields = raw.split('\0')
  const files: PullFile[] = []
  while (fields[0]?.startsWith(':')) {
    const [, , before = '', after = '', word = ''] = fields.shift()!.split(' ')
    const letter = word[0] as keyof typeof STATUS
    const first = fields.shift()!
    const hasTwo = letter === 'R' || letter === 'C'
    const path = hasTwo ? fields.shift()! : first
    const [added = '', deleted = ''] = counts.shift()!.split('\t')
    // A rename has its two names after the counts.
    if (hasTwo) counts.splice(0, 2)
    files.push({
      path,
      previousPath: hasTwo ? first : undefined,
      status: STATUS[letter] ?? 'changed',
      additions: Number(added) || 0,
      deletions: Number(deleted) || 0,
      sha: letter === 'D' ? before : after,
      patch: hunksOf(patches[files.length] ?? ''),
    })
  }
  return files
}

function hunksOf(patch: string): string {
  const start = patch.search(/^@@ /m)
  return start === -1 ? '' : patch.slice(start).replace(/\n$/, '')
}
