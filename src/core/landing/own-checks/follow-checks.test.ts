import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { changedChecks, scriptsOf } from './changed-checks.ts'
import { followChecks } from './follow-checks.ts'
import { recipesOf } from './make-recipes.ts'
import { shellCommands } from './shell-words.ts'

const follow = (run: string, files: Record<string, string> = {}, links: Record<string, string> = {}) => {
  const follower = followChecks([run])
  for (let paths = follower.wanted(); paths.length > 0; paths = follower.wanted()) {
    const read = paths.flatMap(
      (path): Array<[string, string]> => (files[path] === undefined ? [] : [[path, files[path]]]),
    )
    follower.take(new Map(read), new Map(Object.entries(links)))
  }
  return follower
}
const marked = (run: string, files: Record<string, string>, path: string, links = {}) =>
  changedChecks([{ path, status: 'M' }], {
    commands: [run],
    followed: [follow(run, files, links)],
    commandsChanged: () => true,
  })

describe('what a check runs is followed', () => {
  const scripts = (all: Record<string, string>) => JSON.stringify({ scripts: all })
  it.each<[string, string, Record<string, string>, string]>([
    ['npm run', 'npm run lint', { 'package.json': scripts({ lint: 'node tools-own/lint.mjs' }) }, 'tools-own/lint.mjs'],
    ['npm test', 'npm test -- --x', { 'package.json': scripts({ test: './own/t' }) }, 'own/t'],
    ['a script before it', 'yarn lint', { 'package.json': scripts({ prelint: './own/t', lint: 'x' }) }, 'own/t'],
    ['pnpm and bun', 'pnpm -s run a && bun run b', { 'package.json': scripts({ b: 'sh own/t' }) }, 'own/t'],
    ['what an install runs', 'npm ci', { 'package.json': scripts({ postinstall: 'node own/t.js' }) }, 'own/t.js'],
    ['another directory', 'cd web && npm run a', { 'web/package.json': scripts({ a: 'sh ../own/t' }) }, 'own/t'],
    ['a prefix', 'npm --prefix web run a', { 'web/package.json': scripts({ a: './own/t' }) }, 'web/own/t'],
    ['scripts in a row', 'run-s a:*', { 'package.json': scripts({ 'a:b': './own/t' }) }, 'own/t'],
    [
      'scripts that call scripts, as many as there are',
      'npm run a',
      { 'package.json': scripts({ a: 'npm run b', b: 'npm run c', c: 'npm run d', d: 'npm run e', e: './own/t' }) },
      'own/t',
    ],
    ['make', 'make check', { Makefile: 'check: deep\ndeep:\n\t@./own/t\n' }, 'own/t'],
    ['make without a target', 'make', { Makefile: '.PHONY: x\nall: ; ./own/t\n' }, 'own/t'],
    ['variables of make', 'make -C sub t', { 'sub/Makefile': 'D = own\nt:\n\t$(D)/t\n' }, 'sub/own/t'],
    ['included makefiles', 'make t', { Makefile: 'include rules.mk\n', 'rules.mk': 't:\n\t./own/t\n' }, 'own/t'],
    ['make of make', 'make a', { Makefile: 'a:\n\t$(MAKE) b\nb:\n\t./own/t\n' }, 'own/t'],
    ['a shell script', './own/a.sh', { 'own/a.sh': '. "$(dirname "$0")/b"\n' }, 'own/b'],
    [
      'three levels',
      'sh own/a.sh',
      { 'own/a.sh': './own/b.sh', 'own/b.sh': 'own/c.sh', 'own/c.sh': './own/t' },
      'own/t',
    ],
    ['a program without an ending', 'own/a', { 'own/a': '#!/usr/bin/env bash\nexec own/t\n' }, 'own/t'],
    ['what lies beside a Node program', 'node own/a.mjs', { 'own/a.mjs': "import { x } from './t.mjs'" }, 'own/t.mjs'],
    ['what a Node program starts', 'node own/a.mjs', { 'own/a.mjs': "spawnSync('sh', ['own/t'])" }, 'own/t'],
    ['modules of Python', 'python3 -m own.t', {}, 'own/t.py'],
    ['what a Python program imports', 'uv run python own/a.py', { 'own/a.py': 'from t import x\n' }, 'own/t.py'],
    ['a quoted name, and one in a command', `bash -c "FOO=1 timeout 60 'own/the t' > log"`, {}, 'own/the t'],
    ['a substitution', 'echo "$(node own/t.js)" `true`', {}, 'own/t.js'],
    [
      'files as the shell expands them',
      'npm test',
      { 'package.json': scripts({ test: 'node own/*.mjs' }) },
      'own/t.mjs',
    ],
    ['settings', 'npm t', { 'package.json': scripts({ test: 'x --config own/t.json' }) }, 'own/t.json'],
    ['wrappers', 'npx tsx --import ./own/t.mjs x', {}, 'own/t.mjs'],
  ])('%s', (_what, run, files, path) => {
    expect(marked(run, files, path)).toEqual([path])
    expect(marked(run, files, 'src/other.ts')).toEqual([])
  })

  it.each<[string, string, Record<string, string>, string]>([
    ['another script', 'npm run a', { 'package.json': scripts({ a: 'x', b: './own/t' }) }, 'own/t'],
    ['another target', 'make a', { Makefile: 'a:\n\ttrue\nb:\n\t./own/t\n' }, 'own/t'],
    ['what is checked', 'npm run build', { 'package.json': scripts({ build: 'esbuild src/t.ts' }) }, 'src/t.ts'],
    ['what a program has in a text', 'node own/a.mjs', { 'own/a.mjs': "const x = 'own/t'" }, 'own/t'],
    ['comments', 'sh own/a.sh', { 'own/a.sh': '# see ./own/t\n' }, 'own/t'],
    ['files of the machine', 'sh own/a.sh', { 'own/a.sh': '/own/t; ~/own/t; "$HOME/own/t"' }, 'own/t'],
    ['what is outside', 'sh ../own/t && cd .. && ./own/t2', {}, 'own/t2x'],
  ])('not %s', (_what, run, files, path) => {
    expect(marked(run, files, path)).toEqual([])
  })

  it.each<[string, string, Record<string, string>, string]>([
    ['a variable', 'sh own/a.sh', { 'own/a.sh': '"$RUNNER" all' }, '$RUNNER all'],
    ['a command that is made', 'eval "$X"', {}, 'eval $X'],
    ['a script of another package', 'pnpm --filter web test', {}, 'pnpm --filter web test'],
    ['a target that is made', 'make $T', {}, 'make $T'],
    ['an included file that is made', 'make t', { Makefile: 'include $(X).mk\n' }, 'include $(X).mk'],
    ['odd patterns', 'sh a*b*c*d*e*f*g', {}, 'sh a*b*c*d*e*f*g'],
  ])(
    'where nobody can say what runs, because of %s, a likely file counts, with the reason',
    (_what, run, files, why) => {
      const all = (path: string, isProgram = false) =>
        changedChecks([{ path, status: 'A', isProgram }], {
          commands: [run],
          followed: [follow(run, files)],
          commandsChanged: () => true,
        })
      const expected = (path: string) => [`${path} (may be what runs in: ${why})`]
      expect([all('scripts/x.mjs'), all('deep/y.sh'), all('z', true), all('src/x.ts')]).toEqual([
        ...[expected('scripts/x.mjs'), expected('deep/y.sh'), expected('z'), []],
      ])
    },
  )
})

it('an edit of a Makefile counts when it changes what is run', () => {
  const text = 'X = 1\nall: a b\na: deep\n\t./a $(X)\ndeep:\n\t./deep\nrelease:\n\t./release\n%.o: %.c\n\tcc $<\n'
  const is = (edit: (text: string) => string, ...targets: string[]) =>
    recipesOf(edit(text), targets) !== recipesOf(text, targets)
  const edits: Array<[(text: string) => string, boolean]> = [
    [(one) => one.replace('./release', './ship'), false],
    [(one) => `# comment\n${one}new:\n\ttrue\n`, false],
    [(one) => one.replace('./deep', 'true'), true],
    [(one) => one.replace('./a', '-./a'), true],
    [(one) => one.replace('X = 1', 'X = 2'), true],
    [(one) => one.replace('cc $<', 'true'), true],
    [(one) => `${one}a: other\n`, true],
    [(one) => `${one}check:\n\ttrue\n`, true],
  ]
  expect(edits.map(([edit]) => is(edit, 'a'))).toEqual(edits.map(([, expected]) => expected))
  expect([is((one) => one.replace('./deep', 'true'), ''), is((one) => one.replace('./release', 'x'), '')]).toEqual([
    true,
    false,
  ])
  expect(scriptsOf('Makefile', text)).toBe(text)
})

describe('hostile files', () => {
  const many = (count: number, make: (index: number) => string) =>
    Array.from({ length: count }, (_, i) => make(i)).join('')
  it.each<[string, string, Record<string, string>, Record<string, string>?]>([
    ['cycles of scripts', 'npm run a', { 'package.json': '{"scripts":{"a":"npm run b","b":"npm run a"}}' }],
    ['cycles of targets', 'make a', { Makefile: 'a: b\n\tmake b\nb: a\n\tmake a\n' }],
    ['cycles of files', './a.sh', { 'a.sh': './b.sh', 'b.sh': './a.sh' }],
    ['cycles of links', './a.sh', {}, { 'a.sh': 'b.sh', 'b.sh': 'a.sh' }],
    [
      'values in values',
      'make a',
      { Makefile: `${many(20, (i) => `V${i} = ${`$(V${i + 1})`.repeat(300)}\n`)}a:\n\t$(V0)\n` },
    ],
    ['brackets', `${'$('.repeat(60_000)}`, {}],
    ['closed brackets', `${'$('.repeat(20_000)}${')'.repeat(20_000)}`, {}],
    ['quotes', `${'"'.repeat(50_001)}'`, {}],
    ['backticks', `${'`'.repeat(50_001)}`, {}],
    ['words', many(30_000, (i) => `./f${i} `), {}],
    ['commands', many(30_000, (i) => `./f${i}.sh;`), {}],
    ['a line of colons and blanks', 'make a', { Makefile: `a${' '.repeat(200_000)}\n${':'.repeat(200_000)}\n` }],
    ['lines', 'make a', { Makefile: many(100_000, (i) => `t${i}: t${i + 1}\n`) }],
    ['no JSON', 'npm run a', { 'package.json': '{"scripts":' }],
    ['other JSON', 'npm run a', { 'package.json': '[null]' }],
    [
      'names of Object',
      'npm run constructor && make __proto__',
      { 'package.json': '{"scripts":{"__proto__":"x"}}', Makefile: 'x:\n' },
    ],
    ['a huge script', 'sh a.sh', { 'a.sh': 'x'.repeat(5_000_000) }],
    ...[
      ['env', 'env '],
      ['assignments', 'A=1 '],
      ['runners', 'uv run '],
    ].map(([what, word]): [string, string, Record<string, string>] => [
      `a script of ${what}`,
      'sh a.sh',
      { 'a.sh': word!.repeat(20_000) },
    ]),
    [
      'deep directories',
      'sh a.sh',
      { 'a.sh': `${many(120, () => `cd ${'a/'.repeat(240)}\n`)}sh ${'x '.repeat(10_000)}` },
    ],
    [
      'a Makefile that runs itself with ever more targets',
      'make a0',
      { Makefile: `${many(500, (i) => `a${i}:\n\tmake a${i + 1}\n`)}z: ${'q '.repeat(100_000)}\n` },
    ],
    [
      'targets with values, again and again',
      'make a0',
      { Makefile: `V = ${'x '.repeat(1_900)}\n${many(500, (i) => `a${i}:\n\tmake a${i + 1} $(V) $(V)\n`)}` },
    ],
    [
      'scripts that run scripts',
      'npm run a0',
      {
        'package.json': `{"scripts":{${many(600, (i) => `"a${i}":"npm run a${i + 1} && sh ${'x '.repeat(150)}",`)}"z":""}}`,
      },
    ],
    ['literals', 'node a.js', { 'a.js': many(5_000, () => `exec(${"'a'".repeat(80)})\n`) }],
  ])('%s end soon, within bounds', (_what, run, files, links = {}) => {
    const start = cpuMs()
    const { named, patterns, unresolved } = follow(run, files, links)
    expect(cpuMs() - start).toBeLessThan(5_000)
    expect([named.size <= 5_000, patterns.size <= 64, unresolved.size <= 5]).toEqual([true, true, true])
  })

  it('names outside of the repository, too long or with control characters are none', () => {
    const { named } = follow(
      `./../../etc/x.sh; /etc/y.sh; ./${'x'.repeat(600)}.sh; "./a\u0007.sh"; ./ok.sh; cd ../..; ./out.sh`,
    )
    expect([...named.keys()]).toEqual(['ok.sh', 'out.sh'])
  })

  it('a time limit that only a variable knows ends nothing', () => {
    const paths = ['FOO=1 timeout $T ./own/t', 'env timeout -k 5 10 ./own/t'].map((run) => [
      ...follow(run).named.keys(),
    ])
    expect(paths).toEqual([['own/t'], ['own/t']])
  })

  it('links to the top of the repository are nothing to read', () => {
    const follower = followChecks(['./own.sh'])
    follower.take(new Map(), new Map([['own.sh', '']]))
    expect(follower.wanted()).toEqual([])
  })

  it('links lead on', () => {
    expect(marked('tools-own/x.sh', {}, 'real/x.sh', { 'tools-own/x.sh': 'real/x.sh' })).toEqual(['real/x.sh'])
  })
})

it.each<[string, string[]]>([
  ['a "b c" d\\ e; f', ['a|b c|d e', 'f']],
  ['if a; then b; fi # c', ['if|a', 'then|b', 'fi']],
  ['x=${Y} z > out', ['x=${Y}|z|out']],
  ['a \'$b\' "$c"', ['a|$b|$c']],
  ['a \\\n b', ['a|b']],
  ['', []],
])('the commands of %j', (text, expected) => {
  expect(shellCommands(text).map((command) => command.map((word) => word.text).join('|'))).toEqual(expected)
})

it.each(['test', 'tests', 'check', 'lint', 'ci', 'verify'])(
  'what CI elsewhere probably makes is read: %s',
  (target) => {
    expect(recipesOf(`${target}: need\n\t./own/t\nneed:\n\ttrue\nother:\n\tfalse\n`, [])).toContain('./own/t')
  },
)
