// The files of a merge, rebase, cherry-pick or revert that is under way in a checkout.
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readBytes } from '../../lib/plain-file.ts'
import type { Checkout } from '../workspace/checkout.ts'

const OPERATION = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply', 'sequencer']
/** Belong to an operation, but also lie around without one. */
const ALONG = ['MERGE_MSG', 'MERGE_MODE', 'ORIG_HEAD', 'REBASE_HEAD', 'SQUASH_MSG']

/** Their paths below the git directory; empty when nothing is under way. */
export function operationFiles(checkout: Checkout): string[] {
  const present = (name: string) => existsSync(join(checkout.gitDir, name))
  if (!OPERATION.some(present)) return []
  return [...OPERATION, ...ALONG].filter(present).flatMap((name) => filesBelow(checkout.gitDir, name))
}

/** Every full object id that these files mention: commits that perhaps nothing else holds. */
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
