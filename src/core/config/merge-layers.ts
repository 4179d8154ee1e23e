// The user's own configuration below that of a repository. The repository's file is the more specific one and wins, except
// where the user's safety is concerned: there the user's word stands. Pure; each key declares how it is merged.
import { childOf, type Entry, isEntry } from '../../contract/config/key.ts'
import { CONFIG } from '../../contract/config/keys.ts'
import { findConsent } from './find-consent.ts'
import type { Content, Keys } from './key-path.ts'
import { limitProjects } from './limit-projects.ts'

export type Layer = 'user' | 'repository'

export interface MergedLayers {
  content: Content
  /** What the repository's file contributes: the part that needs consent. */
  asks: Content
  /** Where the value at a path was written; a longer path is more exact. */
  origins: Array<{ path: Keys; layers: Layer[] }>
  /** Keys of the repository's file that are not in effect, because the user's file decides. */
  overruled: Keys[]
}

export function mergeLayers(user: Content, repository: Content): MergedLayers {
  const merged: MergedLayers = { content: {}, asks: {}, origins: [], overruled: [] }
  const both = { user, repository: limitProjects(user, repository, merged.overruled) }
  const { value, asks } = merge(both, CONFIG, [], merged)
  return { ...merged, content: (value ?? {}) as Content, asks: (asks ?? {}) as Content }
}

interface Both {
  user: unknown
  repository: unknown
}

interface Taken {
  value: unknown
  /** The repository's part of it. */
  asks: unknown
}

/** null: nobody declared the key. */
function merge(both: Both, entry: Entry | null, path: Keys, merged: MergedLayers): Taken {
  const rule = entry?.merge
  if (entry !== null && rule === 'keys') return mergeKeys(both, entry, path, merged)
  if (rule === 'repository') return take({ ...both, user: undefined }, path, merged)
  if (rule === 'joined' && Array.isArray(both.user) && Array.isArray(both.repository)) {
    merged.origins.push({ path, layers: ['user', 'repository'] })
    return { value: [...both.user, ...both.repository], asks: both.repository }
  }
  return take(both, path, merged)
}

function mergeKeys(both: Both, entry: Entry, path: Keys, merged: MergedLayers): Taken {
  const [user, repository] = [keysOf(both.user), keysOf(both.repository)]
  if (user === null && repository === null) return take(both, path, merged)
  const taken = [...new Set([...Object.keys(user ?? {}), ...Object.keys(repository ?? {})])].map((key) => {
    const inner = { user: ownValue(user, key), repository: ownValue(repository, key) }
    const child = childOf(entry, key)
    return [key, merge(inner, isEntry(child) ? child : null, [...path, key], merged)] as const
  })
  const part = (which: keyof Taken) =>
    Object.fromEntries(taken.flatMap(([key, one]) => (one[which] === undefined ? [] : [[key, one[which]]])))
  return { value: part('value'), asks: repository === null ? undefined : part('asks') }
}

/** One of the two, as it was written. */
function take({ user, repository }: Both, path: Keys, { origins, overruled }: MergedLayers): Taken {
  if (user === undefined && repository === undefined) return { value: undefined, asks: undefined }
  if (repository === undefined || (user !== undefined && concernsSafety(path, user, repository))) {
    if (repository !== undefined) overruled.push(path)
    origins.push({ path, layers: ['user'] })
    return { value: user, asks: undefined }
  }
  origins.push({ path, layers: ['repository'] })
  return { value: repository, asks: repository }
}

/** A value that a repository needs consent for, on either side: neither may it be added nor a user's own be replaced. */
function concernsSafety(path: Keys, ...values: unknown[]): boolean {
  return values.some((value) => findConsent(path.reduceRight((inner, key) => ({ [key]: inner }), value)).length > 0)
}

function keysOf(value: unknown): Content | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Content) : null
}

function ownValue(content: Content | null, key: string): unknown {
  return content !== null && Object.hasOwn(content, key) ? content[key] : undefined
}
