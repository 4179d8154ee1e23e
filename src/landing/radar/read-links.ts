// Which branches change the same files or import what another one changes. Files are read as text from git's objects, bounded in
// number and size, and never run.

import type { TouchedFiles } from '../../core/radar/find-candidates.ts'
import { type Imports, importsFile, importsOf, isReadable } from '../../core/radar/import-links.ts'
import type { Repository } from '../../git/repository.ts'
import { readFiles } from './read-conflicts.ts'
import { findForks, readTouched } from './read-forks.ts'

/** What is known of a head, since it left the base branch. */
export interface Links {
  touched: TouchedFiles
  imports: Imports[]
}

/** By head and base. */
export type LinkMemory = Map<string, Links | null>

const MOST_FILES = 200
/** What the changed files import is read too: names are often passed on by another file. */
const MOST_IMPORTED = 200
const MOST_CACHED = 500
const SCRIPTS = ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs', '.cjs']
const ENDINGS = [...SCRIPTS, ...SCRIPTS.map((ending) => `/index${ending}`), '.py', '/__init__.py']

/** By head. null: it changes too much, or has nothing in common with the base branch. */
export async function learnLinks(
  repository: Repository,
  memory: LinkMemory,
  { base, heads }: { base: string; heads: readonly string[] },
): Promise<void> {
  if (memory.size > MOST_CACHED) memory.clear()
  const git = { repository, env: {} }
  const missing = heads.filter((head) => !memory.has(`${head} ${base}`))
  const forks = await findForks(git, base, missing)
  const comparisons = missing.flatMap((head) => {
    const from = forks.get(head)?.from ?? null
    return from === null ? [] : [{ head, from }]
  })
  const touched = await readTouched(git, comparisons)
  for (const head of missing) {
    const files = touched.get(head) ?? null
    memory.set(`${head} ${base}`, files && { touched: files, imports: await readImports(repository, head, files) })
  }
}

export function areLinked(a: Links | null | undefined, b: Links | null | undefined): boolean {
  if (!a || !b) return false
  const imports = (one: Links, other: Links) =>
    [...other.touched.keys()].slice(0, MOST_FILES).some((path) => one.imports.some((each) => importsFile(each, path)))
  return [...a.touched.keys()].some((path) => b.touched.has(path)) || imports(a, b) || imports(b, a)
}

async function readImports(repository: Repository, head: string, touched: TouchedFiles): Promise<Imports[]> {
  const changed = [...touched]
    .filter(([path, { change }]) => change !== 'deleted' && isReadable(path))
    .map(([path]) => path)
    .slice(0, MOST_FILES)
  const direct = await importsIn(repository, head, changed)
  const stems = [...new Set(direct.flatMap((one) => one.stems))].slice(0, MOST_IMPORTED)
  const passedOn = stems
    .flatMap((stem) => ENDINGS.map((ending) => `${stem}${ending}`))
    .filter((path) => !touched.has(path))
  return [...direct, ...(await importsIn(repository, head, passedOn))]
}

async function importsIn(repository: Repository, head: string, paths: readonly string[]): Promise<Imports[]> {
  const found: Imports[] = []
  const files = paths.map((path) => ({ tree: head, path }))
  await readFiles({ repository, env: {} }, files, (text, index) => {
    found.push(importsOf(paths[index]!, text))
  })
  return found
}
