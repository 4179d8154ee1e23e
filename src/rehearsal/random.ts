// Small, fast and the same everywhere: a seed is a life.
export interface Random {
  below(n: number): number
  chance(p: number): boolean
  pick<T>(from: readonly T[]): T
}

export function createRandom(seed: number): Random {
  let state = seed + 0x6d2b79f5
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  return {
    below: (n) => Math.floor(next() * n),
    chance: (p) => next() < p,
    pick: (from) => from[Math.floor(next() * from.length)]!,
  }
}
