import { describe, expect, it } from 'vitest'
import { editorAddress, findFileLinks } from './file-links.ts'

const WORKSPACE = '/home/me/.worktrees/app/app-1'
const paths = (text: string) => findFileLinks(text, WORKSPACE).map(({ path, line, column }) => [path, line, column])

describe('a path in a terminal', () => {
  it.each([
    ['error in src/app.ts:12:3', [['src/app.ts', 12, 3]]],
    ['src/app.ts(12,3): error TS1', [['src/app.ts', 12, 3]]],
    ['  File "lib/x.py", line 7, in main', [['lib/x.py', 7, null]]],
    [
      'see ./docs/a-b_c.md and main.go:9',
      [
        ['docs/a-b_c.md', null, null],
        ['main.go', 9, null],
      ],
    ],
    [`at ${WORKSPACE}/web/x.test.tsx:1:2`, [['web/x.test.tsx', 1, 2]]],
    ['a host example.com, a sentence.Next, 1.5 s', []],
    ['https://example.com/a/b.html', []],
    ['outside: /etc/passwd.bak:1 and ../../other/secret.txt:1', []],
    [`inside first: ${WORKSPACE}/../app-2/x.ts:1`, []],
  ])('%s', (text, expected) => {
    expect(paths(text)).toEqual(expected)
  })

  it('becomes an address that can only be a path: nothing of it is a query or another scheme', () => {
    const [link] = findFileLinks('src/a+b@c.ts:3', WORKSPACE)
    expect(editorAddress('vscode', WORKSPACE, link!)).toBe(`vscode://file${WORKSPACE}/src/a%2Bb%40c.ts:3`)
  })

  it('takes no longer than its line, whatever the line is', () => {
    const before = performance.now()
    for (const line of ['a/'.repeat(20_000), 'a.'.repeat(20_000), `${'x'.repeat(40_000)}.`, ':1'.repeat(20_000)])
      findFileLinks(line, WORKSPACE)
    expect(performance.now() - before).toBeLessThan(2_000)
  })
})
