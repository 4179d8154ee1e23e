// What a file imports, from its text alone: JavaScript, TypeScript, Python and Go. Good enough to know which branches are worth
// trying together; one link too many costs a run that is green. Pure.

/** `stems`: paths without their extension. `tails`: ends of such paths, where the text does not say where they begin. */
export interface Imports {
  stems: string[]
  tails: string[]
}

const MOST_IMPORTS = 200
const LONGEST = 300
/** A line of an import begins with one of these words, or names a module in quotes. */
const SCRIPT = /\b(?:from|import|require|export)\b[ \t]{0,9}\(?[ \t]{0,9}(['"])([^'"\n]{1,300})\1/g
const PYTHON_FROM = /^[ \t]{0,99}from[ \t]{1,9}(\.{0,9}[\w.]{0,200})[ \t]{1,9}import[ \t]{1,9}\(?([\w, \t]{0,500})/gm
const PYTHON_IMPORT = /^[ \t]{0,99}import[ \t]{1,9}([\w., \t]{1,500})/gm
const GO_IMPORT = /^[ \t]{0,9}(?:import[ \t]{1,9})?(?:[\w.]{1,50}[ \t]{1,9})?"([\w./~-]{1,300})"[ \t]{0,9}(?:$|\/\/)/gm
const EXTENSION = /\.(?:[cm]?[jt]sx?|d\.[cm]?ts|vue|svelte|py|pyi|go|json)$/

export function isReadable(path: string): boolean {
  return EXTENSION.test(path)
}

/** What others call it in an import. A Go file is called by its directory. */
function stemOf(path: string): string {
  if (path.endsWith('.go')) return directoryOf(path)
  return path.replace(EXTENSION, '').replace(/\/(?:index|__init__)$/, '')
}

export function importsOf(path: string, text: string): Imports {
  const found = path.endsWith('.go')
    ? ofGo(path, text)
    : /\.pyi?$/.test(path)
      ? ofPython(path, text)
      : ofScript(path, text)
  return { stems: short(found.stems), tails: short(found.tails) }
}

function short(list: readonly string[]): string[] {
  return [...new Set(list)].filter((one) => one !== '' && one.length <= LONGEST).slice(0, MOST_IMPORTS)
}

/** What a branch imports and what it changes, ready to be compared with other branches. */
export interface LinkSets {
  stems: ReadonlySet<string>
  tails: ReadonlySet<string>
  changed: ReadonlySet<string>
  /** Every end of a changed path that a tail can mean. */
  ends: ReadonlySet<string>
}

export function linkSetsOf(imports: readonly Imports[], paths: readonly string[]): LinkSets {
  const changed = new Set(paths.map(stemOf))
  return {
    stems: new Set(imports.flatMap(({ stems }) => stems)),
    tails: new Set(imports.flatMap(({ tails }) => tails)),
    changed,
    ends: new Set([...changed].flatMap(endsOf)),
  }
}

/** Does one of its imports mean a file that the other one changes? */
export function importsFrom({ stems, tails }: LinkSets, { changed, ends }: LinkSets): boolean {
  return meet(stems, changed) || meet(tails, ends)
}

/** Takes as long as the smaller one is large. */
export function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a]
  for (const one of small) if (large.has(one)) return true
  return false
}

function endsOf(stem: string): string[] {
  const ends: string[] = []
  for (let at = stem.length; at > 0 && stem.length - at <= LONGEST; ) {
    at = stem.lastIndexOf('/', at - 1)
    ends.push(stem.slice(at + 1))
  }
  return ends
}

function ofScript(path: string, text: string): Imports {
  const names = [...text.matchAll(SCRIPT)].map(([, , name = '']) => name.split(/[?#]/)[0] ?? '')
  const isRelative = (name: string) => /^\.{1,2}(?:\/|$)/.test(name)
  return {
    stems: names.filter(isRelative).map((name) => stemOf(resolve(directoryOf(path), name))),
    // `@/cart/sum`, `src/cart/sum`: where that begins, only its tools know. A package has no path.
    tails: names
      .filter((name) => !isRelative(name) && name.includes('/'))
      .map((name) => stemOf(name.replace(/^[@~#]?\/+/, ''))),
  }
}

function ofPython(path: string, text: string): Imports {
  const stems: string[] = []
  const tails: string[] = []
  for (const [, module = '', names = ''] of text.matchAll(PYTHON_FROM)) {
    const dots = module.length - module.replace(/^\.+/, '').length
    const name = module.slice(dots).replaceAll('.', '/')
    const up = Array.from({ length: Math.max(0, dots - 1) }, () => '..')
    const from = dots === 0 ? name : resolve(directoryOf(path), [...up, name].join('/'))
    const members = names.split(',').map((one) => one.trim().split(/[ \t]/)[0] ?? '')
    for (const one of [from, ...members.filter(Boolean).map((member) => `${from}/${member}`)])
      (dots === 0 ? tails : stems).push(one.replace(/^\/+/, ''))
  }
  for (const [, names = ''] of text.matchAll(PYTHON_IMPORT))
    for (const one of names.split(',')) tails.push((one.trim().split(/[ \t]/)[0] ?? '').replaceAll('.', '/'))
  return { stems, tails }
}

/** Files of one directory need no import; of another, the path ends with it. */
function ofGo(path: string, text: string): Imports {
  const suffixes = [...text.matchAll(GO_IMPORT)].flatMap(([, name = '']) => {
    const parts = name.split('/')
    return parts.map((_, index) => parts.slice(index).join('/'))
  })
  return { stems: [directoryOf(path), ...suffixes], tails: [] }
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function resolve(directory: string, name: string): string {
  const parts = directory === '' ? [] : directory.split('/')
  for (const part of name.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}
