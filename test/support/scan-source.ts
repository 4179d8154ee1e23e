// Reads TypeScript just well enough to talk about its shape: what a file imports, and its code without comments.
// Not a parser: it knows comments, strings, templates and regular expressions, nothing else.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export interface SourceFile {
  /** Relative to the scanned directory, with forward slashes: `store/paths.ts`. */
  path: string
  text: string
  /** Comments blanked out. */
  code: string
  /** Comments and the insides of strings blanked out. */
  bare: string
  imports: SourceImport[]
}

export interface SourceImport {
  specifier: string
  /** `await import(…)`: loaded when it is needed, so it cannot be part of a circle at start. */
  isDynamic: boolean
  /** `import type`: nothing is loaded. */
  isType: boolean
  /** The imported file, relative to the scanned directory; null for packages and node's own modules. */
  target: string | null
}

/** Without tests. */
export function readSources(directory: string): SourceFile[] {
  return readFiles(directory, (path) => !path.endsWith('.test.ts'))
}

export function readFiles(directory: string, isWanted: (path: string) => boolean = () => true): SourceFile[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && isWanted(path))
    .sort()
    .map((path) => scanSource(directory, path, readFileSync(join(directory, path), 'utf8')))
}

export function scanSource(directory: string, path: string, text: string): SourceFile {
  const { code, bare } = blankOut(text)
  const imports = findImports(code).map((one) => ({
    ...one,
    target: one.specifier.startsWith('.')
      ? relative(directory, resolve(directory, dirname(path), one.specifier)).replaceAll('\\', '/')
      : null,
  }))
  return { path: path.replaceAll('\\', '/'), text, code, bare, imports }
}

/** Static, type-only, side-effect, re-exported and dynamic imports with a literal name. */
function findImports(code: string): Array<Omit<SourceImport, 'target'>> {
  const statement = /(?:^|[;\n])\s*(?:import|export)(\stype)?\s(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]/g
  const dynamic = /\bimport\s*\(\s*['"]([^'"]+)['"]/g
  return [
    ...[...code.matchAll(statement)].map((match) => ({
      specifier: match[2]!,
      isDynamic: false,
      isType: match[1] !== undefined,
    })),
    ...[...code.matchAll(dynamic)].map((match) => ({ specifier: match[1]!, isDynamic: true, isType: false })),
  ]
}

/** Files that import each other in a circle, each circle once. `isLazy`: also by imports that are made when needed. */
export function findCycles(files: SourceFile[], { isLazy = false } = {}): string[][] {
  const edges = new Map(
    files.map((file) => [
      file.path,
      file.imports.filter((one) => isLazy || !one.isDynamic).flatMap((one) => one.target ?? []),
    ]),
  )
  const finished = new Set<string>()
  const cycles: string[][] = []
  const visit = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path)
    if (start !== -1) {
      cycles.push([...trail.slice(start), path])
      return
    }
    if (finished.has(path)) return
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    finished.add(path)
  }
  for (const path of edges.keys()) visit(path, [])
  return cycles
}

interface Blanked {
  code: string
  bare: string
}

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|\$\{(?:[^{}]|\{[^{}]*\})*\}|[^`\\])*`|\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g

/** Same length and same lines as the text, so that positions stay true. */
function blankOut(text: string): Blanked {
  let code = ''
  let bare = ''
  let end = 0
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const token = match[0]
    if (token[0] === '/' && !isComment(token) && !mayStartRegExp(text.slice(0, match.index))) {
      // A division: continue after the slash.
      TOKEN.lastIndex = match.index + 1
      continue
    }
    const before = text.slice(end, match.index)
    code += before + (isComment(token) ? blank(token) : token)
    bare += before + (isComment(token) ? blank(token) : token[0] + blank(token.slice(1, -1)) + token.at(-1))
    end = match.index + token.length
  }
  return { code: code + text.slice(end), bare: bare + text.slice(end) }
}

function isComment(token: string): boolean {
  return token.startsWith('//') || token.startsWith('/*')
}

function mayStartRegExp(before: string): boolean {
  return /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of))\s*$/.test(before.slice(-40))
}

function blank(text: string): string {
  return text.replace(/[^\n]/g, ' ')
}
