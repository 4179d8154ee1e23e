// The files of a merge, rebase, cherry-pick, revert or bisect in progress in a checkout, and of a sparse one.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readBytes, readIfThere } from '../../lib/plain-file.ts'
import type { Checkout } from '../workspace/checkout.ts'

const OPERATION = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'BISECT_LOG',
  'BISECT_START',
]
/** Belong to an operation, but may also be left over without one. */
const ALONG = [
  'MERGE_MSG',
  'MERGE_MODE',
  'ORIG_HEAD',
  'REBASE_HEAD',
  'SQUASH_MSG',
  'BISECT_TERMS',
  'BISECT_NAMES',
  'BISECT_EXPECTED_REV',
  'BISECT_ANCESTORS_OK',
  'BISECT_FIRST_PARENT',
  'refs/bisect',
]
/** Which files the checkout contains at all. */
const SPARSE = 'info/sparse-checkout'

/** Their paths below the git directory; empty when nothing is in progress and everything is checked out. */
export function operationFiles(checkout: Checkout): string[] {
  const exists = (name: string) => existsSync(join(checkout.gitDir, name))
  const operation = OPERATION.some(exists) ? [...OPERATION, ...ALONG] : []
  return [...operation, ...sparseFiles(checkout)].filter(exists).flatMap((name) => filesBelow(checkout.gitDir, name))
}

/** Patterns without the setting that enables them are leftovers. */
function sparseFiles({ gitDir }: Checkout): string[] {
  const settings = readIfThere(join(gitDir, 'config.worktree')) ?? ''
  return /^\s*sparseCheckout\s*=\s*true/im.test(settings) ? [SPARSE, 'config.worktree'] : []
}

/** Every full object id that these files mention: commits that may be reachable from nowhere else. */
export function mentionedIds(checkout: Checkout, files: string[]): string[] {
  const ids = files.flatMap((file) => {
    const text = readBytes(join(checkout.gitDir, file)).toString('latin1')
    return text.match(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g) ?? []
  })
  return [...new Set(ids)]
}

function filesBelow(gitDir: string, name: string): string[] {
  if (!statSync(join(gitDir, name)).isDirectory()) return [name]
  return readdirSync(join(gitDir, name)).flatMap((entry) => filesBelow(gitDir, `${name}/${entry}`))
}
