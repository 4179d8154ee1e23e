// Our reading of gh's arguments against a model of cobra and pflag that was written from their sources by itself: whatever gh
// would do with the words of an agent is what our request says, or it is refused.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apiCall, commandCall } from './gh-argv.ts'
import { type CommandRow, GH_GROUPS, GH_SINGLE } from './gh-grammar.ts'
import { decideGh, type GhRights } from './gh-request.ts'

const RIGHTS: GhRights = {
  repository: { host: 'github.com', owner: 'acme', name: 'widgets' },
  isLocal: false,
  branch: 'topic',
  branches: ['topic'],
  issue: '12',
}

interface ModelFlag {
  name: string
  short?: string | undefined
  /** What pflag calls NoOptDefVal. */
  alone: string
}
interface ModelCommand {
  name: string
  aliases: string[]
  own: ModelFlag[]
  persistent: ModelFlag[]
  children: ModelCommand[]
}

/** Commands that are not answered, with flags that have been used to hide them. */
const DANGEROUS: Record<string, Record<string, ModelFlag[]>> = {
  repo: {
    clone: [{ name: 'upstream-remote-name', short: 'u', alone: '' }],
    edit: [
      { name: 'description', short: 'd', alone: '' },
      { name: 'visibility', alone: '' },
    ],
    delete: [{ name: 'confirm', alone: 'true' }],
  },
  auth: { token: [{ name: 'hostname', short: 'h', alone: '' }], logout: [] },
  pr: { checkout: [{ name: 'branch', short: 'b', alone: '' }] },
  extension: { install: [] },
}

function flagsOf(flags: CommandRow['flags']): ModelFlag[] {
  return Object.entries(flags).map(([name, { short, value }]) => ({
    name,
    short,
    alone: value === 'switch' ? 'true' : '',
  }))
}

function makeModel(): ModelCommand {
  const leaf = (name: string, row: CommandRow, aliases: string[] = []): ModelCommand => ({
    ...{ name, aliases, own: flagsOf(row.flags), persistent: [], children: [] },
  })
  const groups = [...new Set([...Object.keys(GH_GROUPS), ...Object.keys(DANGEROUS)])].map((name): ModelCommand => {
    const group = GH_GROUPS[name]
    const answered = Object.entries(group?.commands ?? {}).map(([word, row]) =>
      leaf(
        word,
        row,
        Object.entries(group!.aliases).flatMap(([alias, to]) => (to === word ? [alias] : [])),
      ),
    )
    const others = Object.entries(DANGEROUS[name] ?? {}).map(
      ([word, own]): ModelCommand => ({
        ...{ name: word, aliases: [], own, persistent: [], children: [] },
      }),
    )
    return { name, aliases: [], own: [], persistent: flagsOf(group?.flags ?? {}), children: [...answered, ...others] }
  })
  const single = Object.entries(GH_SINGLE).map(([name, row]) => leaf(name, row))
  return {
    name: 'gh',
    aliases: [],
    own: [{ name: 'version', alone: 'true' }],
    persistent: [{ name: 'help', alone: 'true' }],
    children: [...groups, ...single],
  }
}

const MODEL = makeModel()

type Outcome = { path: string; flags: Array<[string, string]>; args: string[] } | 'error' | 'help'

/** cobra's Command.Find: stripFlags, findNext, argsMinusFirstX. */
function runModel(argv: readonly string[]): Outcome {
  const chain: ModelCommand[] = [MODEL]
  let args = [...argv]
  for (;;) {
    const here = chain.at(-1)!
    const flags = [...here.own, ...chain.flatMap((one) => one.persistent)]
    const stripped = stripFlags(args, flags)
    const next =
      stripped.length === 0 ? undefined : here.children.find((one) => [one.name, ...one.aliases].includes(stripped[0]!))
    if (next === undefined) break
    args = minusFirst(args, stripped[0]!, flags)
    chain.push(next)
  }
  const here = chain.at(-1)!
  const parsed = parseAll(args, [...here.own, ...chain.flatMap((one) => one.persistent)])
  if (parsed === 'error' || parsed === 'help') return parsed
  if (parsed.flags.some(([name, value]) => name === 'help' && value === 'true')) return 'help'
  return {
    path: chain
      .slice(1)
      .map(({ name }) => name)
      .join(' '),
    ...parsed,
  }
}

function standsAlone(flags: ModelFlag[], name: string): boolean {
  return (flags.find((one) => one.name === name)?.alone ?? '') !== ''
}
function standsAloneShort(flags: ModelFlag[], short: string): boolean {
  return (flags.find((one) => one.short === short)?.alone ?? '') !== ''
}

function stripFlags(all: string[], flags: ModelFlag[]): string[] {
  const commands: string[] = []
  let args = all
  while (args.length > 0) {
    const s = args[0]!
    args = args.slice(1)
    if (s === '--') break
    const takesLong = s.startsWith('--') && !s.includes('=') && !standsAlone(flags, s.slice(2))
    const takesShort = s.startsWith('-') && !s.includes('=') && s.length === 2 && !standsAloneShort(flags, s.slice(1))
    if (takesLong || takesShort) {
      if (args.length <= 1) break
      args = args.slice(1)
    } else if (s !== '' && !s.startsWith('-')) commands.push(s)
  }
  return commands
}

function minusFirst(args: string[], x: string, flags: ModelFlag[]): string[] {
  for (let pos = 0; pos < args.length; pos += 1) {
    const s = args[pos]!
    if (s === '--') break
    const takesLong = s.startsWith('--') && !s.includes('=') && !standsAlone(flags, s.slice(2))
    const takesShort = s.startsWith('-') && !s.includes('=') && s.length === 2 && !standsAloneShort(flags, s.slice(1))
    if (takesLong || takesShort) pos += 1
    else if (!s.startsWith('-') && s === x) return [...args.slice(0, pos), ...args.slice(pos + 1)]
  }
  return args
}

function parseAll(
  all: string[],
  modelFlags: ModelFlag[],
): { flags: Array<[string, string]>; args: string[] } | 'error' | 'help' {
  const flags: Array<[string, string]> = []
  const rest: string[] = []
  let args = all
  while (args.length > 0) {
    const s = args[0]!
    args = args.slice(1)
    if (s.length === 0 || s[0] !== '-' || s.length === 1) {
      rest.push(s)
      continue
    }
    if (s === '--') {
      rest.push(...args)
      break
    }
    if (s.startsWith('--')) {
      const name = s.slice(2)
      if (name[0] === '-' || name[0] === '=') return 'error'
      const at = name.indexOf('=')
      const flag = modelFlags.find((one) => one.name === (at < 0 ? name : name.slice(0, at)))
      if (!flag) return 'error'
      if (at >= 0) flags.push([flag.name, name.slice(at + 1)])
      else if (flag.alone !== '') flags.push([flag.name, flag.alone])
      else if (args.length > 0) {
        flags.push([flag.name, args[0]!])
        args = args.slice(1)
      } else return 'error'
      continue
    }
    let shorts = s.slice(1)
    while (shorts.length > 0) {
      const flag = modelFlags.find((one) => one.short === shorts[0])
      if (!flag) return shorts[0] === 'h' ? 'help' : 'error'
      if (shorts.length > 2 && shorts[1] === '=') {
        flags.push([flag.name, shorts.slice(2)])
        shorts = ''
      } else if (flag.alone !== '') {
        flags.push([flag.name, flag.alone])
        shorts = shorts.slice(1)
      } else if (shorts.length > 1) {
        flags.push([flag.name, shorts.slice(1)])
        shorts = ''
      } else if (args.length > 0) {
        flags.push([flag.name, args[0]!])
        args = args.slice(1)
        shorts = ''
      } else return 'error'
    }
  }
  return { flags, args: rest }
}

const VOCABULARY = [
  ...['pr', 'issue', 'run', 'label', 'repo', 'auth', 'api', 'extension', 'help', 'version'],
  ...[
    'view',
    'list',
    'ls',
    'create',
    'new',
    'merge',
    'comment',
    'status',
    'token',
    'clone',
    'edit',
    'checkout',
    'install',
    'review',
  ],
  ...[
    '1',
    '7',
    'topic',
    'main',
    'acme/widgets',
    'other/private',
    'repos/acme/widgets/pulls',
    'graphql',
    'GET',
    'PUT',
    'x',
  ],
  ...[
    '--',
    '-',
    '',
    '=',
    '--=',
    '---',
    '-=',
    '--repo',
    '-R',
    '--repo=acme/widgets',
    '-Racme/widgets',
    '--help',
    '-h',
    '--version',
  ],
  ...[
    '--title',
    '-t',
    '--title=x',
    '-tx',
    '-t=x',
    '--body',
    '-b',
    '-bx',
    '-F',
    '-Fx',
    '--body-file',
    '-d',
    '-db',
    '-dF',
    '-sd',
    '-ab',
  ],
  ...[
    '--json',
    '--json=state',
    '-q',
    '.x',
    '--web',
    '-w',
    '--admin',
    '--admin=false',
    '--squash',
    '-s',
    '--draft=false',
    '--draft=maybe',
  ],
  ...[
    '--upstream-remote-name',
    '--description',
    '--hostname',
    '--show-token',
    '-X',
    '-XPUT',
    '-iX',
    '-f',
    '-fx=y',
    '--method=GET',
  ],
  ...[
    '--label',
    '-l',
    'a,b',
    '--limit',
    '-L',
    '5',
    '--head',
    '--head=topic',
    '--base',
    '--fill',
    '--comments',
    '-c',
    '--unknown',
    '-Z',
  ],
]
const word = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...VOCABULARY) },
  { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
)

const lastOf = (flags: ReadonlyArray<readonly [string, string]>, name: string) =>
  flags.findLast(([one]) => one === name)?.[1]

describe('what home understands of the words of gh', () => {
  it('is what gh would do with them, or they are refused', () => {
    let answered = 0
    const check = (argv: string[]) => {
      const request = decideGh(argv, RIGHTS)
      if (request.kind === 'refused') return
      const meant = runModel(argv)
      if (request.kind === 'help' || request.kind === 'version') {
        // Nothing is done.
        if (meant !== 'help' && meant !== 'error')
          expect(['', 'pr', 'issue', 'run', 'label', 'repo', 'auth']).toContain(meant.path)
        return
      }
      answered += 1
      if (meant === 'error' || meant === 'help') return expect.fail(`${JSON.stringify(argv)} is ${meant} for gh`)
      const repo = lastOf(meant.flags, 'repo')
      if (repo !== undefined) expect(repo.toLowerCase()).toMatch(/^(?:https:\/\/)?(?:github\.com\/)?acme\/widgets$/)
      if (request.kind === 'account') return expect(meant.path).toBe('auth status')
      if (request.kind === 'repository') return expect(meant.path).toBe('repo view')
      const name = request.kind === 'api' ? 'api' : request.name
      expect(meant.path).toBe(name)
      const { argv: built } =
        request.kind === 'api' ? apiCall(request, RIGHTS.repository, false) : commandCall(request, RIGHTS.repository)
      const done = runModel(built)
      if (done === 'error' || done === 'help') return expect.fail(`${JSON.stringify(built)} is ${done} for gh`)
      expect(done.path).toBe(name)
      expectSame(meant, done)
    }
    fc.assert(
      fc.property(fc.array(word, { maxLength: 9 }), (argv) => void check(argv)),
      { numRuns: 20_000 },
    )
    const command = fc.constantFrom(
      ...Object.entries(GH_GROUPS).flatMap(([group, { commands }]) =>
        Object.keys(commands).map((name) => [group, name]),
      ),
    )
    const inserted = fc.tuple(fc.nat(3), word)
    const likely = fc
      .tuple(command, fc.array(inserted, { maxLength: 4 }))
      .map(([parts, more]) => more.reduce((argv, [at, one]) => argv.toSpliced(at, 0, one), parts))
    fc.assert(
      fc.property(likely, (argv) => void check(argv)),
      { numRuns: 20_000 },
    )
    // Otherwise the test would say nothing.
    expect(answered).toBeGreaterThan(300)
  }, 120_000)

  /** What changes the meaning: everything but what home adds, and what becomes input or a filter of its own. */
  function expectSame(meant: Exclude<Outcome, string>, done: Exclude<Outcome, string>): void {
    const ADDED = [
      'repo',
      'hostname',
      'head',
      'method',
      'body',
      'body-file',
      'jq',
      'template',
      'json',
      'header',
      'field',
      'raw-field',
    ]
    const isOff = (value: string) => /^(?:0|f|F|FALSE|false|False)$/.test(value)
    // The filter of a list is one name, and the last one counts.
    const lists = ['label', 'reviewer', 'project', 'add-label', ...(meant.path.endsWith(' list') ? [] : ['assignee'])]
    const effect = ({ flags }: Exclude<Outcome, string>) => {
      const names = [...new Set(flags.map(([flag]) => flag))].filter((flag) => !ADDED.includes(flag)).sort()
      return names.flatMap((flag) => {
        const all = flags.flatMap(([one, value]) => (one === flag ? [value] : []))
        const list = lists.includes(flag) ? all.flatMap((one) => one.split(',')) : all.slice(-1)
        return list.length === 1 && (isOff(list[0]!) || list[0] === 'true')
          ? isOff(list[0]!)
            ? []
            : [[flag, 'on']]
          : [[flag, ...list.map((one) => (one === '1' ? 'on' : one))]]
      })
    }
    expect(effect(done)).toEqual(effect(meant))
  }
})
