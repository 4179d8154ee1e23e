import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRepo } from '../../../test/support/git-repo.ts'
import { createTempHome } from '../../../test/support/temp-home.ts'
import { requireCheckout } from '../workspace/checkout.ts'
import { restoreFlags } from './index-flags.ts'

it('removes a file that was not checked out, and none outside of the worktree, whatever a link or a name says', async () => {
  const temp = createTempHome()
  const path = createRepo(join(temp.home, 'app'), temp.env)
  const outside = join(temp.home, 'outside')
  for (const directory of [outside, join(path, 'own')]) mkdirSync(directory)
  for (const file of [join(outside, 'x'), join(path, 'own', 'x'), join(path, 'top')]) writeFileSync(file, 'mine')
  execFileSync('git', ['-C', path, 'add', '-A'], { env: temp.env })
  symlinkSync(outside, join(path, 'link'))
  const restore = (file: string) => restoreFlags(requireCheckout(path, temp.env), [`absent ${file}`])
  for (const file of ['link/x', '../outside/x']) await restore(file).catch(() => undefined)
  for (const file of ['own/x', 'top']) await restore(file)
  expect([join(outside, 'x'), join(path, 'own'), join(path, 'top')].map((file) => existsSync(file))).toEqual([
    true,
    false,
    false,
  ])
  expect(await temp.cleanup()).toEqual([])
})
