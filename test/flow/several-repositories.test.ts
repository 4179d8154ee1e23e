// Two repositories, each as `ao init` made it: both can be watched, and one command shows both.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { currentProcess, formatIdentity } from '../../src/lib/process/process-identity.ts'
import { createRepo } from '../support/git-repo.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

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
