// In which order riders are tried. Pure.
import type { Rider } from './train-state.ts'

export interface OrderRule {
  order: 'safe' | 'fifo'
  /** Labels that go first. */
  priority: readonly string[]
  /** How many cars are tested at once. */
  batch: number
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
  const firsts = riders.filter(({ first }) => first)
  const rest = riders.filter(({ first }) => !first)
  const starved = rest.filter(isStarved)
  const suspects = rest.filter((rider) => !isStarved(rider) && rider.suspect !== undefined)
  const others = rest.filter((rider) => !isStarved(rider) && rider.suspect === undefined)
  const groups = [others.filter(isUrgent), others.filter((rider) => !isUrgent(rider))]
  const ordered = groups.flatMap((group) => (rule.order === 'fifo' ? group : leastTrouble(group, facts)))
  const sorted = [...firsts, ...starved, ...ordered]
  // At the end of what is tested next: a suspect hears its verdict soon, and nobody is built on top of it.
  const ahead = suspects.length === 0 ? sorted.length : Math.max(0, rule.batch - suspects.length)
  return [...sorted.slice(0, ahead), ...suspects, ...sorted.slice(ahead)]
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
