import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRepo, git } from '../../test/support/git-repo.ts'
import { createTempHome } from '../../test/support/temp-home.ts'
import { prefixQuoted, unquotePath, withoutPrefix } from './quoted-path.ts'

it.each([
  ['plain.txt', 'plain.txt'],
  ['with space', 'with space'],
  ['"tab\\there"', 'tab\there'],
  ['"\\"quoted\\""', '"quoted"'],
  ['"back\\\\slash\\n"', 'back\\slash\n'],
  ['"\\303\\274"', 'ü'],
])('reads %s as %j', (quoted, plain) => {
  expect(unquotePath(quoted).toString('utf8')).toBe(plain)
})

it('a prefix goes inside the quotes and comes out again', () => {
  expect(prefixQuoted('exact/', '"a\\tb"')).toBe('"exact/a\\tb"')
  expect(prefixQuoted('exact/', 'ab')).toBe('exact/ab')
  fc.assert(
    fc.property(fc.constantFrom('"a\\tb"', 'ab', '"\\377"'), (path) => {
      expect(withoutPrefix('exact/', prefixQuoted('exact/', path))).toBe(path)
      expect(withoutPrefix('other/', prefixQuoted('exact/', path))).toBeNull()
    }),
  )
})

it('understands every name that git prints, also those that are not text', async () => {
  const temp = createTempHome()
  const repo = createRepo(join(temp.home, 'repo'), temp.env)
  const names = Array.from({ length: 255 }, (_, at) => at + 1)
    .filter((byte) => byte !== 0x2f && byte !== 0x2e)
    .map((byte) => Buffer.from([byte, 0x78, byte]))
  for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${repo}/`), name]), '')
  const printed = git(repo, temp.env, 'ls-files', '--others').split('\n')
  const read = printed.map((path) => unquotePath(path).toString('latin1'))
  expect(read.sort()).toEqual(names.map((name) => name.toString('latin1')).sort())
  const input = `${printed.map((path) => prefixQuoted('sub/', path)).join('\n')}\n`
  const request = spawnSync('git', ['check-ignore', '--stdin', '--verbose', '--non-matching'], {
    cwd: repo,
    env: temp.env,
    input,
  })
  expect(request.stderr.toString()).toBe('')
  expect(await temp.cleanup()).toEqual([])
})
