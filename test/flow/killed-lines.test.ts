// The program that keeps the lines is killed in the middle of several sessions' turns: nothing is lost, and nothing is done twice.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createMachineHere, type MachineHere } from '../support/machine-here.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const CONFIG = `port: 0
defaults: { agent: demo, runtime: process }
places: { box: { type: ssh, host: box } }
projects:
  app: { path: ., place: box, tracker: local, scm: local, agentConfig: { permissions: skip } }
`
const IDS = ['app-1', 'app-2', 'app-3']

let ao: AoWorld
let machine: MachineHere

beforeAll(buildAo)
beforeEach(async () => {
  ao = createAoWorld({ config: CONFIG })
  machine = createMachineHere(ao.temp)
  // The turns last until the test lets them go on.
  writeFileSync(join(machine.root, 'wait'), `until [ -e '${join(machine.root, 'go')}' ]; do sleep 0.1; done\n`)
  await ao.agree()
})
afterEach(async () => {
  await Promise.all(IDS.map((id) => ao.ao(['session', 'kill', id, '--purge', '--force'])))
  expect(await ao.temp.cleanup()).toEqual([])
})

it('continues every turn', async () => {
  const steps = ['write answer 42', `run sh ${join(machine.root, 'wait')}`, 'commit the answer', 'pr The answer']
  const prompt = steps.map((step) => `demo: ${step}`).join('\n')
  const spawned = await Promise.all(IDS.map(() => ao.ao(['spawn', '--prompt', prompt])))
  expect(spawned.map(({ code, stderr }) => (code === 0 ? '' : stderr))).toEqual(['', '', ''])
  await waitFor('the turns', () =>
    machine.sessions().every((id) => existsSync(join(machine.root, '.ao-place', 's', id, 'work', 'answer'))),
  )
  machine.killAtHome('place-lines')
  writeFileSync(join(machine.root, 'go'), '')
  const opened = await waitFor('all pull requests', async () => {
    const { sessions } = await ao.json<{ sessions: Array<{ id: string; pr: unknown }> }>(['status'])
    return sessions.length === IDS.length && sessions.every(({ pr }) => pr !== null) ? sessions : null
  })
  expect(opened.map(({ id }) => id).toSorted()).toEqual(IDS)
  expect((await ao.json<{ pullRequests: unknown[] }>(['pr', 'ls', '--all'])).pullRequests).toHaveLength(IDS.length)
  for (const id of IDS) {
    const file = join(ao.temp.home, '.worktrees', 'app', id, 'answer')
    await waitFor(`the work of ${id}`, () => existsSync(file) && readFileSync(file, 'utf8').includes('42'))
  }
})
