import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFakeIo } from '../../../../test/support/fake-io.ts'
import { createRepo } from '../../../../test/support/git-repo.ts'
import { createTempHome } from '../../../../test/support/temp-home.ts'
import type { Ao } from '../open-ao.ts'
import { checkGitData } from './check-git-data.ts'

it('names locks that git left behind, with the command that removes them, and none that it may be holding', async () => {
  const temp = createTempHome()
  const path = createRepo(join(temp.home, 'app'), temp.env)
  const { io } = createFakeIo({ env: temp.env, clock: { now: () => new Date() } })
  const project = { id: 'app', name: 'app', path, sessionPrefix: 'app', defaultBranch: 'main' }
  const ao = { config: { projects: { app: project } }, paths: { project: () => ({ dir: temp.home }) } }
  const check = () => checkGitData(ao as unknown as Ao, io)
  const lock = join(path, '.git', 'refs', 'heads', 'main.lock')
  writeFileSync(lock, '')
  expect(await check()).toEqual([])
  const then = new Date(Date.now() - 120_000)
  utimesSync(lock, then, then)
  expect(await check()).toMatchObject([
    {
      level: 'warn',
      detail: "git's lock refs/heads/main.lock was left 2m ago",
      fix: expect.stringContaining(`rm '${lock}'`),
    },
  ])
  rmSync(lock)
  mkdirSync(join(path, '.git', 'worktrees', 'app-1'), { recursive: true })
  const others = ['index.lock', 'worktrees/app-1/index.lock', 'worktrees/app-1/HEAD.lock', 'packed-refs.lock']
  for (const name of others) {
    writeFileSync(join(path, '.git', name), '')
    utimesSync(join(path, '.git', name), then, then)
  }
  const named = (await check()).map(({ fix }) => /rm '(.+)'$/.exec(fix ?? '')?.[1])
  expect(named.sort()).toEqual(others.map((name) => join(path, '.git', name)).sort())
  for (const name of others) rmSync(join(path, '.git', name))
  writeFileSync(lock, '')
  utimesSync(lock, then, then)
  // Agents choose the names of branches, and people paste what is printed here.
  const evil = join(path, '.git', 'refs', 'heads', "x';touch${IFS}pwned;'.lock")
  renameSync(lock, evil)
  const [finding] = await check()
  execFileSync('sh', ['-c', finding!.fix!.slice(finding!.fix!.indexOf('rm '))], { cwd: temp.home })
  expect([existsSync(evil), existsSync(join(temp.home, 'pwned'))]).toEqual([false, false])
  expect(await temp.cleanup()).toEqual([])
})
