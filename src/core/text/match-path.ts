// Paths against patterns, as in .gitignore: `*` and `?` stay within a name, `**` crosses directories, and a directory
// means everything below it; and which paths belong to git itself. Pure.

const SPECIAL = /[.+^${}()|[\]\\]/g
const WILDCARDS: ReadonlyMap<string, string> = new Map([
  ['**/', '(?:.*/)?'],
  ['**', '.*'],
  ['*', '[^/]*'],
  ['?', '[^/]'],
])

/** true: one of the patterns matches. */
export function pathMatcher(patterns: readonly string[]): (path: string) => boolean {
  const compiled = patterns.map(compile)
  return (path) => compiled.some((pattern) => pattern.test(path))
}

function compile(pattern: string): RegExp {
  const plain = pattern.replace(/^\/+/, '').replace(/(?<!\/)\/+$/, '')
  const source = plain
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((part) => WILDCARDS.get(part) ?? part.replace(SPECIAL, '\\$&'))
    .join('')
  // A name without a directory matches anywhere, unless it begins with /.
  const anywhere = plain.includes('/') || pattern.startsWith('/') ? '' : '(?:.*/)?'
  return new RegExp(`^${anywhere}${source}(?:/.*)?$`, 's')
}

/** Also as file systems of Windows and macOS read it: short names, dots, blanks or a stream at the end, characters that do not count. */
const GITS = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Hooks and settings of git start programs: writing there is more than an edit. */
export function isGitsOwn(path: string): boolean {
  return path.split(/[\\/]/).some((part) => GITS.test(part.replaceAll(UNSEEN, '')))
}
