import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../../../test/support/temp-home.ts'
import { confinePath } from './confine-path.ts'

let temp: TempHome
let workspace: string

beforeEach(() => {
  temp = createTempHome()
  workspace = join(temp.home, 'work')
  mkdirSync(join(workspace, 'src'), { recursive: true })
  mkdirSync(join(temp.home, 'outside'))
})

afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

describe('confinePath', () => {
  it.each(['a.txt', 'src/new/deep.ts', './src/../b.txt', '..name/x'])('allows %s', (path) => {
    expect(confinePath(workspace, path)).toEqual({ path: join(workspace, path) })
  })

  it.each(['../outside/a', '/etc/passwd', 'src/../../x', '.', '.git/hooks/pre-commit', 'sub/.GIT/config'])(
    'refuses %s',
    (path) => {
      expect(confinePath(workspace, path)).toHaveProperty('refused')
    },
  )

  it('refuses a symbolic link that leads out, also one to nowhere', () => {
    symlinkSync(join(temp.home, 'outside'), join(workspace, 'link'))
    symlinkSync(join(temp.home, 'not-there'), join(workspace, 'dangling'))
    writeFileSync(join(temp.home, 'outside', 'file'), '')
    for (const path of ['link', 'link/new.txt', 'link/file', 'dangling']) {
      expect(confinePath(workspace, path), path).toHaveProperty('refused')
    }
  })
})
