// Programs of ours that run beside us. In the package each is a file beside the bundle. From source it is the one that the last
// build made, while nothing has changed since: a bundle starts three times as fast as the sources.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `from`: import.meta.url of the caller; `source`: its program, relative to it; `bundle`: the same program in dist/. */
export function ownProgram(from: string, source: string, bundle: string): string {
  if (!from.endsWith('.ts')) return fileURLToPath(new URL(`./${bundle}`, from))
  return fileURLToPath(isBuiltFromThese() ? inRoot(`dist/${bundle}`) : new URL(source, from))
}

let isCurrent: boolean | undefined

function isBuiltFromThese(): boolean {
  isCurrent ??= newestSource() < modifiedAt(fileURLToPath(inRoot('dist/.bundle.stamp')))
  return isCurrent
}

function newestSource(): number {
  const src = fileURLToPath(inRoot('src'))
  const files = readdirSync(src, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith('.test.ts'),
  )
  return Math.max(...files.map(({ parentPath, name }) => modifiedAt(join(parentPath, name))))
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** Only meant for sources, which are three folders below the root. */
function inRoot(path: string): URL {
  return new URL(`../../../${path}`, import.meta.url)
}
