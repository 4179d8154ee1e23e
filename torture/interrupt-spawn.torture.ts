// npm run torture -- interrupt-spawn: `ao spawn` ended at random moments. The next command finishes or undoes what was
// left, and no worktree, branch, terminal, process, state or lock stays that belongs to no session.
import { join } from 'node:path'
import { aghBeside } from '../test/support/agh-daemon.ts'
import { type AoHome, createAoHome } from '../test/support/ao-home.ts'
import { gitWithHome, runInterrupted, WAYS } from '../test/support/interrupt-command.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { type Campaign, campaign, timesOr } from './campaign.ts'

const RUNTIMES = { tmux: timesOr(60), process: timesOr(30), acp: timesOr(20) } as const
const FILES = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`src/f${n}.txt`, `file ${n}\n`.repeat(50)]))

for (const [runtime, times] of Object.entries(RUNTIMES) as Array<[keyof typeof RUNTIMES, number]>) {
  campaign(`interrupted spawn, ${runtime}`, async (one) => {
    const { ao, running } = await createWorld(runtime, one)
    let duration = 1_000
    for (let interrupted = 0, round = 0; interrupted < times && round < times * 4; round++) {
      const way = one.random.pick(WAYS)
      const afterMs = one.random.below(Math.ceil(duration * 1.1))
      const took = await runInterrupted(ao, ['spawn', '--prompt', 'work'], way, afterMs)
      if (took !== null) duration = (duration + took) / 2
      else {
        interrupted++
        one.tried(way)
      }
      const where = `round ${round}, ${way} after ${afterMs} ms`
      await waitFor('git to end', () => gitWithHome(ao.home).length === 0).catch(() =>
        one.broken(`${where}: git runs on`),
      )
      ao.ok(['session', 'cleanup'])
      for (const leak of leaks(ao, running)) one.broken(`${where}: ${leak}`)
      if (ao.list().length > 6) for (const { id } of ao.list()) ao.ok(['session', 'kill', id, '--purge'])
    }
    ao.ok(['doctor', '--fix'])
    for (const left of leftBehind(ao)) one.broken(`at the end: ${left}`)
    ao.spawn()
  })
}

async function createWorld(runtime: 'tmux' | 'process' | 'acp', { afterwards }: Campaign) {
  const program = join(import.meta.dirname, '../test/fixtures/acp-program.ts')
  const command = JSON.stringify([process.execPath, program, 'cat'])
  const acp = { projectYaml: `agent: generic\nagentConfig: { command: ${command} }` }
  const ao = await createAoHome({ runtime, files: { ...FILES, 'README.md': 'x\n' }, ...(runtime === 'acp' ? acp : {}) })
  const agh = runtime === 'acp' ? aghBeside(ao.home, ao.env) : null
  afterwards(async () => {
    for (const { id } of runtime === 'process' ? ao.list() : []) ao.run(['session', 'kill', id])
    await agh?.stop()
    return ao.cleanup()
  })
  const inAgh = () => agh!.sessions().filter(({ state }) => state !== 'stopped')
  const running = {
    tmux: () => ao.tmuxSessions(),
    // Its hosts are counted by the strays at the end.
    process: () => null,
    acp: () => inAgh().map(({ driver }) => driver!.key.replace(/^[0-9a-f]+-/, '')),
  }[runtime]
  return { ao, running }
}

function leaks(ao: AoHome, running: () => string[] | null): string[] {
  const sessions = ao.list()
  const ids = sessions.map(({ id }) => id).sort()
  const problems = sessions.filter(({ status }) => status !== 'working').map(({ id, status }) => `${id} is ${status}`)
  const compare = (what: string, found: string[] | null) => {
    if (found && found.toSorted().join() !== ids.join())
      problems.push(`${what}: ${found.join()}, sessions: ${ids.join()}`)
  }
  compare('worktrees', ao.worktrees())
  compare('agents', running())
  // What a purge archived can be restored, with its branch and its state.
  const archived = new Set(ao.archived())
  compare(
    'state',
    ao.stateDirs().filter((id) => !archived.has(id)),
  )
  const branches = ao.branches().flatMap((name) => (name.startsWith('session/') ? [name.slice(8)] : []))
  compare(
    'branches',
    branches.filter((id) => !archived.has(id)),
  )
  return problems
}

function leftBehind(ao: AoHome): string[] {
  const { checks } = JSON.parse(ao.run(['doctor', '--json']).stdout) as { checks: Array<Record<string, string>> }
  return checks.filter(({ level, name }) => level === 'warn' && name === 'left behind').map(({ detail }) => detail!)
}
