// In which order riders are tried. Pure.
import type { Rider } from './train-state.ts'

export interface OrderRule {
  order: 'safe' | 'fifo'
  /** Labels that go first. */
  priority: readonly string[]
}

export interface OrderFacts {
  labelsOf(pull: number): readonly string[]
  /** Does the radar say that the two conflict? */
  collide(a: number, b: number): boolean
}

/** Whoever was overtaken this often goes first, whatever speaks against it: nobody waits forever. */
export const MOST_PASSED_OVER = 5

export function orderCars(riders: readonly Rider[], rule: OrderRule, facts: OrderFacts): Rider[] {
  const isStarved = ({ passedOver }: Rider) => passedOver >= MOST_PASSED_OVER
  const isUrgent = ({ pull }: Rider) => facts.labelsOf(pull).some((label) => rule.priority.includes(label))
  const starved = riders.filter(isStarved)
  const others = riders.filter((rider) => !isStarved(rider))
  const groups = [starved, others.filter(isUrgent), others.filter((rider) => !isUrgent(rider))]
  if (rule.order === 'fifo') return groups.flat()
  const [first = [], ...rest] = groups
  return [...first, ...rest.flatMap((group) => leastTrouble(group, facts))]
}

/** Those that collide with the fewest others first; equal ones as they boarded. */
function leastTrouble(group: readonly Rider[], { collide }: OrderFacts): Rider[] {
  const trouble = new Map(
    group.map(({ pull }) => [pull, group.filter((other) => other.pull !== pull && collide(pull, other.pull)).length]),
  )
  return [...group].sort((a, b) => trouble.get(a.pull)! - trouble.get(b.pull)!)
}
