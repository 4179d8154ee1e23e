// An engine of places that comes from an npm package: packed and installed as a user would, consented to, and used from spawn to kill.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'

const PACKAGE = join(import.meta.dirname, '..', 'fixtures', 'place-engine')

let ao: AoWorld
let root: string

beforeAll(buildAo)
beforeEach(() => {
  ao = createAoWorld({ config: 'projects: { app: { path: . } }\n' })
  root = join(ao.temp.home, 'folders')
  mkdirSync(root)
  writeFileSync(
    join(ao.repo, 'agent-orchestrator.yaml'),
    `port: 0
defaults: { agent: demo, runtime: process }
plugins: { external: [{ package: ao-place-folder }] }
places: { there: { type: folder, root: '${root}' } }
projects:
  app: { path: ., place: there, tracker: local, scm: local }
`,
  )
})
afterEach(async () => {
  rmSync(join(root, 'cut'), { force: true })
  await ao.ao(['config', 'trust', '--yes'])
  await ao.ao(['session', 'kill', 'app-1', '--purge', '--force'])
  expect(await ao.temp.cleanup()).toEqual([])
})

/** Without a network: the package has no dependencies. */
function install(directory: string): string {
  mkdirSync(directory, { recursive: true })
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', env: { ...process.env, HOME: ao.temp.home } })
  const name = npm(['pack', '--silent', '--pack-destination', ao.temp.home], PACKAGE).trim()
  const flags = ['--offline', '--no-audit', '--no-fund', '--legacy-peer-deps', '--prefix', directory]
  npm(['install', ...flags, join(ao.temp.home, name)], directory)
  return join(directory, 'node_modules', 'ao-place-folder')
}

interface Listed {
  sessions: Array<{ activity: string | null; unknown?: { why: string } }>
}

const session = async () => (await ao.json<Listed>(['status'])).sessions[0]

function killLine(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (commandLine.includes('place-line') && commandLine.includes(ao.temp.home)) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // It ended meanwhile.
    }
  }
}

it('runs a session there from its start to its end, and never without consent to its code', async () => {
  const code = join(install(ao.repo), 'index.js')
  const refused = await ao.ao(['spawn', '--prompt', 'Not agreed to'])
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toMatch(/ao-place-folder/)
  expect(readdirSync(root)).toEqual([])
  await ao.ao(['config', 'trust', '--yes'])
  expect((await ao.ao(['plugin', 'ls'])).stdout).toMatch(/folder .*ao-place-folder/)
  expect((await ao.ao(['place', 'test', 'there'])).stdout).toContain(`directories below ${root}`)
  const spawned = await ao.ao(['spawn', '--prompt', 'Write a note'])
  expect(spawned.stdout, spawned.stderr).toContain('SESSION=app-1')
  await waitFor('the first turn', async () => (await session())?.activity === 'ready')
  expect(readdirSync(root)).toHaveLength(1)

  // The line loads the code by itself.
  const ran = join(ao.temp.home, 'changed-code-ran')
  appendFileSync(code, `\nwriteFileSync(${JSON.stringify(ran)}, '')\n`)
  killLine()
  expect((await ao.ao(['send', 'app-1', 'Not now'])).code).not.toBe(0)
  await ao.ao(['status'])
  expect(existsSync(ran)).toBe(false)
  await ao.ao(['config', 'trust', '--yes'])
  const sent = await ao.ao(['send', 'app-1', 'Now'])
  expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  expect(existsSync(ran)).toBe(true)
  await waitFor('its work', () => existsSync(join(ao.temp.home, '.worktrees/app/app-1/demo/app-1.md')))

  const killed = await ao.ao(['session', 'kill', 'app-1', '--purge'])
  expect(killed.code, killed.stderr).toBe(0)
  expect(readdirSync(root)).toEqual([])
})
