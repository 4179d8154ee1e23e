// npm run torture -- interrupt: kill, purge, restore and cleanup, interrupted at random moments. AO_SEED repeats a run,
// AO_INTERRUPTIONS shortens it.
import { afterEach, expect, it } from 'vitest'
import { interruptAtRandom, type Tally } from '../test/flow/interrupt-at-random.ts'

const seed = Number(process.env.AO_SEED ?? Date.now() % 2 ** 31)
const interruptions = Number(process.env.AO_INTERRUPTIONS ?? 150)

const done: Array<() => Promise<string[]>> = []
afterEach(async () => {
  for (const clean of done.splice(0)) expect(await clean()).toEqual([])
})

it.each(['worktree', 'clone'] as const)(
  `${interruptions} interruptions with workspace %s lose, leak and break nothing`,
  async (workspace) => {
    console.log(`AO_SEED=${seed} workspace=${workspace}`)
    const campaign = { workspace, interruptions, files: 2_500, seed }
    const { tallies, failures } = await interruptAtRandom(campaign, (clean) => done.push(clean))
    printTable(tallies)
    expect(failures).toEqual([])
    expect(tallies.reduce((sum, one) => sum + one.interrupted, 0)).toBeGreaterThanOrEqual(interruptions)
  },
)

function printTable(tallies: Tally[]): void {
  const rows = tallies.toSorted((a, b) => `${a.command}${a.way}`.localeCompare(`${b.command}${b.way}`))
  const cells = rows.map((one) => [
    one.command.padEnd(8),
    one.way.padEnd(20),
    ...[one.interrupted, one.lost, one.leaked, one.unrestorable].map((n) => String(n).padStart(12)),
  ])
  const head = `command  way                  interrupted         lost       leaked unrestorable`
  console.log([head, ...cells.map((line) => line.join(' '))].join('\n'))
}
