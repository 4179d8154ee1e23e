// What used to pass although nothing could work: `ao doctor` finds it by asking and by running things.
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRepo, git } from '../support/git-repo.ts'
import { AO, type AoWorld, buildAo, createAoWorld } from '../support/run-ao.ts'

interface Check {
  level: string
  name: string
  detail: string
  fix?: string
}

let world: AoWorld
beforeAll(buildAo)
beforeEach(() => {
  world = createAoWorld()
})
afterEach(async () => {
  expect(await world.temp.cleanup()).toEqual([])
})

async function find(name: string, env: NodeJS.ProcessEnv = {}): Promise<Check[]> {
  const { checks } = await world.json<{ checks: Check[] }>(['doctor'], { env })
  return checks.filter((check) => check.name === name)
}

/** A PATH with these programs and nothing else. */
function onlyPrograms(...names: string[]): string {
  const bin = join(world.temp.home, 'few')
  mkdirSync(bin)
  for (const name of names) symlinkSync(join('/usr/bin', name), join(bin, name))
  return bin
}

describe('ao doctor', () => {
  it('finds that git does not know who commits', async () => {
    const nobody = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', EMAIL: '' }
    git(world.repo, world.temp.env, 'config', 'user.useConfigOnly', 'true')
    const nameless = Object.fromEntries(
      ['AUTHOR', 'COMMITTER'].flatMap((who) => [
        [`GIT_${who}_NAME`, ''],
        [`GIT_${who}_EMAIL`, ''],
      ]),
    )
    expect(await find('git identity', { ...nobody, ...nameless })).toMatchObject([
      { level: 'fail', fix: expect.stringContaining('git config --global user.name') },
    ])
    git(world.repo, world.temp.env, 'config', 'user.name', 'Ann')
    git(world.repo, world.temp.env, 'config', 'user.email', 'ann@example.com')
    expect(await find('git identity')).toMatchObject([{ level: 'pass' }])
  })

  it('finds that agents have no gh for a repository on GitHub', async () => {
    const config = 'projects:\n  app:\n    path: .\n    agent: demo\n    repo: acme/app\n    scm: github\n'
    writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), config)
    git(world.repo, world.temp.env, 'remote', 'add', 'origin', 'https://github.com/acme/app.git')
    const [found] = await find('gh', { PATH: onlyPrograms('git', 'sh', 'env') })
    expect(found).toMatchObject({
      level: 'fail',
      detail: 'gh is not installed, and agents open pull requests of app with it',
    })
  })

  it('runs the wrappers: one whose copy of ao is gone is broken', async () => {
    const entry = join(world.temp.home, 'copy', 'ao.mjs')
    mkdirSync(join(world.temp.home, 'copy'))
    writeFileSync(entry, `await import(${JSON.stringify(AO)})\n`)
    const { setupPathWrapperWorkspace } = await import('../../src/inside/path-wrappers.ts')
    await setupPathWrapperWorkspace({ home: world.temp.home, aoCommand: [process.execPath, entry] })
    expect(await find('wrappers')).toMatchObject([{ level: 'pass' }])
    rmSync(entry)
    expect(await find('wrapper ao')).toMatchObject([
      { level: 'fail', detail: expect.stringContaining(`${entry} is gone`) },
    ])
  })

  it('finds submodules that every worktree would lack, and init sees to them', async () => {
    const { temp, repo } = world
    const sub = createRepo(join(temp.home, 'sub'), temp.env, { 'inside.txt': 'in the submodule' })
    git(temp.home, temp.env, 'config', '--global', 'protocol.file.allow', 'always')
    git(repo, temp.env, 'submodule', '--quiet', 'add', sub, 'vendor/sub')
    git(repo, temp.env, 'commit', '--quiet', '--all', '--message', 'submodule')
    expect(await find('submodules of app')).toMatchObject([{ level: 'warn' }])
    const init = await world.ao(['init', '--force', '--agent', 'demo'])
    expect(init.stdout).toContain('postCreate runs git submodule update --init --recursive')
    expect(await find('submodules of app')).toEqual([])
    const { stdout } = await world.ao(['spawn', '--prompt', 'wait', '--json'])
    const { workspacePath } = JSON.parse(stdout).session ?? JSON.parse(stdout)
    expect(readFileSync(join(workspacePath, 'vendor', 'sub', 'inside.txt'), 'utf8')).toBe('in the submodule')
    await world.ao(['session', 'kill', '--all', '--yes'])
  })
})

/** Programs that come first in PATH. */
function programs(scripts: Record<string, string>): string {
  const bin = join(world.temp.home, 'first')
  mkdirSync(bin, { recursive: true })
  for (const [name, text] of Object.entries(scripts)) writeFileSync(join(bin, name), text, { mode: 0o755 })
  return `${bin}:${world.temp.env.PATH}`
}

describe('ao doctor, about programs and files of this machine', () => {
  const installWrappers = async () => {
    const { setupPathWrapperWorkspace } = await import('../../src/inside/path-wrappers.ts')
    return setupPathWrapperWorkspace({ home: world.temp.home, aoCommand: [process.execPath, AO] })
  }

  it.each(['git', 'gh', 'ao-hook'])(
    'fails for the wrapper %s whose bash is gone, and --fix installs it again',
    async (name) => {
      const bin = await installWrappers()
      const script = join(bin, name)
      writeFileSync(script, readFileSync(script, 'utf8').replace('#!/bin/bash', '#!/gone/bash'))
      expect(await find(`wrapper ${name}`)).toMatchObject([
        {
          level: 'fail',
          detail: expect.stringContaining('/gone/bash is missing'),
          fix: expect.stringContaining('--fix'),
        },
      ])
      await world.ao(['doctor', '--fix'])
      expect(readFileSync(script, 'utf8')).toMatch(/^#!\/bin\/bash -p/)
      expect(await find('wrappers')).toMatchObject([{ level: 'pass' }])
    },
  )

  it('fails for wrappers that are empty, which run and do nothing, and --fix brings them back', async () => {
    const bin = await installWrappers()
    for (const name of ['ao-wrapper.sh', 'ao-session-rules.sh']) writeFileSync(join(bin, name), '')
    for (const name of ['git', 'gh']) writeFileSync(join(bin, name), '#!/bin/sh\n')
    expect(await find('wrappers')).toMatchObject([
      { level: 'fail', detail: expect.stringContaining('empty or damaged') },
    ])
    await world.ao(['doctor', '--fix'])
    expect(await find('wrappers')).toMatchObject([{ level: 'pass' }])
  })

  it('fails for wrappers that are missing, and --fix brings them back', async () => {
    const bin = await installWrappers()
    rmSync(join(bin, 'gh'))
    expect(await find('wrappers')).toMatchObject([{ level: 'fail', detail: expect.stringContaining('lacks gh') }])
    await world.ao(['doctor', '--fix'])
    expect(await find('wrappers')).toMatchObject([{ level: 'pass' }])
  })

  it('says that a git which is slow was not checked, and tells nobody to install it', async () => {
    const found = await find('git', {
      PATH: programs({ git: '#!/bin/sh\n[ "$1" = --version ] && exec sleep 60\nexec /usr/bin/git "$@"\n' }),
    })
    expect(found).toMatchObject([
      { level: 'warn', detail: expect.stringContaining('not checked'), fix: expect.any(String) },
    ])
    expect(found[0]?.fix).not.toContain('Install')
  })

  it.each([
    ['2.33.8', 'fail'],
    ['2.34.0', 'pass'],
  ])('has one oldest git for everything: %s is a %s in both lines', async (version, level) => {
    const git = `#!/bin/sh\n[ "$1" = --version ] && { echo git version ${version}; exit; }\nexec /usr/bin/git "$@"\n`
    const { checks } = await world.json<{ checks: Check[] }>(['doctor'], { env: { PATH: programs({ git }) } })
    const levels = checks.filter(({ name }) => ['git', 'workspace worktree'].includes(name)).map((check) => check.level)
    expect(levels).toEqual([level, level])
  })

  it('fails for a runtime that does not exist', async () => {
    const config = 'defaults:\n  runtime: tmx\nprojects:\n  app:\n    path: .\n    agent: demo\n'
    writeFileSync(join(world.repo, 'agent-orchestrator.yaml'), config)
    expect(await find('runtime tmx')).toContainEqual(
      expect.objectContaining({ level: 'fail', detail: expect.stringContaining('there are: ') }),
    )
  })

  it('fails for tokens that others can read, and --fix closes them', async () => {
    const tokens = [
      join(world.temp.home, '.ao', 'run', '0123456789ab.token'),
      join(world.temp.home, '.agh', 'http-token'),
    ]
    for (const token of tokens) {
      mkdirSync(join(token, '..'), { recursive: true })
      writeFileSync(token, 'secret')
      chmodSync(token, 0o640)
    }
    const details = (await find('access')).map(({ level, detail }) => `${level} ${detail}`)
    for (const token of tokens) expect(details).toContain(`fail ${token} can be read by other users`)
    await world.ao(['doctor', '--fix'])
    for (const token of tokens) expect(statSync(token).mode & 0o777).toBe(0o600)
  })
})
