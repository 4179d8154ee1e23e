// Which branches are tried together next, and which pairs of them are red although each is green alone. Unions are as large as
// they can be: one green run clears all pairs in it, and a red one is halved until a pair is left. Pure.

/** unknown: the checks did not come to an end. unfit: git cannot merge them all. */
export type UnionResult = 'green' | 'red' | 'unknown' | 'unfit'

/** Branches on top of the base branch; none: the base branch itself. `attempt` 2: once more, to be sure. */
export interface Union {
  ids: readonly string[]
  attempt: 1 | 2
}

export interface UnionFacts {
  /** In the order in which they are merged. */
  branches: readonly string[]
  /** They change the same files, or one imports what the other changes. */
  linked(a: string, b: string): boolean
  /** They are not put together: git cannot merge them, or one stands on the other. */
  apart(a: string, b: string): boolean
  /** null: not known yet. */
  resultOf(union: Union): UnionResult | null
}

export interface UnionDecision {
  pairs: Array<readonly [a: string, b: string]>
  /** null: everything is known. */
  next: Union | null
}

const LARGEST_UNION = 16
const MOST_PAIRS = 20
/** One that hung with this many others is left out until it moves. */
const MOST_HUNG = 2
/** Each round settles something; this is for the case that it does not. */
const MOST_ROUNDS = 2_000

export function decideUnions(facts: UnionFacts): UnionDecision {
  const pairs: UnionDecision['pairs'] = []
  const search = explore(facts, pairs)
  for (let step = search.next(); ; ) {
    if (step.done) return { pairs, next: null }
    const { ids, attempt } = step.value
    const next: Union = { ids: facts.branches.filter((id) => ids.includes(id)), attempt }
    const result = facts.resultOf(next)
    if (result === null) return { pairs, next }
    step = search.next(result)
  }
}

type Search<T> = Generator<Union, T, UnionResult>

interface Progress {
  /** Pairs to be tried, and how many branches may be tried with them at once. */
  open: Map<string, { pair: readonly [string, string]; most: number }>
  /** Red by itself, or hanging with others. */
  dropped: Set<string>
  hung: Map<string, number>
  /** Sets that are red, and are not put together again. */
  red: string[][]
}

function* explore(facts: UnionFacts, found: UnionDecision['pairs']): Search<void> {
  const progress: Progress = { open: linkedPairs(facts), dropped: new Set(), hung: new Map(), red: [] }
  for (let round = 0; round < MOST_ROUNDS && found.length < MOST_PAIRS; round++) {
    const group = nextGroup(facts, progress)
    if (group === null) return
    const result = yield* ask(group)
    if (result === 'green') close(progress, group)
    else if (result !== 'red') splitUnknown(progress, group, result)
    else if ((yield* judgeRed(progress, group, found)) === 'base') return
  }
}

function linkedPairs({ branches, linked, apart }: UnionFacts): Progress['open'] {
  const open: Progress['open'] = new Map()
  for (const [index, a] of branches.entries())
    for (const b of branches.slice(index + 1))
      if (!apart(a, b) && linked(a, b)) open.set(keyOf(a, b), { pair: [a, b], most: LARGEST_UNION })
  return open
}

function keyOf(a: string, b: string): string {
  return a < b ? `${a}\0${b}` : `${b}\0${a}`
}

/** The first pair that is open, and whoever is linked with one of the group. null: nothing is open. */
function nextGroup({ branches, apart }: UnionFacts, { open, dropped, red }: Progress): string[] | null {
  const first = open.values().next().value
  if (first === undefined) return null
  const group = [...first.pair]
  const fits = (id: string) =>
    !dropped.has(id) &&
    !group.includes(id) &&
    !group.some((member) => apart(member, id)) &&
    !red.some((set) => set.includes(id) && set.every((one) => one === id || group.includes(one)))
  const isWanted = (id: string) => group.some((member) => (open.get(keyOf(member, id))?.most ?? 0) > group.length)
  for (let grew = true; grew && group.length < first.most; ) {
    const more = branches.find((id) => fits(id) && isWanted(id))
    grew = more !== undefined
    if (more !== undefined) group.push(more)
  }
  // In their own order, and so are the parts of it.
  return branches.filter((id) => group.includes(id))
}

function pairsIn(progress: Progress, group: readonly string[]): Array<[string, { most: number }]> {
  return [...progress.open].filter(([, { pair }]) => pair.every((id) => group.includes(id)))
}

function close(progress: Progress, group: readonly string[]): void {
  for (const [key] of pairsIn(progress, group)) progress.open.delete(key)
}

function drop(progress: Progress, id: string): void {
  progress.dropped.add(id)
  for (const [key, { pair }] of progress.open) if (pair.includes(id)) progress.open.delete(key)
}

/** Fewer at once; a pair that comes to no end is left. */
function splitUnknown(progress: Progress, group: readonly string[], result: UnionResult): void {
  if (group.length > 2) {
    for (const [, entry] of pairsIn(progress, group)) entry.most = Math.max(2, Math.floor(group.length / 2))
    return
  }
  close(progress, group)
  for (const id of result === 'unknown' ? group : []) {
    progress.hung.set(id, (progress.hung.get(id) ?? 0) + 1)
    if (progress.hung.get(id)! >= MOST_HUNG) drop(progress, id)
  }
}

/** base: the base branch itself is not green, so that nothing can be said. */
function* judgeRed(progress: Progress, group: string[], pairs: UnionDecision['pairs']): Search<'base' | 'judged'> {
  const core = yield* smallestRed(group, [])
  const [a, b] = core
  if (core.length === 1) {
    if ((yield* ask([])) !== 'green') return 'base'
    drop(progress, a!)
    return 'judged'
  }
  // What halving concludes is tried: checks are sometimes red for no reason.
  const isRed = group.length === core.length || (yield* ask(core)) === 'red'
  if (!isRed) close(progress, group)
  else if (core.length > 2) progress.red.push(core)
  else yield* judgePair(progress, [a!, b!], pairs)
  return 'judged'
}

function* judgePair(progress: Progress, pair: readonly [string, string], pairs: UnionDecision['pairs']): Search<void> {
  for (const id of pair) {
    if ((yield* ask([id])) === 'green') continue
    return drop(progress, id)
  }
  // Also where the second run is green: a larger union that was red with them would lead here again.
  close(progress, pair)
  progress.red.push([...pair])
  if ((yield* ask(pair, 2)) === 'red') pairs.push(pair)
}

/** `fixed` with `candidates` is red: what of the candidates makes it so. */
function* smallestRed(candidates: readonly string[], fixed: readonly string[]): Search<string[]> {
  if (candidates.length === 1) return [...candidates]
  const middle = Math.ceil(candidates.length / 2)
  const [left, right] = [candidates.slice(0, middle), candidates.slice(middle)]
  for (const half of [left, right])
    if ((yield* ask([...fixed, ...half])) === 'red') return yield* smallestRed(half, fixed)
  const ofLeft = yield* smallestRed(left, [...fixed, ...right])
  const ofRight = yield* smallestRed(right, [...fixed, ...ofLeft])
  return [...ofLeft, ...ofRight]
}

function* ask(ids: readonly string[], attempt: Union['attempt'] = 1): Search<UnionResult> {
  return yield { ids, attempt }
}
