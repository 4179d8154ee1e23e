// The declared keys of the configuration, one after the other.
import type { Entry } from '../../contract/config/key.ts'

export interface DeclaredKey {
  path: readonly string[]
  entry: Entry
}

/** Every entry below `entry`, in the order of declaration. Names that people choose are `*`, and so is the rest of a list. */
export function entriesOf(entry: Entry, path: readonly string[] = []): DeclaredKey[] {
  const below = (inner: Entry, name: string) => [
    { path: [...path, name], entry: inner },
    ...entriesOf(inner, [...path, name]),
  ]
  if (entry.kind === 'group') return Object.entries(entry.keys).flatMap(([name, inner]) => below(inner, name))
  if (entry.kind !== 'named') return []
  const exceptions = Object.entries(entry.except ?? {}).flatMap(([name, inner]) => below(inner, name))
  return [...exceptions, ...below(entry.entry, '*')]
}
