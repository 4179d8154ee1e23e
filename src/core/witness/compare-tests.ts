// The tests of a file before and after a change, side by side. A test that has another name and the same body was renamed, one in whose
// place an equally strict one stands was rewritten. Pure.
import { mayHaveBlocks, readTestBlocks, type TestBlock } from './test-blocks.ts'

export interface TestFile {
  path: string
  /** null: it is not there; undefined: it is, and was not read, being too large or no program for example. */
  before: string | null | undefined
  after: string | null | undefined
}

export interface TestPair {
  path: string
  /** `altered`: also when only what its file shares between tests was. */
  kind: 'added' | 'altered' | 'same' | 'deleted'
  before: TestBlock | null
  after: TestBlock | null
}

interface ReadFile {
  path: string
  old: TestBlock[]
  now: TestBlock[]
}

/** All of a change, before and after. They are written by its author, and comparing them must not hold up everything else. */
const MOST_CHARACTERS = 8 * 1024 * 1024
const MOST_BLOCKS = 20_000

/** null: there are more of them than can be compared. */
export function compareTests(files: readonly TestFile[]): TestPair[] | null {
  if (charactersOf(files) > MOST_CHARACTERS) return null
  const read: ReadFile[] = []
  for (const { path, before, after } of files) {
    const [old, now] = [blocksOf(path, before), blocksOf(path, after)]
    // Whatever one side has and the other has not would be missed.
    if (old === null || now === null) return null
    read.push({ path, old, now })
  }
  if (read.reduce((sum, { old, now }) => sum + old.length + now.length, 0) > MOST_BLOCKS) return null
  const fresh = findFresh(read)
  return read.flatMap((file) => compareFile(file, fresh))
}

/** The file that kept them from being compared; null: there are too many of them. */
export function findUncompared(files: readonly TestFile[]): string | null {
  if (charactersOf(files) > MOST_CHARACTERS) return null
  const isUncompared = ({ path, before, after }: TestFile) =>
    blocksOf(path, before) === null || blocksOf(path, after) === null
  return files.find(isUncompared)?.path ?? null
}

function charactersOf(files: readonly TestFile[]): number {
  return files.reduce((sum, { before, after }) => sum + (before?.length ?? 0) + (after?.length ?? 0), 0)
}

/** null: nobody can tell. None for a language that nothing is known about. */
function blocksOf(path: string, text: TestFile['before']): TestBlock[] | null {
  if (text === undefined) return mayHaveBlocks(path) ? null : []
  const blocks = text === null ? [] : readTestBlocks(path, text)
  return blocks === 'too large' ? null : (blocks ?? [])
}

type FreshBlocks = ReadonlyMap<string, ReadonlyArray<{ path: string; block: TestBlock }>>

/** Tests that their file did not have before, by title. */
function findFresh(files: readonly ReadFile[]): FreshBlocks {
  const fresh = files.flatMap(({ path, old, now }) => {
    const titles = new Set(old.map(({ title }) => title))
    return now.flatMap((block) => (block.title === null || titles.has(block.title) ? [] : [{ path, block }]))
  })
  return Map.groupBy(fresh, ({ block }) => block.title!)
}

function compareFile({ path, old, now }: ReadFile, fresh: FreshBlocks): TestPair[] {
  const pairs: TestPair[] = []
  const left = new Set(now)
  const take = (block: TestBlock, found: TestBlock) => {
    left.delete(found)
    pairs.push(pairOf(path, block, found))
  }
  const byTitle = Map.groupBy([...now].reverse(), ({ title }) => title)
  const gone = old.filter((block) => {
    const found = byTitle.get(block.title)?.pop()
    if (found) take(block, found)
    return !found
  })
  const replacementOf = createReplacements([...left].filter(({ title }) => title !== null))
  for (const block of gone) {
    const found = replacementOf(block)
    if (found) take(block, found)
    else if (block.title !== null) pairs.push(movedOr(path, block, fresh))
    else pairs.push({ path, kind: 'same', before: block, after: null })
  }
  pairs.push(
    ...[...left].map(
      (block): TestPair => ({ path, kind: block.title === null ? 'same' : 'added', before: null, after: block }),
    ),
  )
  const isShared = pairs.some(({ kind, after: one }) => kind === 'altered' && one?.title === null)
  return pairs.map((pair) => {
    if (pair.after?.title === null) return { ...pair, kind: 'same' }
    return isShared && pair.kind === 'same' && pair.after !== null ? { ...pair, kind: 'altered' } : pair
  })
}

function pairOf(path: string, before: TestBlock, after: TestBlock): TestPair {
  const isSame = before.body === after.body && before.title === after.title
  return { path, kind: isSame ? 'same' : 'altered', before, after }
}

/**
 * The first that has the same body or is as strict; each is found once. Few kinds of strictness stand for thousands of tests, which
 * are never compared pair by pair.
 */
function createReplacements(fresh: readonly TestBlock[]): (gone: TestBlock) => TestBlock | undefined {
  const lastFirst = [...fresh.entries()].reverse().map(([at, block]) => ({ at, block }))
  const byBody = Map.groupBy(lastFirst, ({ block }) => block.body)
  const byKind = Map.groupBy(lastFirst, ({ block }) => `${block.assertions} ${block.comparisons}`)
  const kinds = [...byKind.values()].map((queue) => ({ kind: queue[0]!.block, queue }))
  const taken = new Set<TestBlock>()
  const firstOf = (queue: typeof lastFirst) => {
    while (taken.has(queue.at(-1)?.block as TestBlock)) queue.pop()
    return queue.at(-1) ?? []
  }
  return (gone) => {
    const strict = kinds.filter(({ kind }) => isAsStrict(kind, gone))
    const found = [byBody.get(gone.body) ?? [], ...strict.map(({ queue }) => queue)].flatMap(firstOf)
    const first = found.reduce<(typeof found)[0] | undefined>((a, b) => (a && a.at < b.at ? a : b), undefined)?.block
    if (first) taken.add(first)
    return first
  }
}

function isAsStrict(one: TestBlock, gone: TestBlock): boolean {
  return one.assertions >= gone.assertions && one.comparisons >= gone.comparisons && one.assertions > 0
}

/** A test that stands in another changed file now, as strict as before, was moved. */
function movedOr(path: string, block: TestBlock, fresh: FreshBlocks): TestPair {
  const there = fresh.get(block.title!)?.find((one) => one.path !== path)
  if (there) return { path: there.path, kind: 'same', before: block, after: there.block }
  return { path, kind: 'deleted', before: block, after: null }
}
