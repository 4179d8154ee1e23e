// Labels, assignees and requested reviewers: lists of names with additions and removals. Pure.
import { AoError } from '../../contract/errors.ts'

/** A name that is in both is removed. */
export interface NameChange {
  add?: readonly string[] | undefined
  remove?: readonly string[] | undefined
}

/** What a pull request can carry beside its text. */
export interface PullNames {
  labels: string[]
  assignees: string[]
  /** Review requested but not given yet. */
  reviewers: string[]
}

export type PullNameChanges = { [key in keyof PullNames]?: NameChange | undefined }

export const NAME_LISTS = ['labels', 'assignees', 'reviewers'] as const satisfies ReadonlyArray<keyof PullNames>

const MOST_NAMES = 100
const LONGEST_NAME = 100

/** Names are compared case-insensitively, as on GitHub. The first spelling stays. */
export function changeNames(names: readonly string[], { add = [], remove = [] }: NameChange): string[] {
  const removed = new Set(remove.map(sameName))
  const kept = new Map<string, string>()
  for (const name of [...names, ...add]) if (!kept.has(sameName(name))) kept.set(sameName(name), name)
  return [...kept].filter(([key]) => !removed.has(key)).map(([, name]) => name)
}

export function cleanNames({ add = [], remove = [] }: NameChange = {}): NameChange {
  return { add: requireNames(add), remove: requireNames(remove) }
}

export function sameName(name: string): string {
  return name.toLowerCase()
}

export function hasName(names: readonly string[], name: string): boolean {
  return names.some((one) => sameName(one) === sameName(name))
}

/** Trimmed, without duplicates; refuses what no list could show. */
export function requireNames(names: readonly string[]): string[] {
  const given = changeNames([], { add: names.map((name) => name.trim()) })
  if (given.length > MOST_NAMES) throw new AoError('USAGE', `More than ${MOST_NAMES} names are too many`)
  for (const name of given) {
    if (name === '') throw new AoError('USAGE', 'A label, assignee or reviewer needs a name')
    if (name.length > LONGEST_NAME)
      throw new AoError('USAGE', `${name.slice(0, 20)}… is longer than ${LONGEST_NAME} characters`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are refused
    if (/[\u0000-\u001f\u007f,]/.test(name))
      throw new AoError('USAGE', `${JSON.stringify(name)} cannot be a name: it holds a comma or a control character`)
  }
  return given
}
