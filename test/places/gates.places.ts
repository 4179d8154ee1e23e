// Gates of a session on another machine, as a user sees them: `ao pr checks`, and what is left when the place is gone.
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { startEngine, whyNoDocker } from './docker-daemon.ts'
import { hostWords, type Listed } from './session-there.ts'
import { startMachine, whyNoSsh } from './ssh-machine.ts'

const endings: Array<() => Promise<unknown>> = []
beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

/** Passes only where the file is, which is not here. */
const GATE = 'echo "at $PWD"; git rev-parse HEAD; test -e /only-there || { echo "not there"; exit 1; }'

/** A session in the place, with its pull request open. */
async function openPull(place: string): Promise<AoWorld> {
  const config = `port: 0
defaults: { agent: demo, runtime: process }
places: { there: ${place} }
projects:
  app:
    path: .
    place: there
    tracker: local
    scm: local
    gates:
      - { name: own, run: '${GATE}', timeout: 60 }
      - { name: slow, run: 'test ! -e /slow || sleep 4; echo done', timeout: 60 }
      - { name: paths, forbid: [infra/] }
`
  const ao = createAoWorld({ config })
  endings.push(async () => expect(await ao.temp.cleanup()).toEqual([]))
  await ao.ao(['config', 'trust', '--yes'])
  const spawned = await ao.ao(['spawn', '--prompt', 'Write a note'])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
  await waitFor('the pull request', async () => {
    const { sessions } = await ao.json<Listed & { sessions: Array<{ pr: unknown }> }>(['status'])
    return (sessions[0] as { pr?: unknown } | undefined)?.pr ?? null
  })
  return ao
}

async function branchOf(ao: AoWorld): Promise<string> {
  return (await ao.json<Listed>(['status'])).sessions[0]!.branch
}

async function runChecks(ao: AoWorld): Promise<string> {
  const { stdout, stderr, code } = await ao.ao(['pr', 'checks', '1', '--run'], { timeoutMs: 100_000 })
  return `${stdout}${stderr}exit ${code}`
}

async function expectPassedThere(ao: AoWorld): Promise<void> {
  const output = await runChecks(ao)
  expect(output).toMatch(
    /passed +gate: own \(in there\)\npassed +gate: slow \(in there\)\npassed +gate: paths\n[\s\S]*exit 0/,
  )
  const head = git(ao.repo, ao.temp.env, 'rev-parse', await branchOf(ao))
  const log = (await ao.ao(['pr', 'checks', '1', '--log', 'gate: own'])).stdout
  expect(log).toMatch(new RegExp(`at .*/\\.ao-place/s/[^/]+/gates/[^/]+/work\\n${head}`))
}

describe('gates on another machine', () => {
  const why = whyNoSsh()
  it.skipIf(why !== null)(`run beside the agent${why ? ` (skipped: ${why})` : ''}`, async () => {
    const machine = await startMachine({ pids: 'own', hasNode: true })
    endings.push(() => machine.stop())
    machine.run('touch /only-there /slow')
    const ao = await openPull(`{ type: ssh, host: box, configFile: '${machine.configFile}' }`)
    // The host is killed in the middle of a gate: what it found is unknown, and the gate runs again.
    const text = hostWords(ao)
    const running = runChecks(ao)
    await waitFor('the slow gate', () => machine.run('ps -e -o args').includes('sleep 4'))
    machine.killAll(text)
    expect(await running).toMatch(/passed +gate: own \(in there\)\npending +gate: slow \(.+\)[\s\S]*exit 8/)
    await waitFor('a new host', () => machine.run('ps -e -o args').includes(text))
    await waitFor('an end of the old gate', () => !machine.run('ps -e -o args').includes('sleep 4'))
    machine.run('rm /slow')
    await expectPassedThere(ao)
    expect(machine.run('ls ~/.ao-place/s/*/').includes('gates')).toBe(false)

    // The session is ended, and somebody pushes to its branch: the gates wait for a place rather than run here.
    const branch = await branchOf(ao)
    expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
    const { env } = ao.temp
    const commit = git(ao.repo, env, 'commit-tree', `${branch}^{tree}`, '-p', branch, '-m', 'By hand')
    git(ao.repo, env, 'update-ref', `refs/heads/${branch}`, commit)
    expect(await runChecks(ao)).toMatch(
      /pending gate: own \(its place there was given back; .*ao session restore app-1[\s\S]*passed +gate: paths\n[\s\S]*exit 8/,
    )
    await machine.die()
  })
})

describe('gates in a container', () => {
  const why = whyNoDocker()
  it.skipIf(why !== null)(`run beside the agent${why ? ` (skipped: ${why})` : ''}`, async () => {
    const engine = await startEngine()
    endings.push(() => engine.stop())
    const ao = await openPull(`{ type: docker, image: '${engine.image}', host: '${engine.host}', network: none }`)
    engine.run(['exec', engine.containers()[0]!, 'touch', '/only-there'])
    await expectPassedThere(ao)
    expect((await ao.ao(['session', 'kill', 'app-1', '--purge'])).code).toBe(0)
  })
})
