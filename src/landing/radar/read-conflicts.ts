// Files of trees, one git process for all of them; of merged trees, both sides of every conflict.
import { randomUUID } from 'node:crypto'
import { type ConflictHunk, readConflictHunks } from '../../core/radar/conflict-hunks.ts'
import { type ReadingGit, radarGit } from './radar-git.ts'

export interface ConflictFile {
  tree: string
  path: string
}

/** A larger one has no two sides that anyone would read. */
const LARGEST_FILE = 512 * 1024

/** What is read with one process. */
const CHUNK_BYTES = 16 * 1024 * 1024

/** In the same order. Empty for files without sides: one is deleted, binary or too large. */
export async function readConflicts(git: ReadingGit, files: readonly ConflictFile[]): Promise<ConflictHunk[][]> {
  const found: ConflictHunk[][] = files.map(() => [])
  await readFiles(git, files, (text, index) => {
    found[index] = readConflictHunks(text)
  })
  return found
}

/** Calls `use` for each that is there and not too large; the texts are not kept. */
export async function readFiles(
  git: ReadingGit,
  files: readonly ConflictFile[],
  use: (text: string, index: number) => void,
): Promise<void> {
  const sizes = await askSizes(git, files)
  let chunk: number[] = []
  let bytes = 0
  const readChunk = async () => {
    const texts = await readTexts(
      git,
      chunk.map((index) => files[index]!),
    )
    for (const [at, index] of chunk.entries()) use(texts[at] ?? '', index)
    chunk = []
    bytes = 0
  }
  for (const [index, size] of sizes.entries()) {
    if (size === null) continue
    if (bytes + size > CHUNK_BYTES) await readChunk()
    chunk.push(index)
    bytes += size
  }
  await readChunk()
}

/** null: not a file to be read. */
async function askSizes(git: ReadingGit, files: readonly ConflictFile[]): Promise<Array<number | null>> {
  if (files.length === 0) return []
  const answers = await radarGit(git, ['cat-file', '--batch-check=%(objecttype) %(objectsize)'], requests(files))
  const lines = answers.split('\n')
  return files.map(({ path }, index) => {
    const [type, size] = (lines[index] ?? '').split(' ')
    const bytes = type === 'blob' && isOneLine(path) ? Number(size) : Number.NaN
    return bytes <= LARGEST_FILE ? bytes : null
  })
}

/** Each content follows a line that no file can know. */
async function readTexts(git: ReadingGit, files: readonly ConflictFile[]): Promise<string[]> {
  if (files.length === 0) return []
  const mark = randomUUID()
  const output = await radarGit(git, ['cat-file', `--batch=${mark}`], requests(files))
  return output.split(`${mark}\n`).slice(1)
}

/** A line each: a name with a line break must not become a second question. */
function requests(files: readonly ConflictFile[]): string {
  return files.map(({ tree, path }) => `${tree}:${isOneLine(path) ? path : ''}\n`).join('')
}

function isOneLine(path: string): boolean {
  return !/[\n\0]/.test(path)
}
