// A place that does not answer, as its users see it: with the real host behind a fake ssh.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createMachineHere, type MachineHere } from '../support/machine-here.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `port: 0
defaults: { agent: demo, runtime: process }
places: { box: { type: ssh, host: box } }
projects:
  app: { path: ., place: box, tracker: local, scm: local }
`

let ao: AoWorld
let machine: MachineHere

beforeAll(buildAo)
beforeEach(async () => {
  ao = createAoWorld({ config: CONFIG })
  machine = createMachineHere(ao.temp)
  await ao.ao(['config', 'trust', '--yes'])
  const spawned = await ao.ao(['spawn', '--prompt', 'Write a note'])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
})
afterEach(async () => {
  machine.mend()
  await ao.ao(['session', 'kill', 'app-1', '--purge', '--force'])
  expect(await ao.temp.cleanup()).toEqual([])
})

interface Listed {
  sessions: Array<{ status: string; activity: string | null; unknown?: { place: string; why: string; since: string } }>
  notices: string[]
}

/** The line of the only session, and what it wrote down. */
function lineState(): string {
  const find = (directory: string): string[] =>
    readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name)
      if (entry.isDirectory()) return find(path)
      return /^place-line-.*\.json$/.test(entry.name) ? [path] : []
    })
  return find(join(ao.temp.home, '.agent-orchestrator'))[0]!
}

/** Cut off two minutes ago: the line that would have noted it was killed, and the next one cannot connect. */
function cutTwoMinutesAgo(): void {
  machine.cut()
  machine.killAtHome('place-line')
  machine.killAtHome('connect')
  const state = JSON.parse(readFileSync(lineState(), 'utf8'))
  const since = Date.now() - 125_000
  writeFileSync(lineState(), JSON.stringify({ ...state, connected: false, since, why: 'the connection was closed' }))
}

it('a session whose place cannot be reached is unknown everywhere, and known again when it answers', async () => {
  await waitFor('the first turn', async () => (await ao.json<Listed>(['status'])).sessions[0]?.activity === 'ready')
  cutTwoMinutesAgo()
  const { sessions, notices } = await ao.json<Listed>(['status'])
  expect(sessions[0]).toMatchObject({
    activity: null,
    unknown: { place: 'box', why: expect.stringMatching(/^box cannot be reached: /), unreachable: true },
  })
  expect(notices[0]).toMatch(/^the place box cannot be reached, so what 1 agent there is doing is unknown \(app-1\)/)
  expect((await ao.ao(['status'])).stdout).toMatch(/app-1 .*unreachable 2m/)
  expect((await ao.ao(['session', 'ls'])).stdout).toMatch(/app-1 .*unreachable 2m/)
  expect((await ao.ao(['place', 'ls'])).stdout).toMatch(/box .*unreachable for 2m: box cannot be reached/)
  const why = (await ao.ao(['why', 'app-1'])).stdout
  expect(why).toMatch(/^app-1 is \w+ \(activity unknown: box has been unreachable for 2m\), because:/)
  expect(why).toContain('what its agent is doing is unknown: box cannot be reached')

  machine.mend()
  await waitFor('the connection', async () => (await ao.json<Listed>(['status'])).sessions[0]?.activity === 'ready')
  expect((await ao.json<Listed>(['status'])).sessions[0]).not.toHaveProperty('unknown')
})
