// The state of the code that a campaign exercises: of every module that what it starts loads, what is left of it without comments,
// formatting and types, what help says, and rows of menus that it does not choose.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { buildSync } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')

/** `from './a.ts'`, `import './a.ts'` and `import('./a.ts')`; of the first two those that are not about types only. */
const STATIC = /^(?:import|export)\s(?!type\b)(?:[^'"`;]*?\sfrom\s)?\s*['"](\.[^'"]+)['"]/gm
const LAZY = /\bimport\(\s*['"](\.[^'"]+)['"]/g
/** Menus: what they would load depends on what was asked for, and a campaign names that itself. */
const MENUS: ReadonlySet<string> = new Set([
  'src/cli/ao/commands.ts',
  'src/cli/agh/commands.ts',
  'src/gh/gh-command.ts',
  'src/manager/session-manager.ts',
  'src/plugins/builtin.ts',
  'src/plugins/builtin-agents.ts',
])

/** A row of a menu: `['session kill', () => import('./kill.ts'), { … }]`, `'scm-local': () => import('./index.ts')`. */
const ROWS = /\["[\w -]+",\(\)=>import\([^)]*\)(?:,\{[^{}]*\})?\],?|"?[\w-]+"?:\(\)=>import\([^)]*\),?/g
/** What commands, keys and errors say of themselves, below these folders. */
const TEXTS = /\b(about|details|description|hint|title):(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)/g
const WITH_TEXTS = /^src\/(?:cli|contract)\//

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 })
}

/** Of all that is loaded by these modules, or all modules of these folders. */
export function codeOf(starts: readonly string[], root = ROOT): string {
  const hash = createHash('sha256')
  const modules = modulesOf(starts, root)
  readEssences(modules.map((path) => join(root, path)))
  for (const path of modules) hash.update(`${path}\0${playedOf(path, essences.get(join(root, path))!)}\0`)
  return hash.digest('hex').slice(0, 16)
}

function playedOf(path: string, essence: string): string {
  const chosen = MENUS.has(path) ? essence.replaceAll(ROWS, '') : essence
  return WITH_TEXTS.test(path) ? chosen.replaceAll(TEXTS, '$1:""') : chosen
}

/** Below src/, but for the tests beside them. */
export function modulesOf(starts: readonly string[], root = ROOT): string[] {
  const found = new Set<string>()
  const waiting = starts.flatMap((start) => filesBelow(start, root))
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue
    found.add(path)
    for (const one of importsOf(join(root, path), MENUS.has(path))) waiting.push(relative(root, one))
  }
  return [...found].filter((path) => path.startsWith('src/')).sort()
}

function filesBelow(path: string, root: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path]
  const names = readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts')).map((name) => join(path, name))
}

const importsByFile = new Map<string, string[]>()

function importsOf(file: string, isMenu: boolean): string[] {
  const before = importsByFile.get(file)
  if (before) return before
  const text = readFileSync(file, 'utf8')
  const named = [STATIC, ...(isMenu ? [] : [LAZY])].flatMap((pattern) => [...text.matchAll(pattern)])
  const paths = named
    .map((match) => join(dirname(file), match[1]!))
    .filter((path) => path.endsWith('.ts') && existsSync(path))
  importsByFile.set(file, paths)
  return paths
}

const essences = new Map<string, string>()

/** All at once: a call for each file takes ten times as long. */
function readEssences(files: readonly string[]): void {
  const entryPoints = files.filter((file) => !essences.has(file))
  if (entryPoints.length === 0) return
  const how = { bundle: false, write: false, minifyWhitespace: true, legalComments: 'none', logLevel: 'error' } as const
  const { outputFiles } = buildSync({ ...how, entryPoints, outdir: '/', outbase: '/', tsconfigRaw: {} })
  for (const { path, text } of outputFiles) essences.set(path.replace(/\.js$/, '.ts'), text)
}

/** What a campaign would run that is in no commit. */
export function changedFiles(): string[] {
  const lines = git('status', '--porcelain', '--', 'src', 'torture', 'test').split('\n').filter(Boolean)
  return lines.map((line) => line.slice(3)).filter((path) => path !== 'torture/results.json')
}

export function originOf(): { commit: string; date: string } {
  return { commit: git('rev-parse', 'HEAD').trim(), date: new Date().toISOString().slice(0, 10) }
}
