// Which branches change the same files or import what another one changes. Files are read as text from git's objects, bounded in
// number and size, and never run.

import type { TouchedFiles } from '../../core/radar/find-candidates.ts'
import {
  type Imports,
  importsFrom,
  importsOf,
  isReadable,
  type LinkSets,
  linkSetsOf,
  meet,
} from '../../core/radar/import-links.ts'
import type { Repository } from '../../git/repository.ts'
import { readFiles } from './read-conflicts.ts'
import { findForks, readTouched } from './read-forks.ts'

/** What is known of a head, since it left the base branch. */
export interface Links extends LinkSets {
  touched: ReadonlySet<string>
}

export interface LinkMemory {
  /** By head and base. null: it changes too much, or has nothing in common with the base branch. */
  heads: Map<string, Links | null>
  /** By two heads and base. */
  compared: Map<string, boolean>
}

const MOST_FILES = 200
/** What the changed files import is read too: names are often passed on by another file. */
const MOST_IMPORTED = 200
const MOST_CACHED = 500
const MOST_PAIRS = 20_000
const SCRIPTS = ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs', '.cjs']
const ENDINGS = [...SCRIPTS, ...SCRIPTS.map((ending) => `/index${ending}`), '.py', '/__init__.py']

export async function learnLinks(
  repository: Repository,
  { heads: memory }: LinkMemory,
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
    memory.set(`${head} ${base}`, files && linksOf(files, await readImports(repository, head, files)))
  }
}

function linksOf(files: TouchedFiles, imports: readonly Imports[]): Links {
  const paths = [...files.keys()]
  return { touched: new Set(paths), ...linkSetsOf(imports, paths.slice(0, MOST_FILES)) }
}

/** Of two heads that were learned: compared once. */
export function areLinked({ heads, compared }: LinkMemory, base: string, one: string, other: string): boolean {
  const key = one < other ? `${one} ${other} ${base}` : `${other} ${one} ${base}`
  const before = compared.get(key)
  if (before !== undefined) return before
  const [a, b] = [heads.get(`${one} ${base}`), heads.get(`${other} ${base}`)]
  const isLinked = !!a && !!b && (meet(a.touched, b.touched) || importsFrom(a, b) || importsFrom(b, a))
  if (compared.size >= MOST_PAIRS) compared.clear()
  compared.set(key, isLinked)
  return isLinked
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
