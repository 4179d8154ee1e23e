// An agent in a place that writes more than home wants: what is left there is said, everything else comes home, and nothing is lost.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { THOROUGH } from '../support/cover.ts'
import { createMachineHere, type MachineHere } from '../support/machine-here.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const MB = 1024 * 1024
const config = (limit: string) => `port: 0
defaults: { agent: demo, runtime: process }
places: { box: { type: ssh, host: box${limit} } }
projects:
  app: { path: ., place: box, tracker: local, scm: local }
`

let ao: AoWorld
let machine: MachineHere

beforeAll(buildAo)
beforeEach(() => {
  ao = createAoWorld({ config: config('') })
  machine = createMachineHere(ao.temp)
})
afterEach(async () => {
  await ao.ao(['session', 'kill', 'app-1', '--purge', '--force'])
  expect(await ao.temp.cleanup()).toEqual([])
})

interface Listed {
  sessions: Array<{ activity: string | null; workLeft?: string }>
  notices: string[]
}

const status = () => ao.json<Listed>(['status'])
const ready = () =>
  waitFor('the end of the turn', async () => (await status()).sessions[0]?.activity === 'ready', 40_000).catch(
    async (error) => {
      throw new Error(`${error}
${(await ao.ao(['why', 'app-1'])).stdout}`)
    },
  )
const mirror = (name: string) => join(ao.temp.home, '.worktrees', 'app', 'app-1', name)

async function spawn(limit: string, ...script: string[]): Promise<void> {
  writeFileSync(join(ao.repo, 'agent-orchestrator.yaml'), config(limit))
  await ao.agree()
  const spawned = await ao.ao(['spawn', '--prompt', script.map((line) => `demo: ${line}`).join('\n')])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
  await ready()
}

async function send(...script: string[]): Promise<void> {
  const sent = await ao.ao(['send', 'app-1', script.map((line) => `demo: ${line}`).join('\n')])
  expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  await ready()
}

const there = (name: string) => join(machine.root, '.ao-place', 's', machine.sessions()[0]!, 'work', name)
/** What an agent may do there at any moment: bytes that do not compress, all at once, because half of them might be below the limit. */
function rewrite(name: string, megabytes: number): void {
  const written = join(machine.root, 'written')
  writeFileSync(written, randomBytes(megabytes * MB))
  renameSync(written, there(name))
}

const objectsAtHome = () => {
  const directory = join(ao.repo, '.git', 'objects')
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(directory, name), { throwIfNoEntry: false }))
    .reduce((sum, stats) => sum + (stats?.isFile() ? stats.size : 0), 0)
}

it('60 MB that are rewritten again and again stay there; sources come home, and the place is not given up over them', async () => {
  await spawn('', 'append notes one', 'finish done')
  const before = objectsAtHome()
  for (const word of ['two', 'three', 'four']) {
    rewrite('build.bin', 60)
    await send(`append notes ${word}`, 'finish done')
  }
  await waitFor(
    'the notes',
    () => existsSync(mirror('notes')) && readFileSync(mirror('notes'), 'utf8').includes('four'),
  )
  const grown = objectsAtHome() - before
  console.log(`home grew by ${(grown / 1024).toFixed(1)} KB while 180 MB were written there`)
  expect(grown).toBeLessThan(MB)
  expect(existsSync(mirror('build.bin'))).toBe(false)

  const { sessions, notices } = await status()
  const left = '1 untracked file of 60 MB (the largest: build.bin) stays in box: maxUntrackedMb of box is 50'
  expect(sessions[0]?.workLeft).toBe(left)
  expect(notices).toContain(`app-1: ${left}`)
  expect((await ao.ao(['why', 'app-1'])).stdout).toContain(left)

  const refused = await ao.ao(['session', 'kill', 'app-1'])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toMatch(/its place is kept: 1 untracked file there did not come home.*maxUntrackedMb/s)
  expect(statSync(there('build.bin')).size).toBe(60 * MB)
  // Ignored files are nobody's work.
  writeFileSync(there('.gitignore'), 'build.bin\n')
  const killed = await ao.ao(['session', 'kill', 'app-1'])
  expect(killed.code, killed.stderr).toBe(0)
  expect(readFileSync(mirror('.gitignore'), 'utf8')).toBe('build.bin\n')
  expect(machine.sessions()).toEqual([])
}, 180_000)

it.runIf(THOROUGH)(
  'what fits does not come home without end either: commits do, and the rest once more when the agent has ended',
  async () => {
    await spawn(', maxUntrackedMb: 1', 'append notes one', 'finish done')
    const before = objectsAtHome()
    for (let n = 0; n < 7; n++) {
      rewrite('data.bin', 0.9)
      await send(`append notes ${n}`, 'finish done')
    }
    expect(objectsAtHome() - before).toBeLessThan(6 * MB)
    expect((await status()).sessions[0]?.workLeft).toMatch(
      /^its uncommitted work stays in box until it ends, after 5 MB/,
    )
    await send('commit Notes', 'finish done')
    const log = () => execFileSync('git', ['log', '--format=%s', '-1'], { cwd: mirror(''), encoding: 'utf8' }).trim()
    await waitFor('the commit', () => log() === 'Notes')
    rewrite('more.bin', 0.5)
    const bytes = readFileSync(there('more.bin'))
    const killed = await ao.ao(['session', 'kill', 'app-1'])
    expect(killed.code, killed.stderr).toBe(0)
    expect(readFileSync(mirror('more.bin'))).toEqual(bytes)
  },
  180_000,
)
