// Paths against patterns, as in .gitignore: `*` and `?` stay within a name, `**` crosses directories, and a directory
// means everything below it. Pure.

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
