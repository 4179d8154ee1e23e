// Proof that a rescue is restored in a workspace: its state is collected again, exactly as for saving it, and compared.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError } from '../../contract/errors.ts'
import type { Checkout } from '../workspace/checkout.ts'
import { type Capture, captureTrees, type Head } from './capture-trees.ts'
import { isSameRescue, type RescueParts } from './rescue-commit.ts'
import type { StoredRescue } from './rescue-refs.ts'
import type { LooseRef } from './rescue-state.ts'
import { listEntries, readList } from './restore-state.ts'
import { collectParts } from './save-rescue.ts'
import { changesBetween } from './tree-changes.ts'

export interface Proof {
  checkout: Checkout
  rescue: StoredRescue
  scratch: string
  /** The workspace before anything was restored. */
  before: Capture
}

/** HEAD was the rescued one: everything must be as it was. */
export async function requireSameState(proof: Proof, parts: RescueParts): Promise<void> {
  const { checkout, before } = proof
  if (before.workTree !== before.head.tree) return requireSameFiles(proof, parts.workTree, null)
  const looseRefs = await readLooseRefs(checkout, parts)
  const now = await collectParts({ checkout, looseRefs }, freshScratch(proof))
  if (now !== null && isSameRescue(now, parts)) return
  const files = await changesBetween(checkout, parts.workTree, now?.workTree ?? before.head.tree)
  const staged = now?.index !== parts.index ? ['what was staged'] : []
  const state = now?.state !== parts.state ? ["files' exact bytes or the operation under way"] : []
  throw notTheSame(proof, [...files.map((one) => one.path), ...staged, ...state])
}

/** The branch moved on, or a hook left files of its own: the rescue's files must be present, whatever else is. */
export async function requireSameFiles(proof: Proof, workTree: string, head: Head | null): Promise<void> {
  const { checkout, before } = proof
  const now = await captureTrees(checkout, freshScratch(proof))
  const carried = await changesBetween(checkout, before.head.tree, before.workTree)
  const expected = new Set(carried.map((one) => one.path))
  const different = (await changesBetween(checkout, workTree, now.workTree)).filter((one) => !expected.has(one.path))
  const staged = head !== null && now.indexTree !== head.tree ? ['what is staged'] : []
  if (different.length + staged.length > 0) throw notTheSame(proof, [...different.map((one) => one.path), ...staged])
}

async function readLooseRefs(checkout: Checkout, parts: RescueParts): Promise<LooseRef[]> {
  const entries = parts.state === null ? [] : await listEntries(checkout, parts.state)
  const lines = await readList(checkout, entries, 'refs')
  return lines.map((line) => ({ id: line.slice(0, line.indexOf(' ')), ref: line.slice(line.indexOf(' ') + 1) }))
}

function freshScratch({ scratch }: Proof): string {
  const fresh = join(scratch, 'proof')
  mkdirSync(fresh)
  return fresh
}

function notTheSame({ checkout, rescue }: Proof, what: string[]): AoError {
  const named = what.slice(0, 5).join(', ') + (what.length > 5 ? ` and ${what.length - 5} more` : '')
  const message = `The work saved in ${rescue.ref} did not come back exactly; different: ${named || 'its HEAD'}`
  return new AoError('WORKSPACE_FAILED', message, {
    hint: `It is still saved. Inspect it with: git show --stat ${rescue.ref}`,
    details: { path: checkout.path, ref: rescue.ref, different: what },
  })
}
