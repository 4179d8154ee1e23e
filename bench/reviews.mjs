// One person who reads 12 minutes a change, and 8 agents: reviews by age and as much work as comes, against reviews by weight and
// work that waits for the reviewer. The rehearsal's own code; every seed is a day of 8 hours. node bench/reviews.mjs [seeds]
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { USUAL_MIX } from '../src/rehearsal/habits.ts'
import { rehearse } from '../src/rehearsal/rehearse.ts'
import { createPaths } from '../src/store/paths.ts'

const MINUTE = 60_000

async function day(seed, reviewer, mode) {
  const home = mkdtempSync(join(tmpdir(), 'ao-reviews-'))
  try {
    const configPath = join(home, 'own', 'agent-orchestrator.yaml')
    mkdirSync(join(home, 'own'))
    writeFileSync(configPath, '')
    const project = { id: 'app', name: 'App', path: '.', defaultBranch: 'main', landing: { mode } }
    const config = { configPath, projects: { app: project }, plugins: {}, reactions: {}, readyThresholdMs: 300_000 }
    const paths = createPaths({ configPath, home, env: {} })
    const whole = { agents: 8, hours: 8, mix: USUAL_MIX, faults: false, personMinutes: 0, ciMinutes: 5 }
    const { world } = await rehearse({ config, project, paths, seed, ...whole, reviewer })
    const agents = [...world.sessions.values()]
    return {
      landed: agents.filter(({ landedAt }) => landedAt !== null).length,
      waits: world.waits.map(({ since, ended }) => ((ended ?? world.now) - since) / MINUTE),
      rebases: agents.flatMap(({ received }) =>
        received.filter(
          ({ key, text }) => key === 'merge-conflicts' || (key === 'landing-failed' && /conflict/i.test(text)),
        ),
      ).length,
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

function amount(days) {
  const waits = days.flatMap((one) => one.waits).sort((a, b) => a - b)
  const sum = (pick) => days.reduce((all, one) => all + pick(one), 0)
  return {
    landed: sum(({ landed }) => landed),
    p50: waits[Math.floor(waits.length * 0.5)],
    p95: waits[Math.floor(waits.length * 0.95)],
    rebases: sum(({ rebases }) => rebases),
  }
}

export async function run(seeds = 50, mode = 'train', only = '') {
  const rules = {
    without: { order: 'age', capacity: 'off' },
    order: { order: 'weight', capacity: 'off' },
    with: { order: 'weight', capacity: 'auto' },
  }
  const totals = {}
  for (const [name, rule] of Object.entries(rules)) {
    if (only !== '' && name !== only) continue
    const days = []
    for (let seed = 1; seed <= seeds; seed++) {
      days.push(await day(seed, { minutes: 12, ...rule }, mode))
      if (seed % 5 !== 0 && seed !== seeds) continue
      totals[name] = amount(days)
      const { landed, p50, p95, rebases } = totals[name]
      const waited = `wait for the person p50 ${p50} min, p95 ${p95} min`
      console.log(
        `  ${name.padEnd(8)} ${String(seed).padStart(2)} seeds: ${landed} landed, ${waited}, ${rebases} stale rebases`,
      )
    }
  }
  if (only !== '') return totals
  const change = (key) => `${(100 * (totals.with[key] / totals.without[key] - 1)).toFixed(1)} %`
  console.log(
    `  change   landed ${change('landed')}, p95 ${change('p95')} (aim -40 %), rebases ${change('rebases')} (aim -50 %)`,
  )
  return totals
}

if (import.meta.filename === process.argv[1]) {
  console.log('reviews: 8 agents, one person at 12 minutes a review')
  await run(Number(process.argv[2] ?? 50), process.argv[3], process.argv[4])
}
