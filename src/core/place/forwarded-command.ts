// Which commands of an agent in a place are answered at home, where the forge's token and the user's files are. What is not
// listed is refused: the words come from inside the cage.

const GH: Readonly<Record<string, readonly string[]>> = {
  pr: [
    ...['create', 'new', 'view', 'list', 'ls', 'status', 'checks', 'diff', 'comment'],
    ...['edit', 'ready', 'close', 'reopen', 'merge', 'review'],
  ],
  issue: ['view', 'list', 'ls', 'status', 'comment', 'create', 'new', 'edit', 'close', 'reopen'],
  run: ['list', 'ls', 'view'],
  repo: ['view'],
  auth: ['status'],
  label: ['list', 'ls'],
}

const AO: Readonly<Record<string, readonly string[]>> = {
  mcp: [],
  version: [],
  why: [],
  issue: ['ls', 'show', 'comment'],
  pr: ['ls', 'view', 'diff', 'checks', 'comment', 'reply'],
  feedback: ['new'],
  session: ['show', 'diff'],
}

/** They read a file, or open something on the user's own screen. The value `-`, stdin, is harmless. */
const READS_FILE = /^(?:--body-file|--file|--input|--template|--recover|--config)(?:=(.*))?$/
const READS_FILE_SHORT = /^-[A-Za-z]*[FT](.*)$/
const OPENS = /^(?:--web|--editor|-[A-Za-z]*[we])$/

/** null: home may run it. Otherwise the reason, for the agent. */
export function refuseForwarded(tool: 'gh' | 'ao', argv: readonly string[]): string | null {
  if (argv.length === 0 || argv[0] === '--version' || argv[0] === '--help' || argv[0] === 'help') return null
  if (tool === 'ao' && argv[0] === 'gh') return refuseForwarded('gh', argv.slice(1))
  if (tool === 'gh' && argv[0] === 'api') return refuseApi(argv.slice(1))
  const [group = '', command = ''] = argv.filter((word) => !word.startsWith('-'))
  const table = tool === 'gh' ? GH : AO
  const known = Object.hasOwn(table, group) ? table[group] : undefined
  if (!argv[0]!.startsWith('-') && known !== undefined && (known.length === 0 || known.includes(command))) {
    return refuseWords(tool, argv)
  }
  return `${tool} ${[group, command].join(' ').trim()} is not answered for agents in a place`
}

function refuseWords(tool: 'gh' | 'ao', argv: readonly string[]): string | null {
  for (const [index, word] of argv.entries()) {
    if (word === '--') break
    const file = READS_FILE.exec(word) ?? (tool === 'gh' && !word.startsWith('--') ? READS_FILE_SHORT.exec(word) : null)
    const value = file && (file[1] || argv[index + 1])
    if (file && value !== '-') return `${word} would read a file at home; give the text itself, or - for stdin`
    if (tool === 'gh' && OPENS.test(word)) return `${word} would open something at home`
  }
  return null
}

/** Reading only: with the user's token everything else would be possible. */
function refuseApi(argv: readonly string[]): string | null {
  const path = argv.find((word) => !word.startsWith('-')) ?? ''
  const method = argv.findIndex((word) => word === '-X' || word === '--method')
  const other = argv.find((word) => /^(?:-X.+|--method=.*)$/.test(word))
  const asked = method === -1 ? (other?.replace(/^(?:-X|--method=)/, '') ?? null) : (argv[method + 1] ?? '')
  if (argv.some((word) => /^--input/.test(word) || /@/.test(word.replace(/^[^=]*=/, '=').slice(0, 2)))) {
    return 'gh api cannot send files from a place'
  }
  if (path === 'graphql') {
    const mutates = argv.some((word) => /^\s*(?:query=)?\s*mutation\b/.test(word))
    return mutates ? 'gh api graphql may only ask from a place' : null
  }
  const writes = argv.some((word) => /^(?:-f|-F|--field|--raw-field)/.test(word))
  if ((asked === null && !writes) || asked === 'GET') return null
  return 'gh api may only read from a place'
}

export interface PushedRef {
  old: string
  now: string
  ref: string
}

/** null: not a line of git's. */
export function parsePushedRef(line: string): PushedRef | null {
  const [, old, now, ref] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (\S+)$/.exec(line) ?? []
  return ref === undefined ? null : { old: old!, now: now!, ref }
}

/** An agent in a place may push its own branches and nothing else. null: it may. */
export function refusePush(
  { ref, now }: PushedRef,
  { own, defaultBranch }: { own: readonly string[]; defaultBranch: string },
): string | null {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1]
  if (branch === undefined) return `only branches are pushed from a place, not ${ref}`
  if (/^0+$/.test(now)) return `${branch} is not deleted from a place`
  if (branch === defaultBranch) return `${branch} is the default branch; open a pull request instead`
  if (!own.includes(branch)) return `${branch} is not a branch of this session (${own.join(', ')})`
  return null
}
