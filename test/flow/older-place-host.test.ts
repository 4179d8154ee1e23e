// A host of the version before runs in a place while home is upgraded: the session goes on, with its work and its messages.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createMachineHere, type MachineHere } from '../support/machine-here.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const BEFORE = join(import.meta.dirname, '..', 'fixtures', 'hosts-before', 'place-host.js.br')
const CONFIG = `port: 0
defaults: { agent: demo, runtime: process }
places: { box: { type: ssh, host: box } }
projects:
  app: { path: ., place: box, tracker: local, scm: local, postCreate: ['echo made > made.txt'] }
`

let ao: AoWorld
let machine: MachineHere

beforeAll(buildAo)
beforeEach(async () => {
  ao = createAoWorld({ config: CONFIG })
  machine = createMachineHere(ao.temp)
  await ao.ao(['config', 'trust', '--yes'])
})
afterEach(async () => {
  for (const id of ['app-1', 'app-2']) await ao.ao(['session', 'kill', id, '--purge', '--force'])
  expect(await ao.temp.cleanup()).toEqual([])
})

interface Listed {
  sessions: Array<{ id: string; activity: string | null; pr: unknown }>
}

/** Where home put its own host, and would look for it. */
function replaceHost(): void {
  const directory = join(machine.root, '.ao-place')
  const set = readdirSync(directory).find((name) => name.startsWith('host-'))!
  writeFileSync(join(directory, set, 'host.js'), brotliDecompressSync(readFileSync(BEFORE)))
}

it('is started, spoken to, asked for its work, and ended', async () => {
  const first = await ao.ao(['spawn', '--prompt', 'Bring the files there'])
  expect(first.stdout, first.stderr).toContain('SESSION=app-1')
  expect((await ao.ao(['session', 'kill', 'app-1'])).code).toBe(0)
  replaceHost()

  const spawned = await ao.ao(['spawn', '--prompt', 'Write a note'])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-2')
  const session = async () => (await ao.json<Listed>(['status'])).sessions.find(({ id }) => id === 'app-2')
  await waitFor('the first turn', async () => {
    const now = await session()
    return now?.activity === 'ready' && now.pr !== null
  })
  machine.killAtHome('place-line')
  const sent = await ao.ao(['send', 'app-2', 'One more thing'])
  expect(sent.stdout, sent.stderr).toContain('seen by app-2')
  const worktree = join(ao.temp.home, '.worktrees', 'app', 'app-2')
  await waitFor('its work', () => existsSync(join(worktree, 'demo', 'app-2.md')))
  expect(readFileSync(join(worktree, 'made.txt'), 'utf8')).toBe('made\n')

  const killed = await ao.ao(['session', 'kill', 'app-2', '--purge'])
  expect(killed.code, killed.stderr).toBe(0)
  expect(machine.sessions()).toEqual([])
})
