// Which conflicts the rules would solve, as far as that can be said without running a command: for what people see, and for who boards.
// Loaded where there are rules.
import {
  type ConflictedFile,
  type Remedy,
  type ResolveEntry,
  remedyOf,
  resolveRules,
} from '../../core/landing/resolve/rules.ts'
import { uniteAdditions } from '../../core/landing/resolve/unite-additions.ts'
import { uniteJson } from '../../core/landing/resolve/unite-json.ts'
import { uniteLines } from '../../core/landing/resolve/unite-lines.ts'
import type { Repository } from '../../git/repository.ts'
import type { MergedPair } from '../make-merge-commit.ts'
import { readMerge, readTexts } from './git-files.ts'

export function blobsOf({ stages }: ConflictedFile): string[] {
  return stages.map(({ blob }) => blob)
}

export type UnitingKind = 'union' | 'additions'

/** Is it made of both sides' texts? */
export function isUniting(kind: Remedy['kind']): kind is UnitingKind {
  return kind === 'union' || kind === 'additions'
}

/** null: a version is no text, or both sides changed the same. */
export function uniteFile(
  kind: UnitingKind,
  { path, stages }: ConflictedFile,
  texts: ReadonlyMap<string, string>,
): string | null {
  const textOf = (stage: string) => texts.get(stages.find((one) => one.stage === stage)?.blob ?? '')
  const [ours, theirs] = [textOf('2'), textOf('3')]
  const hasCommon = stages.some(({ stage }) => stage === '1')
  const common = textOf('1')
  if (ours === undefined || theirs === undefined || (hasCommon && common === undefined)) return null
  if (path.endsWith('.json')) return uniteJson(common ?? null, ours, theirs)
  return (kind === 'union' ? uniteLines : uniteAdditions)(common ?? '', ours, theirs)
}

/** Would these conflicts be solved, as far as that can be said without running a command? */
export async function findSolved(
  repository: Repository,
  entries: readonly ResolveEntry[],
  conflicts: readonly ConflictedFile[],
  extraEnv?: Record<string, string>,
): Promise<Set<ConflictedFile>> {
  const rules = resolveRules(entries)
  const remedies = conflicts.map((file) => ({ file, kind: remedyOf(rules, file).kind }))
  const unions = remedies.flatMap(({ file, kind }) => (isUniting(kind) ? [file] : []))
  const texts = await readTexts(repository, unions.flatMap(blobsOf), extraEnv)
  const isSolved = ({ file, kind }: (typeof remedies)[number]) =>
    isUniting(kind) ? uniteFile(kind, file, texts) !== null : kind !== 'none'
  return new Set(remedies.filter(isSolved).map(({ file }) => file))
}

/** All conflicts of the two. null: git could not say. */
export async function solvesAll(
  repository: Repository,
  entries: readonly ResolveEntry[],
  pair: MergedPair,
): Promise<boolean | null> {
  const merge = await readMerge(repository, pair)
  if (merge === null) return null
  return (await findSolved(repository, entries, merge.conflicts)).size === merge.conflicts.length
}
