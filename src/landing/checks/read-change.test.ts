import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRepo, git } from '../../../test/support/git-repo.ts'
import { createTempHome } from '../../../test/support/temp-home.ts'
import { openRepository } from '../../git/repository.ts'
import { parseAddedLines, readAddedLines, readChangedPaths } from './read-change.ts'

it('names every changed file and submodule as it is, whatever the repository sets for diffs', async () => {
  const temp = createTempHome()
  const repo = createRepo(join(temp.home, 'repo'), temp.env, { 'a.txt': 'a\n' })
  const run = (...args: string[]) => git(repo, temp.env, ...args)
  const from = run('rev-parse', 'HEAD')
  writeFileSync(join(repo, 'a.txt'), 'changed\n')
  run('add', '--all')
  run('update-index', '--add', '--cacheinfo', `160000,${from},infra`)
  run('commit', '--quiet', '--message', 'change')
  run('config', 'diff.noprefix', 'true')
  run('config', 'diff.dstPrefix', 'b/except/')
  run('config', 'diff.ignoreSubmodules', 'all')
  const range = { repository: openRepository(repo, temp.env), from, to: run('rev-parse', 'HEAD') }
  expect((await readAddedLines(range)).map(({ path }) => path)).toEqual(['a.txt', 'infra'])
  expect((await readChangedPaths(range)).map(({ path }) => path)).toEqual(['a.txt', 'infra'])
  expect(await temp.cleanup()).toEqual([])
})

it('takes no added or removed text for a heading, and knows file and line of each', () => {
  const diff = [
    'diff --git a/one.txt b/one.txt',
    '--- a/one.txt',
    '+++ b/one.txt',
    '@@ -3,2 +3,3 @@ context',
    '--- a/removed.txt',
    '-@@ -1 +1 @@',
    '+++ b/evil.txt',
    '+@@ -1,9 +1,9 @@',
    '+last',
    'diff --git "a/odd \\"name\\".txt" "b/odd \\"name\\".txt"',
    'new file mode 100644',
    '--- /dev/null',
    '+++ "b/odd \\"name\\".txt"',
    '@@ -0,0 +1 @@',
    '+only',
    '\\ No newline at end of file',
  ].join('\n')
  expect(parseAddedLines(diff)).toEqual([
    { path: 'one.txt', line: 3, text: '++ b/evil.txt' },
    { path: 'one.txt', line: 4, text: '@@ -1,9 +1,9 @@' },
    { path: 'one.txt', line: 5, text: 'last' },
    { path: 'odd \\"name\\".txt', line: 1, text: 'only' },
  ])
})
