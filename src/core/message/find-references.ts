// What a person names in a text with an @: an issue (`@#42`, `@issue:APP-7`), a session (`@app-3`), a file (`@docs/plan.md`). Everything
// else with an @ is only text. Pure.

export interface Reference {
  /** As it is in the text. */
  written: string
  kind: 'issue' | 'session' | 'path'
  name: string
}

const MOST = 10
const WORD = /(?<![\p{L}\p{N}_@/.:-])@(#[A-Za-z0-9_-]{1,40}|issue:[A-Za-z0-9_/#-]{1,60}|[\p{L}\p{N}._/~-]{1,300})/gu

/** Each once, in their order. */
export function findReferences(text: string): Reference[] {
  const found = new Map<string, Reference>()
  for (const [, word = ''] of text.matchAll(WORD)) {
    const name = withoutStops(word)
    const reference = readReference(name)
    if (reference && found.size < MOST) found.set(name, reference)
  }
  return [...found.values()]
}

/** A sentence may end behind it. */
function withoutStops(word: string): string {
  let end = word.length
  while (end > 0 && '.,:;!?'.includes(word[end - 1]!)) end--
  return word.slice(0, end)
}

function readReference(name: string): Reference | null {
  const written = `@${name}`
  const issue = /^(?:#|issue:#?)(.+)$/.exec(name)?.[1]
  if (issue !== undefined) return { written, kind: 'issue', name: issue }
  if (/^[A-Za-z0-9][\w-]*-\d+$/.test(name)) return { written, kind: 'session', name }
  return /[./]/.test(name) ? { written, kind: 'path', name } : null
}
