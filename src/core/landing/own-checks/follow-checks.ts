// Follows what checks run through files, a level at a time: the caller reads the files. Pure.
import { reachOfFile } from './file-commands.ts'
import { type Reach, type Reference, type Room, reachOf } from './named-files.ts'

const MOST_LEVELS = 3
const MOST_FILES = 64
/** A script that calls another one of the same file costs no level. */
const MOST_STEPS = 500
/** Of commands, in all files together. */
const MOST_CHARACTERS = 1_000_000
/** Of one package.json or Makefile. */
const MOST_NAMES = 500
const MOST_LINKS = 5
const MOST_WANTED = 100
const MOST_NAMED = 5_000
const MOST_UNRESOLVED = 5

export interface Followed {
  /** Everything that was named, by path: with what of it is run. */
  named: ReadonlyMap<string, Reference>
  patterns: ReadonlySet<string>
  /** Commands whose files nobody could name. */
  unresolved: ReadonlySet<string>
}

export interface Follower extends Followed {
  /** Files to be read now; none: it is done. */
  wanted(): string[]
  /** What was read of them, and where those that are links lead to. */
  take(texts: ReadonlyMap<string, string>, links: ReadonlyMap<string, string>): void
}

export function followChecks(commands: readonly string[]): Follower {
  const named = new Map<string, Reference>()
  const patterns = new Set<string>()
  const unresolved = new Set<string>()
  const contents = new Map<string, string>()
  const room: Room = { characters: MOST_CHARACTERS }
  let steps = 0
  let level = 0
  let linkRounds = 0
  let next: Reference[] = []
  const miss = (what: string) => {
    if (unresolved.size < MOST_UNRESOLVED) unresolved.add(what.slice(0, 80))
  }
  const add = ({ references, patterns: found, unresolved: missed }: Reach): Reference[] => {
    for (const one of found) if (patterns.size < MOST_FILES) patterns.add(one)
    for (const one of missed) miss(one)
    return references.flatMap((reference) => {
      // A link to the top of the repository.
      if (reference.path === '') return []
      const before = named.get(reference.path)
      const both = before === undefined ? reference : unite(before, reference)
      if (both === before) return []
      if ((both.scripts ?? both.targets ?? []).length > MOST_NAMES) {
        miss(`more than ${MOST_NAMES} of ${reference.path}`)
        return []
      }
      if (named.size >= MOST_NAMED && before === undefined) {
        miss(`more than ${MOST_NAMED} files`)
        return []
      }
      named.set(reference.path, both)
      return [both]
    })
  }
  for (const text of commands) next.push(...add(reachOf({ text, directory: '' })))
  return {
    ...{ named, patterns, unresolved },
    wanted() {
      const paths = new Set(next.map(({ path }) => path))
      if (paths.size > MOST_WANTED) miss(`more than ${MOST_WANTED} files`)
      return level < MOST_LEVELS ? [...paths].slice(0, MOST_WANTED) : []
    },
    take(texts, links) {
      // A link is no file of its own.
      if (texts.size > 0 || ++linkRounds > MOST_LINKS) level++
      for (const [path, text] of texts) {
        if (contents.size >= MOST_FILES) miss(`more than ${MOST_FILES} files`)
        else contents.set(path, text)
      }
      const queue = next
      next = []
      for (const reference of queue) {
        const target = links.get(reference.path)
        if (target !== undefined) next.push(...add({ ...NOTHING, references: [{ ...reference, path: target }] }))
        const text = contents.get(reference.path)
        if (text === undefined) continue
        if (steps++ >= MOST_STEPS) return miss(`more than ${MOST_STEPS} steps`)
        if (room.characters <= 0) return miss(`more than ${MOST_CHARACTERS} characters`)
        for (const one of add(reachOfFile(reference, text, room))) (contents.has(one.path) ? queue : next).push(one)
      }
    },
  }
}

const NOTHING: Reach = { references: [], patterns: [], unresolved: [] }

/** The same object: nothing is new. */
function unite(a: Reference, b: Reference): Reference {
  const union = (one: string[] = [], other: string[] = []) => {
    const both = [...new Set([...one, ...other])]
    return both.length === 0 ? undefined : both
  }
  const [scripts, targets] = [union(a.scripts, b.scripts), union(a.targets, b.targets)]
  const isSame =
    (scripts?.length ?? 0) === (a.scripts?.length ?? 0) && (targets?.length ?? 0) === (a.targets?.length ?? 0)
  return isSame ? a : { path: a.path, ...(scripts && { scripts }), ...(targets && { targets }) }
}
