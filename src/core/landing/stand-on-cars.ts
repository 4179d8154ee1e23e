// A pull request that was rebased onto a car holds what the car held: it may land only after that has landed. Pure.
import type { Onto, TrainState } from './train-state.ts'

/** What of the offer will not land as it was offered; null: all of it has landed or still may. */
export function strandedOn({ riders, landed }: TrainState, { commit, cars }: Onto): Onto | null {
  const lost = cars.filter((car) => !has(riders, car) && !has(landed, car))
  return lost.length === 0 ? null : { commit, cars: lost }
}

/** Everything in the offered cars that it is built on has landed. */
export function isGrounded({ landed, offers }: TrainState, builtOn: readonly string[]): boolean {
  return builtOn.every((commit) => offers.find((one) => one.commit === commit)?.cars.every((car) => has(landed, car)))
}

function has(list: ReadonlyArray<{ pull: number; headSha: string }>, { pull, headSha }: Onto['cars'][number]): boolean {
  return list.some((one) => one.pull === pull && one.headSha === headSha)
}
