// The type declarations of the library, of ./plugin and of ./testing: those that the entries lead to, and no others.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

const SETS = [
  { project: 'tsconfig.build.json', out: 'types', entries: ['index.d.ts', 'plugin.d.ts'] },
  { project: 'tsconfig.testing.json', out: 'types-testing', entries: ['test/contract/testing.d.ts'] },
]
/** Relative modules in any form that a declaration has: import, export, import type and import(). */
const IMPORTED = /(?:\bfrom |\bimport\()\s*["'](\.[^"']+)["']/g

export function writeTypes(root, dist) {
  for (const set of SETS) writeSet(root, join(dist, set.out), set)
}

function writeSet(root, types, { project, entries }) {
  rmSync(types, { recursive: true, force: true })
  const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', project, '--outDir', types], {
    cwd: root,
    encoding: 'utf8',
  })
  if (tsc.status !== 0) {
    process.stderr.write(`${tsc.stdout ?? ''}${tsc.stderr ?? ''}${tsc.error ?? ''}`)
    throw new Error('the type declarations could not be written')
  }
  const needed = reachableFrom(entries.map((name) => join(types, name)))
  for (const entry of readdirSync(types, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !needed.has(path)) rmSync(path)
  }
}

function reachableFrom(entries) {
  const seen = new Set()
  const visit = (file) => {
    if (seen.has(file) || !existsSync(file)) return
    seen.add(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(IMPORTED))
      visit(declarationOf(join(dirname(file), path)))
  }
  entries.forEach(visit)
  return seen
}

/** Declarations name the module as it is imported (`.js`, or `.ts` where tsc left it). */
function declarationOf(path) {
  return path.replace(/(\.d)?\.[jt]s$/, '.d.ts')
}
