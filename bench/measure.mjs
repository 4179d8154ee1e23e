// Measuring: interleaved runs, so that a busy moment of the machine hits all candidates alike; medians, never single runs.

/** Runs every candidate `rounds` times in turn and returns each one's median in milliseconds. */
export async function compare(candidates, rounds) {
  const times = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]))
  for (const run of Object.values(candidates)) await run()
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(candidates)) {
      const started = performance.now()
      await run(round)
      times[name].push(performance.now() - started)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]))
}

export function median(list) {
  const sorted = [...list].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** One line: what, how long, how many times the raw limit, and what we aim at. */
export function report(what, ms, raw, aim) {
  const ratio = ms / raw
  const verdict = aim === undefined ? '' : `  aim ≤ ${aim.toFixed(2)}${ratio <= aim ? '' : '  MISSED'}`
  console.log(`  ${what.padEnd(44)} ${ms.toFixed(1).padStart(8)} ms  ${ratio.toFixed(2).padStart(6)} ×${verdict}`)
}
