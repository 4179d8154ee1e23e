// Merges two commits by the rules of `landing.resolve`: numbers that are taken, then files that both sides changed. Without a
// worktree, except for commands. What comes out is a tree like every other: it lands only when its checks pass.
import { AoError, errorText } from '../../contract/errors.ts'
import {
  type ConflictedFile,
  mergedMode,
  type ResolveRule,
  remedyOf,
  sequencesOf,
} from '../../core/landing/resolve/rules.ts'
import { readMergeBases } from '../../git/merge-memory.ts'
import type { Repository } from '../../git/repository.ts'
import type { VerifiedRepository } from '../../git/vault/verified.ts'
import type { MergedPair } from '../make-merge-commit.ts'
import { blobsOf, isUniting, type UnitingKind, uniteFile } from './find-solved.ts'
import { commitTree, editTree, readMerge, readTexts, type TreeEdit, writeBlob } from './git-files.ts'
import { type Order, type RegenerateHost, regenerate } from './regenerate.ts'
import { renumberChange } from './renumber.ts'

/** `by`: what was done, a line for each file. `why`: a rule is about it, and could not do it. */
export type Resolution = { tree: string; by: string[] } | { why: string } | null

/** Asked about conflicts that no rule is about: the merged tree; null: they need somebody. */
export type SolveRest = (repository: Repository, pair: MergedPair) => Promise<string | null>

export interface Resolver {
  /** null: no rule has anything to do with it. */
  resolve(vault: VerifiedRepository, pair: MergedPair, rest: SolveRest): Promise<Resolution>
}

/** What is about this merge; anything else, such as a full disk, is not. */
const EXPECTED: readonly string[] = ['CONFIG_UNTRUSTED', 'GIT_FAILED', 'FILE_UNUSABLE']

export function createResolver(rules: readonly ResolveRule[], host: RegenerateHost): Resolver | null {
  if (rules.length === 0) return null
  return {
    async resolve(vault, pair, rest) {
      try {
        host.requireTrust()
        return await resolve({ rules, host, vault, pair, rest })
      } catch (error) {
        // Then everything is as without rules, and whoever is asked hears why.
        if (error instanceof AoError && EXPECTED.includes(error.code)) return { why: errorText(error) }
        throw error
      }
    },
  }
}

interface Merging {
  rules: readonly ResolveRule[]
  host: RegenerateHost
  vault: VerifiedRepository
  pair: MergedPair
  rest: SolveRest
}

async function resolve({ rules, host, vault, pair, rest }: Merging): Promise<Resolution> {
  const renumbered = await renumberChange(vault, pair, sequencesOf(rules))
  if (renumbered && 'why' in renumbered) return renumbered
  const by = renumbered?.renamings.map(({ from, to }) => `${from} became ${to}`) ?? []
  const adapted = { ours: pair.ours, theirs: renumbered?.theirs ?? pair.theirs }
  const merge = await readMerge(vault, adapted)
  if (merge === null) return null
  if (merge.conflicts.length === 0) return renumbered ? { tree: merge.tree, by } : null
  const plan = await planFiles(vault, rules, merge.conflicts)
  const why = plan.failed.map(({ path, why }) => `${path}: ${why}`).join('; ')
  if (plan.united.length + plan.orders.length === 0 && !renumbered) return { why }
  const tree = await mergeRest(vault, adapted, merge.conflicts, plan, rest)
  if (tree === null) return { why: why || 'git merges the rest of it in another way' }
  const united = plan.united.length === 0 ? tree : await editTree(vault, tree, plan.united)
  by.push(...plan.united.map(({ path, kind }) => `${path} has the ${UNITED[kind].made} of both`))
  if (plan.orders.length === 0) return { tree: united, by }
  const made = await regenerate(host, vault, { tree: united, onto: pair.ours, orders: plan.orders })
  if ('problem' in made) return { why: made.problem }
  by.push(...plan.orders.map(({ path, rule }) => `${path} was made again with: ${rule.run}`))
  return { tree: made.tree, by }
}

interface Plan {
  united: Array<TreeEdit & { kind: UnitingKind }>
  orders: Order[]
  failed: Array<{ path: string; why: string }>
}

async function planFiles(
  vault: VerifiedRepository,
  rules: readonly ResolveRule[],
  conflicts: readonly ConflictedFile[],
): Promise<Plan> {
  const plan: Plan = { united: [], orders: [], failed: [] }
  for (const file of conflicts) {
    const remedy = remedyOf(rules, file)
    if (remedy.kind === 'regenerate') plan.orders.push({ rule: remedy, path: file.path })
    if (remedy.kind === 'none') plan.failed.push({ path: file.path, why: remedy.why })
    // Its number is free now; two files of one name are left only when git sees more in it.
    if (remedy.kind === 'sequence') plan.failed.push({ path: file.path, why: 'it has the same name on both sides' })
    const { kind } = remedy
    if (!isUniting(kind)) continue
    const { path } = file
    const text = uniteFile(kind, file, await readTexts(vault, blobsOf(file)))
    if (text === null) plan.failed.push({ path, why: UNITED[kind].not })
    else plan.united.push({ kind, path, mode: mergedMode(file), blob: await writeBlob(vault, text) })
  }
  return plan
}

const UNITED: Record<UnitingKind, { made: string; not: string }> = {
  union: { made: 'lines', not: 'it is more than lines that both sides added' },
  additions: { made: 'additions', not: 'one side changed what is beside the work of the other' },
}

/** Files with a remedy count as the base branch has them, so that git, and what was learned before, see only the others. */
async function mergeRest(
  vault: VerifiedRepository,
  pair: MergedPair,
  conflicts: readonly ConflictedFile[],
  { united, orders, failed }: Plan,
  rest: SolveRest,
): Promise<string | null> {
  const remedied = new Set([...united, ...orders].map(({ path }) => path))
  const edits = conflicts
    .filter(({ path }) => remedied.has(path))
    .map(({ path, stages }): TreeEdit => {
      const { mode, blob } = stages.find(({ stage }) => stage === '2')!
      return { path, mode, blob }
    })
  const tree = await editTree(vault, `${pair.theirs}^{tree}`, edits)
  const [from] = (await readMergeBases(vault, { head: pair.theirs, base: pair.ours })) ?? []
  if (from === undefined) return null
  const adapted = { ours: pair.ours, theirs: await commitTree(vault, tree, from) }
  if (failed.length > 0) return rest(vault, adapted)
  const merged = await readMerge(vault, adapted)
  return merged !== null && merged.conflicts.length === 0 ? merged.tree : null
}
