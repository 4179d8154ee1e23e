// A named pipe, a directory or a link where ao keeps a file: no command hangs, and the other sessions are taken care of.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join, sep } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionJson } from '../../src/cli/print/session-json.ts'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

let world: AoWorld
beforeAll(async () => {
  buildAo()
  world = createAoWorld()
  for (const text of ['one', 'two']) {
    expect(await world.ao(['spawn', '--prompt', `demo: say ${text}`])).toMatchObject({ code: 0 })
  }
})
afterAll(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

const TIMEOUT_MS = 20_000
const dataDir = () => join(world.temp.home, '.agent-orchestrator')

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Runs `work` while something else is in the place of these files. */
async function inPlaceOf<T>(files: string[], put: (path: string) => unknown, work: () => Promise<T>): Promise<T> {
  for (const file of files) {
    renameSync(file, `${file}.kept`)
    put(file)
  }
  try {
    return await work()
  } finally {
    for (const file of files) {
      rmSync(file, { recursive: true, force: true })
      renameSync(`${file}.kept`, file)
    }
  }
}

const pipe = (path: string) => execFileSync('mkfifo', [path])

describe('a named pipe in place of a file', () => {
  const READERS = [['session', 'ls'], ['status'], ['why', 'app-1'], ['events'], ['doctor', '--json']]

  // Together where one does not keep the others from being read.
  it.each<[which: string, isOne: (path: string) => boolean]>([
    ["of a session's state", (path) => path.includes(`${sep}state${sep}`)],
    ['of the record', (path) => path.endsWith(`${sep}sessions${sep}app-1`)],
    ['of the history', (path) => path.includes(`${sep}history${sep}`)],
    ['of the origin', (path) => path.endsWith(`${sep}.origin`)],
    ['of observability', (path) => path.includes('-observability')],
    ['of the user', (path) => path.includes(`${sep}.ao${sep}`) && !path.includes(`${sep}bin${sep}`)],
  ])('hangs no command, and doctor names it: %s', async (_which, isOne) => {
    const ours = [...filesBelow(dataDir()), ...filesBelow(join(world.temp.home, '.ao'))]
    const files = ours.filter((file) => isOne(file) && !file.includes('app-2'))
    expect(files).not.toEqual([])
    const results = await inPlaceOf(files, pipe, () =>
      Promise.all(READERS.map((args) => world.ao(args, { timeoutMs: TIMEOUT_MS }))),
    )
    expect(results.map(({ signal }) => signal)).toEqual(READERS.map(() => null))
    const { checks } = JSON.parse(results.at(-1)!.stdout) as { checks: Array<{ detail: string }> }
    const named = files.filter((file) => checks.some(({ detail }) => detail.includes(file)))
    expect(named).toEqual(files)
  })

  it('is refused by name where the configuration should be', async () => {
    const config = join(world.repo, 'agent-orchestrator.yaml')
    const { code, stderr } = await inPlaceOf([config], pipe, () =>
      world.ao(['session', 'ls'], { timeoutMs: TIMEOUT_MS }),
    )
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${config} is a named pipe`) })
  })
})

describe('a record that cannot be read', () => {
  const record = () => filesBelow(dataDir()).find((file) => file.endsWith(`${sep}sessions${sep}app-1`))!
  const sessions = async () => (await world.json<{ sessions: SessionJson[] }>(['session', 'ls'])).sessions

  it.each([
    ['a directory', (path: string) => mkdirSync(path), 'it is a directory'],
    ['a link', (path: string) => symlinkSync('/etc/hostname', path), 'it is a symbolic link'],
  ])('is listed as damaged, and every command continues with the others: %s', async (_kind, put, why) => {
    await inPlaceOf([record()], put, async () => {
      const [first, second] = await sessions()
      expect(first).toMatchObject({ id: 'app-1', status: 'errored', damaged: expect.stringContaining(why) })
      expect(second).toMatchObject({ id: 'app-2' })
      expect(second).not.toHaveProperty('damaged')
      expect((await world.ao(['session', 'ls'])).stdout).toContain(`damaged record: ${why}`)
      expect((await world.ao(['why', 'app-1'])).stdout).toContain(`its record is damaged: ${why}`)
      expect((await world.ao(['status'])).stdout).toContain('app-2')
      const { code, stdout } = await world.ao(['session', 'cleanup', '--dry-run'])
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.not.stringMatching(/would remove.*app-1/) })
      expect(await world.ao(['session', 'kill', 'app-1'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The record of app-1'),
      })
      expect(await world.ao(['spawn', '--prompt', 'demo: say hello'])).toMatchObject({ code: 0 })
    })
    expect((await sessions())[0]).not.toHaveProperty('damaged')
  })
})
