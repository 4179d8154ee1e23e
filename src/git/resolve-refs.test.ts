import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { openRepository, resolveRefs } from './repository.ts'

const system = vi.hoisted(() => ({ opened: [] as string[] }))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  return {
    ...real,
    openSync(...given: Parameters<typeof real.openSync>) {
      system.opened.push(String(given[0]))
      return real.openSync(...given)
    },
  }
})

const root = mkdtempSync(join(tmpdir(), 'aot-'))
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('a thousand branches are found with one file opened for each that is there, and one for all that are packed', async () => {
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim()
  git('init', '--quiet', '--initial-branch=main')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.invalid', 'commit', '--quiet', '--allow-empty', '-m', 'first')
  git('branch', 'packed')
  git('pack-refs', '--all')
  git('branch', 'loose/one')
  const repository = openRepository(root, process.env)
  const names = ['main', 'packed', 'loose', 'loose/one', 'loose/one/below']
  const refs = [...names, ...Array.from({ length: 1_000 }, (_, index) => `none-${index}`)].map(
    (name) => `refs/heads/${name}`,
  )
  system.opened.length = 0
  const tips = await resolveRefs(repository, refs)
  const commit = git('rev-parse', 'main')
  expect([...tips]).toEqual(['main', 'packed', 'loose/one'].map((name) => [`refs/heads/${name}`, commit]))
  // `loose` is a directory.
  const opened = system.opened.filter((path) => path.includes('/refs/') || path.endsWith('packed-refs'))
  expect(opened.map((path) => path.split('/.git/')[1])).toEqual([
    'packed-refs',
    'refs/heads/loose',
    'refs/heads/loose/one',
  ])
})
