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
  await ao.agree()
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
  // On a slow machine the first command only starts the line again.
  const { sessions, notices } = await waitFor('the loss', async () => {
    const listed = await ao.json<Listed>(['status'])
    return listed.sessions[0]?.unknown?.since ? listed : null
  })
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

it('a place that is taken out of the configuration keeps its sessions manageable', async () => {
  const config = join(ao.repo, 'agent-orchestrator.yaml')
  writeFileSync(config, CONFIG.replace('box: {', 'renamed: {').replace(' place: box,', ''))
  const why = (await ao.ao(['why', 'app-1'])).stdout
  expect(why).toMatch(
    /the place box is no longer in the configuration; put it back, move the session with: ao session move/,
  )
  expect(why).toMatch(/it runs in box \(ssh .*\), connected/)
  expect((await ao.ao(['place', 'ls'])).stdout).toMatch(/box +removed +1 +it is no longer in the configuration/)
  const sent = await ao.ao(['send', 'app-1', 'One more thing'])
  expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  const killed = await ao.ao(['session', 'kill', 'app-1'])
  expect(killed.code, killed.stderr).toBe(0)
  expect(machine.sessions()).toEqual([])
  await ao.ao(['config', 'trust', '--yes'])
  const restored = await ao.ao(['session', 'restore', 'app-1'])
  expect(restored.stderr).toMatch(/The place box of app-1 is no longer in the configuration/)
  expect(restored.stderr).toContain('ao session move app-1 --here')
  const moved = await ao.ao(['session', 'move', 'app-1', '--here'])
  expect(moved.code, moved.stderr).toBe(0)
})
