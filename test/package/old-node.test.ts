// The built commands where they cannot work: under a Node that is too old, of which a real one is used where the machine has it, and
// in a home that takes no files.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../support/installed-package.ts'
import { buildAo } from '../support/run-ao.ts'

beforeAll(buildAo)

const COMMANDS = ['ao', 'agh']
const entry = (command: string) => join(ROOT, 'dist', `${command}.js`)
const refusal = (command: string, version: string) =>
  `error: ${command} needs Node 22.19 or newer, but this is Node ${version}; ` +
  'get a newer one with: nvm install 24 (or: npm install --global node@24)\n'

/** This Node with another version and without what an old one lacks. */
function pretend(version: string): string[] {
  const lacksBuiltins = Number(version.split('.')[0]) < 20
  const code = [
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
    lacksBuiltins ? 'delete process.getBuiltinModule' : '',
  ].join(';')
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

describe.each(COMMANDS)('%s', (command) => {
  it.each(['16.20.2', '18.20.8', '20.20.2', '22.18.0'])('refuses Node %s in one sentence', (version) => {
    const result = spawnSync(process.execPath, [...pretend(version), entry(command), 'doctor'], { encoding: 'utf8' })
    expect(result).toMatchObject({ status: 2, stdout: '', stderr: refusal(command, version) })
  })

  it.each(['16.20.2', '22.18.0'])('says its version to Node %s', (version) => {
    const result = spawnSync(process.execPath, [...pretend(version), entry(command), '--version'], { encoding: 'utf8' })
    expect(result).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: '' })
  })

  it('imports nothing before it has checked the version', () => {
    expect(readFileSync(entry(command), 'utf8')).not.toMatch(/^(import|export)\b/m)
  })

  // Node's own recursive mkdir never ends there.
  it.runIf(process.platform === 'linux').each(['/proc/1', '/proc/1/own'])('refuses %s as its home at once', (home) => {
    const env = { ...process.env, AO_HOME: home, HOME: home }
    const result = spawnSync(process.execPath, [entry(command), 'doctor'], { encoding: 'utf8', env, timeout: 30_000 })
    const stderr = `error: nothing can be created in ${home}, where ${command} keeps its files; set AO_HOME to a directory of your own\n`
    expect(result).toMatchObject({ status: 1, stdout: '', stderr })
  })

  it('leaves a home as it is to find that out', () => {
    const home = mkdtempSync(join(tmpdir(), 'aot-'))
    try {
      utimesSync(home, 1, 1)
      const env = { ...process.env, AO_HOME: '', HOME: home, XDG_CACHE_HOME: tmpdir() }
      const result = spawnSync(process.execPath, [entry(command), '--help'], { encoding: 'utf8', env })
      expect(result).toMatchObject({ status: 0, stderr: '' })
      expect(statSync(home).mtimeMs).toBe(1_000)
    } finally {
      rmSync(home, { recursive: true })
    }
  })

  it.each(oldNodes())('refuses the real Node %s', (version, node) => {
    const result = spawnSync(node, [entry(command), 'doctor'], { encoding: 'utf8' })
    expect(result).toMatchObject({ status: 2, stdout: '', stderr: refusal(command, version) })
  })
})

/** Old ones on PATH, and those that AO_TEST_OLD_NODES names. */
function oldNodes(): Array<[version: string, path: string]> {
  const onPath = (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'node'))
  const named = (process.env.AO_TEST_OLD_NODES ?? '').split(delimiter).filter(Boolean)
  const files = [...onPath, ...named].filter((file) => existsSync(file)).map((file) => realpathSync(file))
  return [...new Set(files)].flatMap((file) => {
    const version = spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)
    const [major = 0, minor = 0] = version.split('.').map(Number)
    return major < 22 || (major === 22 && minor < 19) ? [[version, file] as [string, string]] : []
  })
}
