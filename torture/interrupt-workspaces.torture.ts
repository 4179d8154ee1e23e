// npm run torture -- interrupt: kill, purge, restore and cleanup, interrupted at random moments. AO_INTERRUPTIONS sets
// how often.
import { type Campaign as Interruptions, interruptAtRandom, type Tally } from '../test/flow/interrupt-at-random.ts'
import { campaign } from './campaign.ts'

const interruptions = Number(process.env.AO_INTERRUPTIONS ?? 150)

const KINDS: Record<string, Omit<Interruptions, 'seed'>> = {
  small: { workspace: 'worktree', interruptions, files: 150 },
  worktree: { workspace: 'worktree', interruptions, files: 2_500 },
  clone: { workspace: 'clone', interruptions, files: 2_500 },
  process: { workspace: 'worktree', interruptions: Math.ceil(interruptions / 4), files: 150, runtime: 'process' },
  acp: { workspace: 'worktree', interruptions: Math.ceil(interruptions / 4), files: 150, runtime: 'acp' },
}

for (const [kind, options] of Object.entries(KINDS)) {
  campaign(`interrupted work, ${kind}`, async ({ seed, tried, broken, afterwards, log }) => {
    const { tallies, failures } = await interruptAtRandom({ ...options, seed }, afterwards)
    log(`\n${describeTallies(tallies)}`)
    for (const { command, interrupted } of tallies) for (let n = 0; n < interrupted; n++) tried(command)
    for (const failure of failures) broken(failure)
    const sum = tallies.reduce((total, one) => total + one.interrupted, 0)
    if (sum < options.interruptions) broken(`only ${sum} commands were interrupted`)
  })
}

function describeTallies(tallies: Tally[]): string {
  const rows = tallies.toSorted((a, b) => `${a.command}${a.way}`.localeCompare(`${b.command}${b.way}`))
  const cells = rows.map((one) => [
    one.command.padEnd(8),
    one.way.padEnd(20),
    ...[one.interrupted, one.lost, one.leaked, one.unrestorable].map((n) => String(n).padStart(12)),
  ])
  const head = `command  way                  interrupted         lost       leaked unrestorable`
  return [head, ...cells.map((line) => line.join(' '))].join('\n')
}
