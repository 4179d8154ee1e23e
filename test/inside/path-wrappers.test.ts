import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setupPathWrapperWorkspace } from '../../src/inside/path-wrappers.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'

let temp: TempHome
let bin: string

beforeEach(() => {
  temp = createTempHome()
  bin = join(temp.home, '.ao', 'bin')
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const install = (aoCommand = [process.execPath, '/opt/ao/ao.js']) =>
  setupPathWrapperWorkspace({ home: temp.home, aoCommand })
const inodes = () => Object.fromEntries(readdirSync(bin).map((name) => [name, statSync(join(bin, name)).ino]))

describe('setupPathWrapperWorkspace', () => {
  it('S1.10 S1.72 installs the helper, executable gh and git, ao, and the version', async () => {
    expect(await install()).toBe(bin)
    expect(readdirSync(bin)).toEqual(
      expect.arrayContaining(['.ao-version', 'ao', 'ao-hook', 'ao-metadata-helper.sh', 'gh', 'git']),
    )
    for (const name of ['gh', 'git', 'ao', 'ao-hook']) expect(statSync(join(bin, name)).mode & 0o111).toBe(0o111)
    expect(readFileSync(join(bin, 'gh'), 'utf8')).toMatch(/^#!.*bash/)
  })

  it('S1.73 is versioned 0.2.0 or later and rewrites nothing when the version is equal', async () => {
    await install()
    expect(readFileSync(join(bin, '.ao-version'), 'utf8')).toMatch(/^0\.[2-9]\d*\.\d+ [0-9a-f]{16}\n$/)
    const before = inodes()
    await install()
    expect(inodes()).toEqual(before)
  })

  it('S1.73 reinstalls everything when the version is another one', async () => {
    await install()
    const before = inodes()
    writeFileSync(join(bin, '.ao-version'), '0.1.0\n')
    writeFileSync(join(bin, 'gh'), 'old')
    await install()
    for (const [name, inode] of Object.entries(inodes())) expect([name, inode]).not.toEqual([name, before[name]])
    expect(readFileSync(join(bin, 'gh'), 'utf8')).toContain('ao-wrapper for gh')
  })

  it.each([
    ['empty', ''],
    ['zeroed', '\0'.repeat(100)],
    ['changed', '#!/bin/sh\nexit 0\n'],
  ])('puts back a file that is %s, as a power loss may leave it', async (_, content) => {
    await install()
    const before = readFileSync(join(bin, 'git'), 'utf8')
    writeFileSync(join(bin, 'git'), content)
    await install()
    expect(readFileSync(join(bin, 'git'), 'utf8')).toBe(before)
  })

  it('takes over from a permanent copy whose files are damaged', async () => {
    await install()
    writeFileSync(join(bin, 'gh'), '')
    await install([process.execPath, '/opt/_npx/abc/ao.js'])
    expect(readFileSync(join(bin, 'gh'), 'utf8')).toContain('ao-wrapper for gh')
  })

  it('puts back a file that is missing, and notices an installation that was interrupted', async () => {
    await install()
    rmSync(join(bin, 'git'))
    await install()
    expect(statSync(join(bin, 'git')).isFile()).toBe(true)
    rmSync(join(bin, '.ao-version'))
    writeFileSync(join(bin, 'gh'), 'half')
    await install()
    expect(readFileSync(join(bin, 'gh'), 'utf8')).toContain('ao-wrapper for gh')
  })

  it('may run many times at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => install()))
    expect(readdirSync(bin).filter((name) => name.startsWith('.'))).toEqual(['.ao-command', '.ao-version'])
  })

  it('S2.42 ao runs the very program and entry that installed it', async () => {
    const entry = join(temp.home, "it's ao", 'entry.mjs')
    mkdirSync(join(temp.home, "it's ao"))
    writeFileSync(entry, 'console.log(process.execPath, JSON.stringify(process.argv.slice(2)))\n')
    await install([process.execPath, entry])
    const env = { ...temp.env, PATH: `${bin}:${temp.env.PATH}` }
    const run = spawnSync('env', ['ao', 'send', 'svc-1', 'a "b" $c'], { env, encoding: 'utf8' })
    expect(run.stdout).toBe(`${process.execPath} ["send","svc-1","a \\"b\\" $c"]\n`)
    await install(['/gone/node', entry])
    const gone = spawnSync('env', ['ao'], { env, encoding: 'utf8' })
    expect([gone.status, gone.stderr]).toEqual([127, 'ao: /gone/node is gone; run ao once where it is installed now\n'])
  })

  describe('with several copies of ao on the machine', () => {
    function copy(directory: string): string[] {
      const entry = join(temp.home, directory, 'dist', 'ao.mjs')
      mkdirSync(join(entry, '..'), { recursive: true })
      writeFileSync(entry, `console.log(${JSON.stringify(directory)})\n`)
      return [process.execPath, entry]
    }
    const run = (path = temp.env.PATH) =>
      spawnSync(join(bin, 'ao'), ['x'], { env: { ...temp.env, PATH: `${bin}:${path}` }, encoding: 'utf8' })

    it.each([
      'project/node_modules/ao-fleet',
      '.npm/_npx/1a2b/node_modules/ao-fleet',
      'cache/dlx-12/node_modules/ao-fleet',
    ])('one in %s does not take over from one that stays', async (fleeting) => {
      mkdirSync(join(temp.home, 'project'))
      writeFileSync(join(temp.home, 'project', 'package.json'), '{}')
      await install(copy('lib/node_modules/ao-fleet'))
      await install(copy(fleeting))
      rmSync(join(temp.home, fleeting), { recursive: true })
      expect(run().stdout).toBe('lib/node_modules/ao-fleet\n')
    })

    it('one that vanishes is better than none, and makes way for one that stays', async () => {
      await install(copy('.npm/_npx/1/node_modules/ao-fleet'))
      expect(run().stdout).toBe('.npm/_npx/1/node_modules/ao-fleet\n')
      await install(copy('lib/node_modules/ao-fleet'))
      expect(run().stdout).toBe('lib/node_modules/ao-fleet\n')
      await install(copy('.npm/_npx/2/node_modules/ao-fleet'))
      expect(run().stdout).toBe('lib/node_modules/ao-fleet\n')
      rmSync(join(temp.home, 'lib'), { recursive: true })
      await install(copy('.npm/_npx/2/node_modules/ao-fleet'))
      expect(run().stdout).toBe('.npm/_npx/2/node_modules/ao-fleet\n')
    })

    it('another ao on PATH answers when the copy is gone, and without one the reason is given', async () => {
      await install(copy('checkout'))
      rmSync(join(temp.home, 'checkout'), { recursive: true })
      const gone = run()
      expect([gone.status, gone.stderr]).toEqual([127, expect.stringContaining('checkout/dist/ao.mjs is gone')])
      const other = join(temp.home, 'other')
      mkdirSync(other)
      writeFileSync(join(other, 'ao'), '#!/bin/sh\necho "the other ao: $1"\n', { mode: 0o755 })
      expect(run(`${other}:${temp.env.PATH}`).stdout).toBe('the other ao: x\n')
    })
  })
})

describe('on a system without /bin/bash', () => {
  const only = (...paths: string[]) => {
    return (command: string) =>
      paths.find((path) => path === command || (command === 'bash' && path.endsWith('/bash'))) ?? null
  }
  const at = (...paths: string[]) =>
    setupPathWrapperWorkspace({
      home: temp.home,
      aoCommand: [process.execPath, '/opt/ao/ao.js'],
      lookup: only(...paths),
    })
  const interpreters = () =>
    ['gh', 'git', 'ao-hook', 'ao-metadata-helper.sh'].map(
      (name) => readFileSync(join(bin, name), 'utf8').split('\n')[0],
    )

  it.each([
    ['NixOS', '/run/current-system/sw/bin/bash'],
    ['Guix', '/run/current-system/profile/bin/bash'],
    ['FreeBSD', '/usr/local/bin/bash'],
    ['a directory in PATH', '/home/ann/.nix-profile/bin/bash'],
  ])('on %s every script names the bash that was found, with -p', async (_, path) => {
    await at(path)
    expect(new Set(interpreters())).toEqual(new Set([`#!${path} -p`]))
  })

  it('refuses where there is none, and leaves nothing behind', async () => {
    await expect(at()).rejects.toMatchObject({ code: 'TOOL_MISSING', hint: expect.stringContaining('apk add bash') })
    expect(existsSync(bin)).toBe(false)
  })

  it.each([
    ['/home/ann b/bash', 'a space ends the interpreter'],
    [`/${'d'.repeat(130)}/bash`, 'old kernels cut the line'],
    ['bin/bash', 'it depends on the directory'],
  ])('does not take %s: %s', async (path) => {
    await expect(at(path)).rejects.toMatchObject({ code: 'TOOL_MISSING' })
  })

  it('a bash that has moved is followed, and the scripts run', async () => {
    const moved = join(temp.home, 'nix', 'bash')
    mkdirSync(join(temp.home, 'nix'))
    await at('/gone/bin/bash')
    expect(spawnSync(join(bin, 'git'), ['--version'], { env: temp.env }).error).toMatchObject({ code: 'ENOENT' })
    symlinkSync('/bin/bash', moved)
    await at(moved)
    const run = spawnSync(join(bin, 'git'), ['--version'], { env: temp.env, encoding: 'utf8' })
    expect(run.stdout).toMatch(/^git version/)
  })

  it('a copy that may vanish repairs wrappers whose interpreter is gone', async () => {
    await at('/gone/bin/bash')
    await install([process.execPath, '/opt/_npx/abc/ao.js'])
    expect(interpreters()[0]).toBe('#!/bin/bash -p')
  })
})
