// Two repositories, each as `ao init` made it: both can be watched, and one command shows both.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Repository } from '../../src/contract/dashboard/pages.ts'
import { currentProcess, formatIdentity } from '../../src/lib/process/process-identity.ts'
import { createPaths } from '../../src/store/paths.ts'
import { createRepo } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

interface Started {
  pid: number
  port: number
  configPath: string
  startedNow: boolean
}

let world: AoWorld
let second: string
beforeAll(buildAo)
beforeEach(() => {
  world = createAoWorld()
  second = createRepo(join(world.temp.home, 'other'), world.temp.env)
  const config = readFileSync(join(world.repo, 'agent-orchestrator.yaml'), 'utf8').replace('  app:', '  other:')
  writeFileSync(join(second, 'agent-orchestrator.yaml'), config)
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

describe('several repositories', () => {
  it('ao start in the second takes a free port when the first has the usual one', async () => {
    // The usual port may be anybody's on this machine: the state of a loop that runs says whose it is.
    const taken = createServer()
    const listening = await new Promise<boolean>((resolve) => {
      taken.once('error', () => resolve(false))
      taken.listen(3000, '127.0.0.1', () => resolve(true))
    })
    try {
      const run = join(world.temp.home, '.ao', 'run')
      mkdirSync(run, { recursive: true })
      const identity = formatIdentity(currentProcess())
      const state = { process: identity, pid: process.pid, configPath: '/first', port: 3000, projects: [] }
      writeFileSync(join(run, 'first.json'), JSON.stringify(state))
      const started = await world.ao(['start', '--json'], { cwd: second, env: { AO_PORT: '' } })
      expect(started.stderr).toContain('the dashboard of /first listens there')
      expect(started.code).toBe(0)
      expect(JSON.parse(started.stdout).port).not.toBe(3000)
      await world.ao(['stop'], { cwd: second })
    } finally {
      if (listening) await new Promise((resolve) => taken.close(resolve))
    }
  })

  it('one process and one page serve both, the same project id included, until each is stopped', async () => {
    // The same project id in both: what belongs to one must not appear in the other.
    const copy = readFileSync(join(world.repo, 'agent-orchestrator.yaml'), 'utf8')
    writeFileSync(join(second, 'agent-orchestrator.yaml'), copy)
    const one = await world.json<Started>(['start'])
    const join2 = { cwd: second, env: { AO_PORT: '' } }
    const two = await world.json<Started>(['start'], join2)
    expect(two).toMatchObject({ pid: one.pid, port: one.port, startedNow: false })
    await world.ao(['spawn', '--prompt', 'wait'], { cwd: second })

    // Addresses of its issues and pull requests are those of its own pages, and mean nothing in the other one.
    const { issue } = await world.json<{ issue: { url: string } }>(['issue', 'new', 'One'], { cwd: second })
    const hashOf = (configPath: string) => createPaths({ configPath, home: world.temp.home, env: world.temp.env }).hash
    const [first, other] = [one, two].map(({ configPath }) => hashOf(configPath))
    expect(issue.url).toBe(`http://localhost:${one.port}/r/${other}/projects/app/issues/1`)
    const token = readFileSync(join(world.temp.home, '.ao', 'run', `${first}.token`), 'utf8').trim()
    const get = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${one.port}${path}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return { status: response.status, body: await response.text() }
    }
    const { repositories } = JSON.parse((await get('/api/repositories')).body) as { repositories: Repository[] }
    expect(repositories).toMatchObject([
      { hash: first, name: 'app', isThis: true, sessions: 0, problem: null },
      { hash: other, name: 'other', isThis: false, sessions: 1, problem: null },
    ])
    const sessionsAt = async (base: string) =>
      (JSON.parse((await get(`${base}/api/sessions`)).body) as { sessions: unknown[] }).sessions.length
    expect([await sessionsAt(''), await sessionsAt(`/r/${first}`), await sessionsAt(`/r/${other}`)]).toEqual([0, 0, 1])
    expect((await get(`/r/${other}/sessions/x`)).body).toContain('<div id="root">')
    expect((await get('/r/0123456789ab/api/sessions')).status).toBe(404)
    expect((await fetch(`http://127.0.0.1:${one.port}/r/${other}/api/sessions`)).status).toBe(401)
    const { link } = await world.json<{ link: string }>(['dashboard'], { cwd: second })
    const signedIn = await fetch(link, { redirect: 'manual' })
    expect(signedIn.headers.get('location')).toBe(`/r/${other}/`)
    expect(signedIn.headers.get('set-cookie')).toContain('ao-')

    // A third one that is broken is refused with the reason and disturbs nobody; so is one whose directory is gone.
    const third = createRepo(join(world.temp.home, 'third'), world.temp.env)
    writeFileSync(
      join(third, 'agent-orchestrator.yaml'),
      `${copy.replace('  app:', '  third:')}notifiers: { x: { plugin: ntfy, topic: "\${ONLY_HERE}" } }\n`,
    )
    await world.ao(['config', 'trust', '--yes'], { cwd: third, env: { ONLY_HERE: 'x' } })
    const refused = await world.ao(['start'], { cwd: third, env: { AO_PORT: '', ONLY_HERE: 'x' } })
    expect(refused.stderr).toMatch(/does not watch .*ONLY_HERE is not set.*ao start --own/s)
    expect(refused.code).not.toBe(0)
    expect(await sessionsAt(`/r/${other}`)).toBe(1)

    // The first one leaves; the second stays, also at the root of the page.
    const left = await world.json<{ stillWatched: string[] }>(['stop'])
    expect(left.stillWatched).toEqual([two.configPath])
    expect(await sessionsAt('')).toBe(1)
    expect((await world.ao(['start'], { env: { AO_PORT: String(one.port) } })).stdout).toContain(
      `joined: process ${one.pid}`,
    )
    await world.ao(['session', 'kill', '--all', '--yes'], { cwd: second })
    renameSync(second, `${second}-gone`)
    const after = JSON.parse((await get('/api/repositories')).body) as { repositories: Repository[] }
    expect(after.repositories.map(({ problem }) => problem)).toEqual([`${two.configPath} is gone`, null])
    expect(await sessionsAt(`/r/${first}`)).toBe(0)
    expect((await world.ao(['stop', '--all'])).stdout).toContain(`stopped process ${one.pid}`)
    expect((await world.ao(['stop'])).stdout).toContain('nothing was running')
  })

  it('ao status outside of both shows the sessions of both, and a broken one hides no other', async () => {
    await world.ao(['spawn', '--prompt', 'wait'])
    await world.ao(['spawn', '--prompt', 'wait'], { cwd: second })
    const outside = { cwd: world.temp.home }
    const { sessions, code } = await world.json<{ sessions: Array<{ projectId: string }> }>(['status'], outside)
    expect(code).toBe(0)
    expect(sessions.map(({ projectId }) => projectId).sort()).toEqual(['app', 'other'])
    const { stdout } = await world.ao(['status'], outside)
    expect(stdout).toContain(join(world.repo, 'agent-orchestrator.yaml'))
    expect(stdout).toContain(join(second, 'agent-orchestrator.yaml'))
    await world.ao(['session', 'kill', '--all', '--yes'], { cwd: second })
    writeFileSync(join(second, 'agent-orchestrator.yaml'), 'projects: [')
    const after = await world.json<{ sessions: unknown[]; notices: string[] }>(['status'], outside)
    expect(after.sessions).toHaveLength(1)
    expect(after.notices).toEqual([expect.stringContaining(second)])
    await world.ao(['session', 'kill', '--all', '--yes'])
  })
})
