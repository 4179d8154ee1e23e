// Cross products in tests. `npm test` takes as many combinations as it needs to try every value of both sides;
// `npm run test:thorough` (AO_THOROUGH=1) takes all of them.
export const THOROUGH = process.env.AO_THOROUGH === '1'

/** Every `a` with `each` of the `b`s, which take turns. */
export function cover<A, B>(as: readonly A[], bs: readonly B[], each = 1): Array<[A, B]> {
  const take = THOROUGH ? bs.length : Math.min(each, bs.length)
  return as.flatMap((a, index) =>
    Array.from({ length: take }, (_, n): [A, B] => [a, bs[(index * take + n) % bs.length]!]),
  )
}

/** One of every two, or of every `step`, of what is tried in full elsewhere; the first and the last included. */
export function some<T>(all: readonly T[], step = 2): T[] {
  return all.filter((_, index) => THOROUGH || index % step === 0 || index === all.length - 1)
}

/** For the number of repetitions: fewer in `npm test`. */
export function repeats(all: number, few: number): number {
  return THOROUGH ? all : few
}
