// In which order riders are tried. Pure.
import type { FreezeWindow } from './timing/halt.ts'
import type { Rider, TrainState } from './train-state.ts'

export interface OrderRule {
  order: 'safe' | 'fifo'
  /** Labels that go first. */
  priority: readonly string[]
  /** How many cars are tested at once. */
  batch: number
  /** While one of them lasts nothing lands. */
  freeze?: readonly FreezeWindow[] | undefined
}

export interface OrderFacts {
  labelsOf(pull: number): readonly string[]
  /** Does the radar say that the two conflict? */
  collide(a: number, b: number): boolean
  /** Pull requests whose order was offered to agents or is green (`keptOrder`). */
  offered: readonly number[]
  /** The same with those behind them that are being tested. */
  tested: readonly number[]
  /** The one that it stands on; null: none. */
  below(pull: number): number | null
}

/**
 * The longest order that agents were asked to build on and that still holds: what landed of it is part of the base, and with
 * the first one that left, has another head or is suspect, the rest was never going to be.
 */
export function offeredOrder({ offers, riders, landed }: TrainState): number[] {
  const orders = offers.map(({ cars }) => {
    const rest = cars.filter((car) => !landed.some(({ pull, headSha }) => pull === car.pull && headSha === car.headSha))
    const gone = rest.findIndex((car) => !riders.some((rider) => holds(rider, car)))
    return rest.slice(0, gone === -1 ? rest.length : gone).map(({ pull }) => pull)
  })
  return orders.reduce((longest, one) => (one.length >= longest.length ? one : longest), [])
}

/**
 * Behind what was offered, cars that were tested keep their place as long as everything ahead of them does: whatever speaks for
 * another order by now, they would have to be tested again. `built`: as they were built last.
 */
export function keptOrder(
  state: TrainState,
  built: ReadonlyArray<{ pull: number; headSha: string; tree: string }>,
  isTested: (tree: string) => boolean,
): number[] {
  const offered = offeredOrder(state)
  const rest = built.filter(
    (car) => !state.landed.some(({ pull, headSha }) => pull === car.pull && headSha === car.headSha),
  )
  const stays = (car: (typeof rest)[number]) => isTested(car.tree) && state.riders.some((rider) => holds(rider, car))
  const gone = rest.findIndex((car) => !stays(car))
  const kept = rest.slice(0, gone === -1 ? rest.length : gone).map(({ pull }) => pull)
  return [...offered, ...kept.filter((pull) => !offered.includes(pull))]
}

function holds(rider: Rider, car: { pull: number; headSha: string }): boolean {
  return rider.pull === car.pull && rider.headSha === car.headSha && rider.suspect === undefined
}

/** Whoever was overtaken this often goes first of those that are not tested yet, whatever speaks against it: nobody waits forever. */
export const MOST_PASSED_OVER = 5

export function orderCars(riders: readonly Rider[], rule: OrderRule, facts: OrderFacts): Rider[] {
  const isStarved = ({ passedOver }: Rider) => passedOver >= MOST_PASSED_OVER
  const isUrgent = ({ pull }: Rider) => facts.labelsOf(pull).some((label) => rule.priority.includes(label))
  const firsts = riders.filter(({ first }) => first)
  const isPreferred = ({ first, suspect, front }: Rider) => !first && suspect === undefined && front !== undefined
  const now = riders.filter((rider) => isPreferred(rider) && rider.front === 'now')
  const pinned = facts.offered.flatMap(
    (pull) => riders.find((rider) => rider.pull === pull && !rider.first && !now.includes(rider)) ?? [],
  )
  const next = riders.filter((rider) => isPreferred(rider) && !now.includes(rider) && !pinned.includes(rider))
  const settled = [...now, ...pinned, ...next]
  const isOpen = (rider: Rider) => !rider.first && !settled.includes(rider)
  const testing = facts.tested.flatMap((pull) => riders.find((rider) => rider.pull === pull && isOpen(rider)) ?? [])
  // Only what is urgent goes ahead of a test that was started.
  const isOvertaken = riders.some((rider) => isOpen(rider) && isUrgent(rider) && !testing.includes(rider))
  const kept = isOvertaken ? [] : testing
  const rest = riders.filter((rider) => isOpen(rider) && !kept.includes(rider))
  const starved = rest.filter(isStarved)
  const suspects = rest.filter((rider) => !isStarved(rider) && rider.suspect !== undefined)
  const others = rest.filter((rider) => !isStarved(rider) && rider.suspect === undefined)
  const groups = [others.filter(isUrgent), others.filter((rider) => !isUrgent(rider))]
  const ordered = groups.flatMap((group) => (rule.order === 'fifo' ? group : leastTrouble(group, facts)))
  // What was offered stays true, before anything speaks for another order: agents rebase onto it.
  const sorted = [...firsts, ...settled, ...kept, ...starved, ...ordered]
  // At the end of what is tested next: a suspect hears its verdict soon, and nobody is built on top of it.
  const ahead = suspects.length === 0 ? sorted.length : Math.max(0, rule.batch - suspects.length)
  return bottomUp([...sorted.slice(0, ahead), ...suspects, ...sorted.slice(ahead)], facts)
}

/** Whoever stands on another one comes behind it, whatever speaks for another order. */
function bottomUp(riders: readonly Rider[], { below }: OrderFacts): Rider[] {
  const ordered: Rider[] = []
  const add = (rider: Rider): void => {
    if (ordered.includes(rider)) return
    ordered.push(rider)
    for (const other of deferred) if (below(other.pull) === rider.pull) add(other)
  }
  const deferred: Rider[] = []
  for (const rider of riders) {
    const on = below(rider.pull)
    const isBehind = on !== null && !ordered.some(({ pull }) => pull === on) && riders.some(({ pull }) => pull === on)
    if (isBehind) deferred.push(rider)
    else add(rider)
  }
  return ordered
}

/**
 * One that collides with several others goes behind them: then one pull request has to be repaired, not several. Of two that
 * collide only with each other, the first one goes first.
 */
function leastTrouble(group: readonly Rider[], { collide }: OrderFacts): Rider[] {
  const trouble = new Map(
    group.map(({ pull }) => [pull, group.filter((other) => other.pull !== pull && collide(pull, other.pull)).length]),
  )
  const weight = ({ pull }: Rider) => (trouble.get(pull)! > 1 ? trouble.get(pull)! : 0)
  return [...group].sort((a, b) => weight(a) - weight(b))
}
