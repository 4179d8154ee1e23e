// A session in a container and one on another machine, from `ao spawn` to `ao session kill`, with real engines. The runtime
// suite and the failures are in `npm run test:places`.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startEngine, whyNoDocker } from '../places/docker-daemon.ts'
import { startMachine, whyNoSsh } from '../places/ssh-machine.ts'
import { git } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const endings: Array<() => Promise<unknown>> = []

beforeAll(buildAo)
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

interface Listed {
  sessions: Array<{ id: string; status: string; activity: string; place: string | null; pr: unknown; branch: string }>
}

function world(place: string, more = ''): AoWorld {
  const config = `port: 0
defaults: { agent: demo, runtime: process }
places: { there: ${place} }
projects:
  app: { path: ., place: there, tracker: local, scm: local, postCreate: ['echo made > made-there.txt'] }
${more}`
  const made = createAoWorld({ config })
  endings.push(async () => expect(await made.temp.cleanup()).toEqual([]))
  return made
}

/** The whole life of a session there. */
async function live(ao: AoWorld, leftThere: () => string[]): Promise<void> {
  writeFileSync(join(ao.repo, '.env'), 'TOKEN=of-the-project\n')
  expect((await ao.ao(['spawn', '--prompt', 'Not agreed to'])).stderr).toMatch(/places\.there starts agents there/)
  await ao.ao(['config', 'trust', '--yes'])
  const spawned = await ao.ao(['spawn', '--prompt', 'Write a note'])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')

  const opened = await waitFor('the pull request', async () => {
    const { sessions } = await ao.json<Listed>(['status'])
    return sessions[0]?.pr ? sessions[0] : null
  })
  expect(opened).toMatchObject({ id: 'app-1', place: 'there', status: 'pr_open' })

  const worktree = join(ao.temp.home, '.worktrees', 'app', 'app-1')
  await waitFor('the work at home', () => existsSync(join(worktree, 'demo', 'app-1.md')))
  expect(readFileSync(join(worktree, 'made-there.txt'), 'utf8')).toBe('made\n')
  expect(git(ao.repo, ao.temp.env, 'log', '--format=%s', '-1', opened.branch)).toContain('Write a note')

  killLine(ao)
  const sent = await ao.ao(['send', 'app-1', 'One more thing'])
  expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  expect((await ao.ao(['why', 'app-1'])).stdout).toMatch(/it runs in there .* connected/)

  const killed = await ao.ao(['session', 'kill', 'app-1', '--purge'])
  expect(killed.code, killed.stderr).toBe(0)
  expect(leftThere()).toEqual([])
  expect(git(ao.repo, ao.temp.env, 'for-each-ref', 'refs/ao/place').trim()).toBe('')
}

/** kill -9 for the process at home that keeps the connection. */
function killLine({ temp }: AoWorld): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (line.includes('place-line') && line.includes(temp.home)) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
}

describe('a session in a container', () => {
  const why = whyNoDocker()
  it.skipIf(why !== null)(`lives there and its work comes home${why ? ` (skipped: ${why})` : ''}`, async () => {
    const engine = await startEngine()
    endings.push(() => engine.stop())
    const ao = world(`{ type: docker, image: '${engine.image}', host: '${engine.host}', network: none, memory: 1g }`)
    await live(ao, () => engine.containers())
  })
})

describe('a session on another machine', () => {
  const why = whyNoSsh()
  it.skipIf(why !== null)(`lives there and its work comes home${why ? ` (skipped: ${why})` : ''}`, async () => {
    const machine = await startMachine({ pids: 'own', hasNode: true })
    endings.push(() => machine.stop())
    const ao = world(`{ type: ssh, host: box, configFile: '${machine.configFile}' }`)
    await live(ao, () => machine.run('ls ~/.ao-place/s').split('\n').filter(Boolean))
    // With it the connection that all sessions there share.
    await machine.die()
  })
})
