// Line-ending rules and clean filters may store less than a file holds. Finds the changed files that a checkout would
// not bring back byte for byte, and stores those as they are.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { prefixQuoted } from '../quoted-path.ts'
import { type Checkout, gitIn, gitLines } from '../workspace/checkout.ts'
import { withIndex } from './capture-trees.ts'
import type { Change } from './tree-changes.ts'

/** `mode id<TAB>path` of the raw contents. Empty in nearly every repository. */
export async function saveInexactFiles(
  checkout: Checkout,
  options: { scratch: string; workIndex: string; changes: Change[] },
): Promise<string[]> {
  const files = options.changes.filter((change) => change.mode.startsWith('100'))
  const raw = await hashAsTheyAre(
    checkout,
    files.map((file) => file.path),
  )
  const converted = files.map((file, at) => ({ ...file, raw: raw[at]! })).filter((file) => file.raw !== file.id)
  if (converted.length === 0) return []

  const out = join(options.scratch, 'out')
  mkdirSync(out)
  const input = converted.map((file) => `${file.path}\n`).join('')
  await gitIn(checkout, ['checkout-index', `--prefix=${out}/`, '--stdin'], { ...withIndex(options.workIndex), input })
  const broughtBack = await hashAsTheyAre(
    checkout,
    converted.map((file) => prefixQuoted(`${out}/`, file.path)),
  )
  const inexact = converted.filter((file, at) => file.raw !== broughtBack[at])
  await hashAsTheyAre(
    checkout,
    inexact.map((file) => file.path),
    ['-w'],
  )
  return inexact.map((file) => `${file.mode} ${file.raw}\t${file.path}`)
}

/** Ids of the files' own bytes, past every filter. */
export async function hashAsTheyAre(checkout: Checkout, paths: string[], flags: string[] = []): Promise<string[]> {
  if (paths.length === 0) return []
  const input = paths.map((path) => `${path}\n`).join('')
  return gitLines(checkout, ['hash-object', ...flags, '--no-filters', '--stdin-paths'], { input })
}
