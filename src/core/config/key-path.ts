// Keys of a configuration as people write them, and back: `projects.my-app.symlinks[0]`.

export type KeyPath = ReadonlyArray<string | number>
export type Keys = readonly string[]
/** A configuration file as it was written. */
export type Content = Readonly<Record<string, unknown>>

/** A key that needs it is quoted, a long one is cut. */
export function formatKey(path: KeyPath): string {
  const parts = path.map((part, index) => {
    if (typeof part === 'number') return `[${part}]`
    const word = /^[\w$-]{1,64}$/.test(part) ? part : JSON.stringify(part.slice(0, 64))
    return index === 0 ? word : `.${word}`
  })
  return parts.join('')
}

const PART = /(?:^|\.)(?:([\w$-]+)|("(?:[^"\\]|\\.)*"))|\[(\d{1,6})\]/y

/** null: not a key. */
export function parseKey(text: string): Array<string | number> | null {
  const path: Array<string | number> = []
  PART.lastIndex = 0
  while (PART.lastIndex < text.length) {
    const found = PART.exec(text)
    if (found === null) return null
    const [, word, quoted, index] = found
    const part = index === undefined ? (word ?? unquote(quoted ?? '')) : Number(index)
    if (part === null || (path.length === 0 && typeof part === 'number')) return null
    path.push(part)
  }
  return path.length === 0 ? null : path
}

function unquote(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string
  } catch {
    // An escape that JSON does not know.
    return null
  }
}

/** undefined: nothing is there. */
export function valueAt(content: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    content,
  )
}
