import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../test/support/cpu-time.ts'
import { mergedMode, remedyOf, resolveRules } from './rules.ts'
import { compileSequence, nextClaim, nextNumber, numberIn, renameIn, renumber } from './sequence.ts'
import { uniteJson } from './unite-json.ts'
import { uniteLines } from './unite-lines.ts'

describe('rules for conflicts', () => {
  const rules = resolveRules([
    { kind: 'union', paths: ['CHANGELOG.md', 'web/package-lock.json'] },
    { kind: 'lockfiles' },
    { kind: 'regenerate', paths: ['src/generated/'], run: 'make generated', timeout: 5 },
    { kind: 'sequence', name: 'migration', files: 'db/####_*.sql' },
  ])
  const file = (path: string, modes: Record<string, string>) => ({
    path,
    stages: Object.entries(modes).map(([stage, mode]) => ({ stage, mode, blob: 'b' })),
  })
  const both = { 1: '100644', 2: '100644', 3: '100755' }
  const kindOf = (path: string, modes: Record<string, string> = both) => remedyOf(rules, file(path, modes)).kind

  it('the first rule that is about a path counts, also where two are', () => {
    expect(['CHANGELOG.md', 'docs/CHANGELOG.md', 'src/a.ts', 'db/notes.md'].map((path) => kindOf(path))).toEqual([
      'union',
      'union',
      'none',
      'none',
    ])
    expect(remedyOf(rules, file('package-lock.json', both))).toMatchObject({ kind: 'regenerate', isOneFile: true })
    expect(kindOf('web/package-lock.json')).toBe('union')
    expect(remedyOf(rules, file('src/generated/a/b.ts', both))).toMatchObject({ timeoutMs: 5_000, isOneFile: false })
    const lockfiles = [
      'pnpm-lock.yaml',
      'a/yarn.lock',
      'Cargo.lock',
      'go.sum',
      'poetry.lock',
      'uv.lock',
      'Gemfile.lock',
    ]
    expect(new Set([...lockfiles, 'composer.lock'].map((path) => kindOf(path)))).toEqual(new Set(['regenerate']))
  })

  it('leaves links, submodules and files that one side removed to somebody', () => {
    for (const mode of ['120000', '160000'])
      expect(kindOf('CHANGELOG.md', { 1: '100644', 2: '100644', 3: mode })).toBe('none')
    expect(kindOf('package-lock.json', { 1: '100644', 3: '100644' })).toBe('none')
    expect(kindOf('package-lock.json', { 1: '100644', 2: '100644' })).toBe('none')
    // Two new files of one name are a matter of numbers; a changed one is not.
    expect(kindOf('db/0002_a.sql', { 2: '100644', 3: '100644' })).toBe('sequence')
    expect(kindOf('db/0002_a.sql')).toBe('none')
  })
})

describe('uniteLines', () => {
  it('keeps the new lines of both, those of the base branch first, and what they share once', () => {
    expect(uniteLines('# Log\n\n- old\n', '# Log\n\n- ours\n- old\n', '# Log\n\n- theirs\n- old\n')).toBe(
      '# Log\n\n- ours\n- theirs\n- old\n',
    )
    const heading = (line: string) => `# Log\n\n## Next\n\n- ${line}\n\n- old\n`
    expect(uniteLines('# Log\n\n- old\n', heading('a'), heading('b'))).toBe('# Log\n\n## Next\n\n- a\n- b\n\n- old\n')
    expect(uniteLines('', 'a', 'b')).toBe('a\nb')
    expect(uniteLines('x\n', 'x\na', 'x\nb\n')).toBe('x\na\nb\n')
  })

  it('takes changes elsewhere as git does, and refuses lines that both sides changed', () => {
    expect(uniteLines('1\n2\n3\n4\n', 'one\n2\n3\na\n4\n', '1\n2\n3\nb\n4\n')).toBe('one\n2\n3\na\nb\n4\n')
    expect(uniteLines('1\n2\n', '1\ntwo\n', '1\nzwei\n')).toBeNull()
    expect(uniteLines('1\n2\n', '1\n', '1\n2\nb\n')).toBeNull()
    expect(uniteLines('1\n2\n3\n', '1\na\n2\n3\n', '1\nb\ntwo\n3\n')).toBeNull()
  })

  it('is not misled by conflict markers in the text', () => {
    const marks = '<<<<<<< a\n=======\n>>>>>>> b\n'
    expect(uniteLines(marks, `${marks}x\n`, `${marks}=======\n`)).toBe(`${marks}x\n=======\n`)
  })

  it('loses no line that a side added and invents none, whatever both added', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '- x'), { maxLength: 8 })
    const insert = (base: string[], added: string[], at: number) => base.toSpliced(at % (base.length + 1), 0, ...added)
    fc.assert(
      fc.property(lines, lines, lines, fc.nat(20), fc.nat(20), (base, one, other, atOne, atOther) => {
        const text = (list: string[]) => list.map((line) => `${line}\n`).join('')
        const [ours, theirs] = [insert(base, one, atOne), insert(base, other, atOther)]
        const united = uniteLines(text(base), text(ours), text(theirs))
        if (united === null) return
        const count = (list: string[], line: string) => list.filter((found) => found === line).length
        const all = united.split('\n').slice(0, -1)
        for (const line of new Set([...ours, ...theirs, ...all])) {
          expect(count(all, line)).toBeGreaterThanOrEqual(Math.max(count(ours, line), count(theirs, line)))
          expect(count(all, line)).toBeLessThanOrEqual(count(ours, line) + count(theirs, line) - count(base, line))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('gives up on files that are too different instead of taking all day', () => {
    const many = (prefix: string) => Array.from({ length: 3_000 }, (_, at) => `${prefix}${at}\n`).join('')
    expect(uniteLines(many('a'), many('b'), many('c'))).toBeNull()
  })
})

it('gives out no number of a ladder that a branch put up to the last one', () => {
  const ladder = Array.from({ length: 10 }, (_, step) => 999 * (step + 1))
  expect(nextClaim({ width: 4 }, { firm: [7], seen: ladder })).toBe(1_000)
  expect(nextClaim({ width: 4 }, { firm: [7], seen: [8, 9] })).toBe(10)
})

describe('uniteJson', () => {
  const write = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

  it('keeps the entries of both, sorted where both are, and stays valid where lines would not', () => {
    const base = { name: 'app', dependencies: { b: '1' } }
    const ours = { name: 'app', dependencies: { b: '1', c: '1' } }
    const theirs = { name: 'app', dependencies: { a: '1', b: '1' }, files: ['x'] }
    expect(uniteJson(write(base), write(ours), write(theirs))).toBe(
      write({ name: 'app', dependencies: { a: '1', b: '1', c: '1' }, files: ['x'] }),
    )
    expect(uniteJson(write([1]), write([1, 2]), write([1, 3, 2]))).toBe(write([1, 2, 3]))
    expect(uniteJson(null, write({ a: 1 }), write({ b: 2 }))).toBe(write({ a: 1, b: 2 }))
  })

  it('takes time in proportion to its length', () => {
    const startedAt = cpuMs()
    expect(uniteJson(null, `{${' '.repeat(1_000_000)}}`, write({}))).toBeNull()
    expect(cpuMs() - startedAt).toBeLessThan(2_000)
  })

  it('refuses a value that both changed, what is not JSON, and what writing it again would change', () => {
    expect(uniteJson(write({ a: 1 }), write({ a: 2 }), write({ a: 3 }))).toBeNull()
    expect(uniteJson(write({ a: 1 }), write({}), write({ a: 3 }))).toBeNull()
    expect(uniteJson('{}\n', '{"a": 1,}\n', '{}\n')).toBeNull()
    expect(uniteJson('{}', '{"a":1,"a":2}', '{"b":1}')).toBeNull()
    expect(uniteJson('{}', '{"a":12345678901234567890}', '{"b":1}')).toBeNull()
    const hostile = '{"__proto__":{"admin":true},"a":1}'
    expect(uniteJson('{}', '{"b":1}', hostile)).toBe('{"__proto__":{"admin":true},"a":1,"b":1}')
  })
})

describe('sequences', () => {
  const migrations = compileSequence('migration', 'db/####_*.sql')!

  it('are files with a number in one place; longer, negative and nested ones are no part of it', () => {
    const numbers = [
      'db/0001_a.sql',
      'db/12345_a.sql',
      'db/-001_a.sql',
      'db/00000000000000000001_a.sql',
      'db/x/0001_a.sql',
    ]
    expect(numbers.map((path) => numberIn(migrations, path)?.number ?? null)).toEqual([1, 12345, null, null, null])
    // Entries may be directories.
    expect(numberIn(compileSequence('m', 'm/##-*')!, 'm/07-x/up.sql')).toEqual({ entry: 'm/07-x', number: 7 })
    for (const files of ['####', '/db/##', '../##', 'db/../##', 'db/*/##', 'db/a', 'db/##_##', '-C/##'])
      expect([files, compileSequence('m', files) !== null]).toEqual([files, ['####', '-C/##'].includes(files)])
  })

  it('gives a taken number the next free one, keeps the order of the change, and leaves free ones alone', () => {
    const move = (taken: string[], added: string[]) =>
      renumber(migrations, { taken: taken.map(name), added: added.map(name) })?.map(({ from, to }) => `${from} ${to}`)
    const name = (entry: string) => `db/${entry}.sql`
    expect(move(['0001_a', '0002_b'], ['0002_c'])).toEqual(['db/0002_c.sql db/0003_c.sql'])
    expect(move(['0001_a', '0002_b'], ['0003_c'])).toEqual([])
    expect(move(['0001_a', '0002_b'], ['0002_c', '0003_d'])).toEqual([
      'db/0002_c.sql db/0003_c.sql',
      'db/0003_d.sql db/0004_d.sql',
    ])
    // A gap was left on purpose, or is somebody's.
    expect(move(['0001_a', '0009_b'], ['0004_c'])).toEqual([])
    expect(move(['0001_a', '0009_b'], ['0009_c'])).toEqual(['db/0009_c.sql db/0010_c.sql'])
    // Two files of one number belong together.
    expect(move(['0002_b'], ['0002_c.up', '0002_c.down'])).toHaveLength(2)
    expect(renumber(migrations, { taken: ['db/9999_a.sql'], added: ['db/9999_b.sql'] })).toBeNull()
  })

  it('ends where a number would have another length than the files are sorted by', () => {
    expect([[], [7], [9999], [12345]].map((used) => nextNumber(migrations, used))).toEqual([1, 8, null, 12346])
  })

  it('renames references that the change wrote, as whole names, and not those of others', () => {
    const renamings = [
      { from: 'db/0002_add.sql', to: 'db/0003_add.sql' },
      { from: 'db/0003_more.sql', to: 'db/0004_more.sql' },
    ]
    const before = "import '0002_add'\n"
    const text = `${before}run('db/0002_add.sql', "0003_more") // x0002_add, 0002_add_on, 0002_add-b\n`
    expect(renameIn(text, before, renamings)).toBe(
      `${before}run('db/0003_add.sql', "0004_more") // x0002_add, 0002_add_on, 0002_add-b\n`,
    )
    // A bare number is no name, and signs of regular expressions mean nothing.
    expect(renameIn('0002 0002.sql', null, [{ from: '0002.sql', to: '0003.sql' }])).toBe('0002 0003.sql')
    expect(renameIn('0002_a(b|', null, [{ from: '0002_a(b|', to: '0003_a(b|' }])).toBe('0003_a(b|')
  })
})

describe('the mode of a file that is made of both', () => {
  it.each([
    ['100644', '100644', '100755', '100755'],
    ['100755', '100755', '100644', '100644'],
    ['100644', '100755', '100644', '100755'],
    [null, '100644', '100755', '100644'],
  ])('of %s, %s and %s is %s', (common, ours, theirs, merged) => {
    const stages = [common, ours, theirs].flatMap((mode, index) =>
      mode === null ? [] : [{ mode, blob: 'b', stage: String(index + 1) }],
    )
    expect(mergedMode({ path: 'x', stages })).toBe(merged)
  })
})
