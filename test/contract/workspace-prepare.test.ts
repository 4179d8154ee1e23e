// postCreate: links, env files, .worktreeinclude and commands, in both kinds of workspace.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ProjectConfig } from '../../src/contract/config.ts'
import { createWorld, type Kind, type World } from './workspace-world.ts'

for (const kind of ['worktree', 'clone'] satisfies Kind[]) {
  describe(`preparing a ${kind}`, () => {
    let world: World
    beforeEach(() => {
      world = createWorld(kind, { files: { 'README.md': '# sample\n', '.gitignore': '/secrets/\n/cache/\n*.log\n' } })
    })
    afterEach(async () => {
      expect(await world.temp.cleanup()).toEqual([])
    })

    async function prepare(project: Partial<ProjectConfig>): Promise<string> {
      const spec = world.spec('app-1', 'feat/app-1', project)
      const info = await world.workspace.create(spec)
      await world.workspace.postCreate(info, spec)
      return info.path
    }

    function put(name: string, content: string): void {
      mkdirSync(dirname(join(world.repo, name)), { recursive: true })
      writeFileSync(join(world.repo, name), content)
    }

    it('links what the project shares, and git does not see the links', async () => {
      put('node_modules/x/index.js', 'x\n')
      put('deep/er/cache dir/y', 'y\n')
      world.git(world.repo, 'config', 'core.excludesFile', '/dev/null')
      const path = await prepare({ symlinks: ['node_modules/', 'deep/er/cache dir', 'missing'], envFiles: [] })
      expect(readlinkSync(join(path, 'node_modules'))).toBe(join(world.repo, 'node_modules'))
      expect(readFileSync(join(path, 'deep/er/cache dir/y'), 'utf8')).toBe('y\n')
      expect(world.git(path, 'status', '--porcelain')).toBe('')
      expect(world.progress).toEqual(['Not linked, because the project has no missing'])
    })

    it('never replaces a file of the workspace by a link', async () => {
      const path = await prepare({ symlinks: ['README.md'] })
      expect(lstatSync(join(path, 'README.md')).isFile()).toBe(true)
      expect(world.progress).toEqual(['Not linked, because the workspace has a README.md of its own'])
    })

    it.each(['/etc', '../x', 'a/../../x', '', '.', '.git/hooks'])('refuses to link or copy %j', async (entry) => {
      const expected = { code: 'CONFIG_INVALID', message: expect.stringContaining('does not lie inside the project') }
      const info = await world.create('app-1')
      for (const project of [{ symlinks: [entry] }, { envFiles: [entry] }]) {
        const preparing = world.workspace.postCreate(info, world.spec('app-1', 'feat/app-1', project))
        await expect(preparing).rejects.toMatchObject(expected)
      }
    })

    it('refuses a path that leaves the workspace or the project through a link', async () => {
      const outside = join(world.temp.home, 'outside')
      mkdirSync(outside)
      writeFileSync(join(outside, '.env'), 'A=1\n')
      symlinkSync(outside, join(world.repo, 'way-out'))
      world.git(world.repo, 'add', 'way-out')
      world.git(world.repo, 'commit', '--quiet', '-m', 'way out')
      const info = await world.create('app-1')
      for (const project of [{ symlinks: ['way-out/x'] }, { envFiles: ['way-out/.env'] }]) {
        const preparing = world.workspace.postCreate(info, world.spec('app-1', 'feat/app-1', project))
        await expect(preparing).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
      }
      symlinkSync(join(outside, '.env'), join(world.repo, '.env'))
      await world.workspace.postCreate(info, world.spec('app-1'))
      expect(existsSync(join(info.path, '.env'))).toBe(false)
    })

    it('copies .env for its owner only, and it can never be committed', async () => {
      put('.env', 'TOKEN=secret\n')
      const path = await prepare({})
      expect(readFileSync(join(path, '.env'), 'utf8')).toBe('TOKEN=secret\n')
      expect(statSync(join(path, '.env')).mode & 0o777).toBe(0o600)
      world.git(path, 'add', '--all')
      expect(world.git(path, 'status', '--porcelain')).toBe('')
    })

    it('copies the env files that the project names, except those that are there', async () => {
      put('.env', 'not this one\n')
      put('config/dev env', 'A=1\n')
      put('README.md', 'changed in the project\n')
      const path = await prepare({ envFiles: ['config/dev env', 'README.md', 'none'] })
      expect(existsSync(join(path, '.env'))).toBe(false)
      expect(readFileSync(join(path, 'config/dev env'), 'utf8')).toBe('A=1\n')
      expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('# sample\n')
    })

    it('copies ignored files that .worktreeinclude names, and nothing else', async () => {
      put('.worktreeinclude', '# what agents need\n/secrets/*.key\nrun.log\nplain.txt\nREADME.md\n')
      put('secrets/a.key', 'a\n')
      put('secrets/ü "b".key', 'b\n')
      put('secrets/c.txt', 'c\n')
      put('sub/run.log', 'log\n')
      put('plain.txt', 'not ignored, so it could be committed\n')
      symlinkSync('a.key', join(world.repo, 'secrets/link.key'))
      symlinkSync('/etc/passwd', join(world.repo, 'secrets/out.key'))
      const path = await prepare({})
      expect(readFileSync(join(path, 'secrets/a.key'), 'utf8')).toBe('a\n')
      expect(readFileSync(join(path, 'secrets/ü "b".key'), 'utf8')).toBe('b\n')
      expect(readFileSync(join(path, 'sub/run.log'), 'utf8')).toBe('log\n')
      expect(readlinkSync(join(path, 'secrets/link.key'))).toBe('a.key')
      expect(['secrets/c.txt', 'secrets/out.key', 'plain.txt'].filter((name) => existsSync(join(path, name)))).toEqual(
        [],
      )
      expect(world.progress).toContain('Not copied: "secrets/out.key" is a link that leads out of the project')
      expect(world.git(path, 'status', '--porcelain')).toBe('')
    })

    it('runs the commands in order, in the workspace, and keeps what they say', async () => {
      const path = await prepare({
        postCreate: ['pwd && echo "$AO_SESSION" > who', 'echo two >&2; echo "it\'s" >> who'],
      })
      expect(readFileSync(join(path, 'who'), 'utf8')).toBe("app-1\nit's\n")
      expect(world.progress).toEqual([
        'postCreate: pwd && echo "$AO_SESSION" > who',
        path,
        'postCreate: echo two >&2; echo "it\'s" >> who',
        'two',
      ])
      const log = join(world.temp.home, 'state', 'app-1', 'post-create.log')
      expect(readFileSync(log, 'utf8')).toContain(`> who\n${path}\n`)
      expect(statSync(log).mode & 0o777).toBe(0o600)
    })

    it('stops at the first command that fails and says how', async () => {
      const preparing = prepare({ postCreate: ['echo something is wrong; exit 7', 'touch never'] })
      await expect(preparing).rejects.toMatchObject({
        code: 'POST_CREATE_FAILED',
        message: expect.stringMatching(/failed with exit code 7:\nsomething is wrong$/),
        details: { exitCode: 7, command: 'echo something is wrong; exit 7', output: 'something is wrong' },
      })
      const path = world.workspace.pathFor({ projectId: 'app', sessionId: 'app-1' })
      expect(existsSync(join(path, 'never'))).toBe(false)
    })

    it('ends a command that takes too long with everything it started', async () => {
      const preparing = prepare({ postCreate: ['sleep 600 & sleep 600'], postCreateTimeout: 0.3 })
      await expect(preparing).rejects.toThrow('did not finish in 0.3 s and was ended')
    })

    it('ends also what left its process group, when a command fails or takes too long', async () => {
      const late = prepare({ postCreate: ['setsid sleep 600 & sleep 600'], postCreateTimeout: 0.3 })
      await expect(late).rejects.toThrow('did not finish in 0.3 s and was ended')
      // What still runs with this HOME fails the test when it is cleaned up.
      expect(processesIn(world.workspace.pathFor({ projectId: 'app', sessionId: 'app-1' }))).toEqual([])
    })

    it('does not wait for a server that a command leaves running', async () => {
      const path = await prepare({ postCreate: ['sleep 600 & echo $! > server.pid'], postCreateTimeout: 30 })
      const pid = Number(readFileSync(join(path, 'server.pid'), 'utf8'))
      process.kill(pid, 'SIGKILL')
      rmSync(join(path, 'server.pid'))
    })
  })
}

/** Command lines of what works in a directory. */
function processesIn(directory: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : []
    } catch {
      return []
    }
  })
}
