// Sets of whole numbers as `results.json` keeps them: `3 to 5, 9`.

export function numbersOf(ranges: string): number[] {
  return ranges
    .split(', ')
    .filter(Boolean)
    .flatMap((range) => {
      const [from, to = from] = range.split(' to ').map(Number)
      return Array.from({ length: to! - from! + 1 }, (_, n) => from! + n)
    })
}

export function rangesOf(numbers: Iterable<number>): string {
  const ranges: Array<[number, number]> = []
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last && last[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ')
}

export function unionOf(...all: string[]): string {
  return rangesOf(all.flatMap(numbersOf))
}
