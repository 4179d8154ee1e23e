import { describe, expect, it } from 'vitest'
import { aoFileInPlace, decideAo } from './forwarded-ao.ts'

const decide = (line: string) => decideAo(line === '' ? [] : line.split(' '), 'app-1')

describe('home answers, for a session in a place,', () => {
  it.each<[string, string, 'none' | 'all' | 'stream']>([
    ['--version', 'version', 'none'],
    ['version', 'version', 'none'],
    ['mcp', 'mcp', 'stream'],
    ['why app-1 --json', 'why app-1 --json', 'none'],
    ['session show app-1 -n 5', 'session show app-1 --events=5', 'none'],
    ['session diff app-1 --raw --json', 'session diff app-1 --raw --json', 'none'],
    [
      'issue ls -q -s closed -l a -l b -a me --limit 3',
      'issue ls --quiet --state=closed --label=a --label=b --assignee=me --limit=3',
      'none',
    ],
    ['issue ls -s open', 'issue ls --state=open', 'none'],
    ['issue ls --state all --state open', 'issue ls --state=open', 'none'],
    ['issue ls --state all', 'issue ls --state=all', 'none'],
    ['issue ls --json=false', 'issue ls', 'none'],
    ['issue show #42 --json', 'issue show #42 --json', 'none'],
    ['issue comment ABC-42 -b Hello', 'issue comment ABC-42 --body=Hello', 'none'],
    ['issue comment 42 -F note.md', 'issue comment 42 --body-file=-', 'all'],
    ['pr ls -a -q', 'pr ls --all --quiet', 'none'],
    ['pr view 7', 'pr view 7', 'none'],
    ['pr view --help', 'pr view --help', 'none'],
    ['pr view -h', 'pr view --help', 'none'],
    ['issue ls -q --help --state open', 'issue ls --help', 'none'],
    ['mcp --help', 'mcp --help', 'none'],
    ['pr view 7 --help=false', 'pr view 7', 'none'],
    ['pr view feat/x --json', 'pr view feat/x --json', 'none'],
    ['pr diff #7 --name-only --raw', 'pr diff #7 --name-only --raw', 'none'],
    ['pr checks 7 --log lint', 'pr checks 7 --log=lint', 'none'],
    ['pr comment 7 --body x --line a.ts:3', 'pr comment 7 --body=x --line=a.ts:3', 'none'],
    ['pr reply 7 t_1= --body-file -', 'pr reply 7 t_1= --body-file=-', 'all'],
    [
      'feedback new slow --title T --body B --source S --confidence C --evidence 1 --evidence 2',
      'feedback new slow --title=T --body=B --source=S --confidence=C --evidence=1 --evidence=2',
      'none',
    ],
  ])('ao %s', (line, argv, input) => {
    expect(decide(line)).toEqual({ kind: 'call', argv: argv.split(' '), input })
  })

  it('gh, which has a table of its own', () => {
    expect(decide('gh pr view 7')).toEqual({ kind: 'gh', argv: ['pr', 'view', '7'] })
  })

  it.each<[string, RegExp]>([
    ['', /^In a place there are: ao mcp, ao version, ao why, ao session show, .*ao feedback new$/],
    ['help', /^In a place/],
    ['--help', /^In a place/],
    ['-h', /^In a place/],
    ['kill app-1', /^ao kill app-1 is not answered for agents in a place\. In a place/],
    [`x${'y'.repeat(100)} b`, /^ao x(y{79}) is not answered/],
    ['session kill app-1', /^ao session kill is not answered/],
    ['constructor', /not answered/],
    ['why app-2', /^ao why does not take app-2 in a place$/],
    ['why', /^ao why does not take nothing in a place$/],
    ['why app-1 app-1', /does not take app-1 app-1/],
    ['session show app-2', /does not take app-2/],
    ['issue show ../x', /does not take/],
    ['issue show ##4', /does not take/],
    ['pr view a..b', /does not take a\.\.b/],
    ['pr view -- -x', /does not take -x/],
    ['pr reply 7 a/b --body x', /does not take 7 a\/b/],
    ['feedback new a.b', /does not take a\.b/],
    ['pr checks 7 --run', /^ao pr checks: /],
    ['issue ls --state gone', /^"gone" is not a value of --state here$/],
    ['issue ls --limit many', /^"many" is not a value of --limit here$/],
  ])('not ao %s', (line, why) => {
    expect(decide(line)).toEqual({ kind: 'refused', why: expect.stringMatching(why) })
  })

  it.each<[string, string | null]>([
    ['issue comment 42 --body-file note.md', 'note.md'],
    ['issue comment 42 -F a.md -F b.md', 'b.md'],
    ['issue comment 42 --body-file -', null],
    ['issue comment 42 --body x', null],
    ['issue comment 42 --body-file', null],
    ['kill app-1 --body-file x', null],
  ])('with the file of the place that ao %s names: %s', (line, file) => {
    expect(aoFileInPlace(line.split(' '))).toBe(file)
  })
})
