// A world from published rates. The check is a real program that reads the tree; nothing but the tree decides what it says.
import { join } from 'node:path'
import { createRandom, type Random } from '../../src/rehearsal/random.ts'
import { commitBase, type Feature, takePatch, writeFiles } from './workload.ts'

/** Of agents' pull requests, 107,000 merged in simulation: AgenticFlict, arXiv 2604.03551. */
const CONFLICTS = 0.2767
/** Hunks that the best model solves: Merge-Bench, arXiv 2605.25890. Here: those that are solved by keeping both sides. */
const SOLVED_BY_BOTH_SIDES = 0.6
/** Green alone, red together. No published rate was found; assumed. */
const RED_TOGETHER = 0.05
/** Runs that fail without a reason: John Micco, "Flaky tests at Google", 2016. */
export const FLAKY = 0.015

/** More changes get more of them, so that the rates stay what they are. */
const modulesFor = (changes: number) => Math.max(100, changes)

export const PUBLISHED_CHECK = 'node check.mjs'

/** Names that are used exist, a limit is set once, and every change is whole. */
const CHECK = `import { existsSync, readdirSync, readFileSync } from 'node:fs'
const failures = []
const texts = Object.fromEntries(readdirSync('src').map((name) => [name.replace('.js', ''), readFileSync('src/' + name, 'utf8')]))
for (const [name, text] of Object.entries(texts)) {
  if (/^(<{7}|={7}|>{7})/m.test(text)) failures.push(name + ' has conflict markers')
  if (text.split('export const limit =').length !== 2) failures.push(name + ' does not set its limit once')
  for (const [, module, helper] of text.matchAll(/use\\('(\\w+)\\.(\\w+)'\\)/g))
    if (!texts[module]?.includes('function ' + helper + '(')) failures.push(name + ' uses ' + module + '.' + helper + ', which is not there')
}
for (const name of existsSync('changes') ? readdirSync('changes') : []) {
  const { file, text } = JSON.parse(readFileSync('changes/' + name, 'utf8'))
  if (!readFileSync(file, 'utf8').includes(text)) failures.push(name + ': its line is not in ' + file)
}
console.log(failures.join('\\n') || 'fine')
process.exit(failures.length === 0 ? 0 : 1)
`

const moduleName = (index: number) => `m${String(index).padStart(3, '0')}`

function moduleText(name: string): string {
  const lines = Array.from({ length: 20 }, (_, index) => `// ${name}, line ${index}`)
  const code = ['export const limit = 10', `export function helper_${name}() {}`, 'export const registered = [', ']']
  return [...lines.slice(0, 10), ...code, ...lines.slice(10), ''].join('\n')
}

interface Change {
  module: number
  kind: 'register' | 'limit' | 'rename' | 'use'
  renamedIn?: number
}

export function createPublishedWorld(repo: string, patches: string, seed: number, count: number): Feature[] {
  const names = Array.from({ length: modulesFor(count) }, (_, index) => moduleName(index))
  const files = Object.fromEntries(names.map((name) => [`src/${name}.js`, moduleText(name)]))
  writeFiles(repo, { ...files, 'check.mjs': CHECK })
  commitBase(repo)
  return planChanges(createRandom(seed), count).map((change, index) => {
    const id = `f${String(index + 1).padStart(2, '0')}`
    const { edits, line, onRed } = editsOf(change, id, files)
    const marker = `changes/${id}.json`
    const proof = JSON.stringify({ file: edits.path, text: line })
    const patch = join(patches, `${id}.patch`)
    takePatch(repo, patch, () => writeFiles(repo, { [edits.path]: edits.text, [marker]: `${proof}\n` }))
    const title = `${change.kind} in ${moduleName(change.module)}`
    return { id, title, patch, marker, ...(onRed ? { onRed } : {}) }
  })
}

/** Each change is of its own module, conflicts with an earlier one, or is red together with one. */
export function planChanges(random: Random, count: number): Change[] {
  const changes: Change[] = []
  const free = shuffled(random, modulesFor(count))
  for (let index = 0; index < count; index++) {
    const partners = changes.filter(({ kind }) => kind === 'register' || kind === 'limit')
    if (partners.length > 0 && random.chance(CONFLICTS)) {
      const { module, kind } = random.pick(partners)
      changes.push({ module, kind })
    } else if (index + 1 < count && random.chance(RED_TOGETHER)) {
      const renamed = free.pop()!
      changes.push({ module: renamed, kind: 'rename' }, { module: free.pop()!, kind: 'use', renamedIn: renamed })
      index += 1
    } else {
      changes.push({ module: free.pop()!, kind: random.chance(SOLVED_BY_BOTH_SIDES) ? 'register' : 'limit' })
    }
  }
  return changes
}

function shuffled(random: Random, modules: number): number[] {
  const left = Array.from({ length: modules }, (_, index) => index)
  return Array.from({ length: modules }, () => left.splice(random.below(left.length), 1)[0]!)
}

function editsOf(change: Change, id: string, files: Readonly<Record<string, string>>) {
  const name = moduleName(change.module)
  const path = `src/${name}.js`
  const line = {
    register: `  '${id}',`,
    limit: `export const limit = 1${id.slice(1)}`,
    rename: `export function helper_${id}() {}`,
    use: `  use('${moduleName(change.renamedIn ?? 0)}.helper_${moduleName(change.renamedIn ?? 0)}'),`,
  }[change.kind]
  const place = {
    register: ['export const registered = [', `export const registered = [\n${line}`],
    limit: ['export const limit = 10', line],
    rename: [`export function helper_${name}() {}`, line],
    use: ['export const registered = [', `export const registered = [\n${line}`],
  }[change.kind] as [string, string]
  const text = files[path]!.replace(...place)
  // An agent that is told of a red check keeps an old name beside the new one.
  const onRed = change.kind === 'rename' ? { file: path, from: line, to: `${line}\n${place[0]}` } : undefined
  return { edits: { path, text }, line: line.trim(), onRed }
}
