// Line-ending rules and filters make what git stores differ from what a file contains. Finds the files, changed or not,
// that a checkout would not restore byte for byte, and stores those verbatim.
import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { prefixQuoted } from '../quoted-path.ts'
import { type Checkout, fileOf, gitIn, gitLines } from '../workspace/checkout.ts'
import { withIndex } from './capture-trees.ts'
import { type Conversion, findConversions } from './conversions.ts'
import type { Change } from './tree-changes.ts'

interface Tracked {
  mode: string
  id: string
  path: string
}

interface Converted extends Tracked {
  raw: string
  conversion: Conversion
}

/** `mode id<TAB>path` of the raw contents. Empty in nearly every repository. */
export async function saveInexactFiles(
  checkout: Checkout,
  options: { scratch: string; workIndex: string; changes: Change[] },
): Promise<string[]> {
  const tracked = await listFiles(checkout, options.workIndex)
  const conversions = await findConversions(
    checkout,
    tracked.map((file) => file.path),
  )
  const converted = tracked.filter((file) => conversions.has(file.path))
  if (converted.length === 0) return []
  const raw = await hashAsTheyAre(checkout, pathsOf(converted))
  const files = converted.map((file, at) => ({ ...file, raw: raw[at]!, conversion: conversions.get(file.path)! }))
  const changed = new Set(options.changes.map((change) => change.path))
  const inexact = [
    ...files.filter(isKeptPointer),
    ...(await findDifferent(
      checkout,
      options,
      files.filter((file) => isDoubtful(file, changed)),
    )),
  ]
  await hashAsTheyAre(checkout, pathsOf(inexact), ['-w'])
  return inexact.map((file) => `${file.mode} ${file.raw}\t${file.path}`)
}

/** An LFS pointer in place of the file itself: asking the filter might fetch it from a server. */
function isKeptPointer({ raw, id, conversion }: Converted): boolean {
  return conversion === 'lfs' && raw === id
}

function isDoubtful({ raw, id, path, conversion }: Converted, changed: Set<string>): boolean {
  // The pointer names the content, so git-lfs restores exactly the same content.
  if (conversion === 'lfs') return raw !== id && changed.has(path)
  return raw !== id || conversion === 'both ways'
}

/** Those that a checkout would write differently. */
async function findDifferent(
  checkout: Checkout,
  { scratch, workIndex }: { scratch: string; workIndex: string },
  files: Converted[],
): Promise<Converted[]> {
  if (files.length === 0) return []
  const out = join(scratch, 'out')
  mkdirSync(out)
  const input = files.map((file) => `${file.path}\n`).join('')
  await gitIn(checkout, ['checkout-index', `--prefix=${out}/`, '--stdin'], { ...withIndex(workIndex), input })
  const placed = files.map((file) => prefixQuoted(`${out}/`, file.path))
  const broughtBack = await hashAsTheyAre(checkout, placed)
  return files.filter((file, at) => file.raw !== broughtBack[at])
}

/** Regular files that are in the index and on disk. */
async function listFiles(checkout: Checkout, index: string): Promise<Tracked[]> {
  const lines = await gitLines(checkout, ['ls-files', '--stage'], { ...withIndex(index), read: true })
  return lines.flatMap((line) => {
    const [, mode, id, path] = /^(100\d+) ([0-9a-f]+) 0\t(.*)$/.exec(line) ?? []
    if (path === undefined || !lstatSync(fileOf(checkout, path), { throwIfNoEntry: false })?.isFile()) return []
    return [{ mode: mode!, id: id!, path }]
  })
}

function pathsOf(files: Tracked[]): string[] {
  return files.map((file) => file.path)
}

/** Ids of the files' own bytes, past every filter. */
export async function hashAsTheyAre(checkout: Checkout, paths: string[], flags: string[] = []): Promise<string[]> {
  if (paths.length === 0) return []
  const input = paths.map((path) => `${path}\n`).join('')
  return gitLines(checkout, ['hash-object', ...flags, '--no-filters', '--stdin-paths'], { input })
}
