// The user's own configuration below that of a repository. The repository's file is the more specific one and wins, except
// where the user's safety is concerned: there the user's word stands. Pure; the rules by key are in merge-rules.ts.
import { findConsent } from '../consent/find-consent.ts'
import { limitProjects } from './limit-projects.ts'
import { type Content, type Keys, MERGE_RULES, type MergeRule } from './merge-rules.ts'

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
  const { value, asks } = merge(both, MERGE_RULES, [], merged)
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

function merge(both: Both, rule: MergeRule, path: Keys, merged: MergedLayers): Taken {
  if (typeof rule === 'object') return mergeKeys(both, rule, path, merged)
  if (rule === 'repository') return take({ ...both, user: undefined }, path, merged)
  if (rule === 'joined' && Array.isArray(both.user) && Array.isArray(both.repository)) {
    merged.origins.push({ path, layers: ['user', 'repository'] })
    return { value: [...both.user, ...both.repository], asks: both.repository }
  }
  return take(both, path, merged)
}

function mergeKeys(both: Both, rule: Exclude<MergeRule, string>, path: Keys, merged: MergedLayers): Taken {
  const [user, repository] = [keysOf(both.user), keysOf(both.repository)]
  if (user === null && repository === null) return take(both, path, merged)
  const taken = [...new Set([...Object.keys(user ?? {}), ...Object.keys(repository ?? {})])].map((key) => {
    const inner = { user: ownValue(user, key), repository: ownValue(repository, key) }
    const innerRule = Object.hasOwn(rule.keys, key) ? rule.keys[key]! : rule.others
    return [key, merge(inner, innerRule, [...path, key], merged)] as const
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
