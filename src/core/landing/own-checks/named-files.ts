// What a command runs: files, scripts of a package.json, targets of a Makefile. Pure.
import { HERE, shellCommands, type Word } from './shell-words.ts'

/** `scripts` of a package.json or `targets` of a Makefile; without them the file itself. */
export interface Reference {
  path: string
  scripts?: string[]
  targets?: string[]
}

export interface Reach {
  /** Run, read as settings, or named: a change of them changes what the command does. */
  references: Reference[]
  /** Of files, as a shell expands them. */
  patterns: string[]
  /** Commands that do not say which file they run. */
  unresolved: string[]
}

/** Of everything that is followed together: no file makes it take long. */
export interface Room {
  characters: number
}

export interface CommandAt {
  text: string
  /** Where it runs, from the top of the repository; '' there. */
  directory: string
  /** The directory of the script that it is in. */
  here?: string | undefined
}

const INTERPRETERS =
  /^(?:sh|bash|zsh|dash|ksh|source|\.|node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|pwsh)$/
const WRAPPERS = /^(?:env|time|nice|exec|command|sudo|nohup|xvfb-run|npx|bunx|then|do|else|if|while|!|coverage|dotenv)$/
const WRAPPED = /^(?:pnpm (?:exec|dlx)|yarn exec|npm exec|uv run|poetry run|pipenv run|bundle exec|hatch run|pdm run) /
const ASSIGNMENT = /^[A-Za-z_]\w*=/
/** Written by people to be read by programs: named anywhere, they count. */
const SETTINGS =
  /\.(?:sh|bash|zsh|ksh|json[c5]?|ya?ml|toml|ini|cfg|conf|xml|mk|config\.\w+)$|(?:^|\/)\.[\w-]+rc$|ignore$/
/** Outside of the repository, whatever is in them. */
const ELSEWHERE = /^(?:~|\$\{?(?:HOME|TMPDIR|TMP|XDG_\w+|RUNNER_TEMP)\b|\/)/

export function reachOf({ text, directory, here }: CommandAt, depth = 0): Reach {
  const reach: Reach = { references: [], patterns: [], unresolved: [] }
  let at = directory
  for (const raw of shellCommands(text)) {
    const parts = bare(raw)
    const [first, ...args] = parts
    if (first === undefined) continue
    const path = (word: string, from = at) =>
      word.startsWith(HERE) ? joinPath(here ?? from, `.${word.slice(1)}`) : joinPath(from, word)
    if (/^(?:cd|pushd)$/.test(first.text) && args.length > 0) at = path(args[0]!.text) ?? at
    else if (/(?:^|\/)(?:sh|bash|zsh|dash)$/.test(first.text) && /^-\w*c$/.test(args[0]?.text ?? '') && depth < 3)
      merge(reach, reachOf({ text: args[1]?.text ?? '', directory: at, here }, depth + 1))
    else ofCommand(reach, { parts, at, path })
  }
  return reach
}

function merge(into: Reach, from: Reach): void {
  into.references.push(...from.references)
  into.patterns.push(...from.patterns)
  into.unresolved.push(...from.unresolved)
}

/** Without what only starts it. */
function bare(parts: readonly Word[]): Word[] {
  const textAt = (index: number) => parts[index]?.text ?? ''
  let at = 0
  for (let before = -1; at !== before; ) {
    before = at
    if (WRAPPED.test(`${textAt(at)} ${textAt(at + 1)} `)) at += 2
    else if (textAt(at) === 'timeout') {
      for (at++; textAt(at).startsWith('-'); at++) if (/^(?:-[ks]|--kill-after|--signal)$/.test(textAt(at))) at++
      at++
    } else if (WRAPPERS.test(textAt(at)) || ASSIGNMENT.test(textAt(at))) {
      at++
      while (textAt(at).startsWith('-')) at++
    }
  }
  return parts.slice(at)
}

interface Parsed {
  parts: Word[]
  at: string
  path(word: string, from?: string): string | null
}

function ofCommand(reach: Reach, { parts, at, path }: Parsed): void {
  const [first, ...args] = parts as [Word, ...Word[]]
  const name = first.text.replace(/^.*\//, '')
  const isInterpreter = INTERPRETERS.test(name)
  const line = parts.map(({ text }) => text).join(' ')
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name)) ofPackageManager(reach, { name, args, at, path, line })
  if (name === 'node' && args[0]?.text === '--run') reach.references.push(scripts(at, [args[1]?.text ?? '']))
  if (/^(?:run-s|run-p|npm-run-all)$/.test(name))
    reach.references.push(
      scripts(
        at,
        args.map(({ text }) => text),
      ),
    )
  if (/^g?make$/.test(name)) ofMake(reach, { args, at, path })
  if (/^python[\d.]*$/.test(name) && args.some(({ text }) => text === '-m')) {
    const module = args[args.findIndex(({ text }) => text === '-m') + 1]?.text.replaceAll('.', '/') ?? ''
    for (const file of [`${module}.py`, `${module}/__main__.py`]) push(reach, path(file))
  }
  if (name === 'eval') reach.unresolved.push(line)
  for (const [index, { text, isOpen }] of parts.entries()) {
    const isRun = index === 0 || isInterpreter
    const value = text.startsWith('-') ? text.slice(text.indexOf('=') + 1) : text
    if (ELSEWHERE.test(value)) continue
    if (isOpen && /[$]/.test(value)) {
      if (isRun && !text.startsWith('-')) reach.unresolved.push(line)
    } else if (isOpen && value !== '') {
      const pattern = path(value.replaceAll('**', '*'))
      // More of them take long to match, and are not what people write.
      const isPlain = pattern !== null && /^[^*?[\]]*(?:[*?][^*?[\]]*){1,3}$/.test(pattern)
      if (isPlain && (isRun || SETTINGS.test(pattern))) reach.patterns.push(pattern)
      else if (isRun) reach.unresolved.push(line)
    } else if (isOpen && isRun) reach.unresolved.push(line)
    else if (isRun ? index > 0 || /[/.]/.test(text) || text.startsWith(HERE) : SETTINGS.test(value))
      push(reach, path(value))
    if (
      !isOpen &&
      text.startsWith('-') &&
      args[index]?.text.includes('/') &&
      /^-(?:r|c|p|f|-require|-import|-loader|-config|-project)$/.test(text)
    )
      push(reach, path(args[index].text))
  }
}

function push({ references }: Reach, path: string | null): void {
  if (path !== null && path !== '') references.push({ path })
}

function scripts(directory: string, names: string[]): Reference {
  return { path: joinPath(directory, 'package.json')!, scripts: names.filter((name) => name !== '' && name[0] !== '-') }
}

const INSTALLS = /^(?:ci|i|install|add)$/
/** Of Yarn, pnpm and Bun; any other word may be a script. */
const BUILT_IN =
  /^(?:exec|dlx|x|why|audit|publish|pack|outdated|list|ls|config|cache|info|link|up|upgrade|remove|test)$/

function ofPackageManager(
  reach: Reach,
  { name, args, at, path, line }: { name: string; args: Word[]; line: string } & Omit<Parsed, 'parts'>,
): void {
  let directory = at
  const rest: string[] = []
  for (let index = 0; index < args.length && args[index]!.text !== '--'; index++) {
    const { text } = args[index]!
    const [, option, inline] = /^(--prefix|--cwd|--dir|-C|-w|--workspace|--filter|-F)(?:=(.*))?$/.exec(text) ?? []
    const value = option === undefined ? '' : (inline ?? args[++index]?.text ?? '')
    if (option !== undefined && /^(?:--filter|-F)$/.test(option)) reach.unresolved.push(line)
    else if (option !== undefined) directory = path(value) ?? directory
    else if (!text.startsWith('-')) rest.push(text)
  }
  const [verb = 'install', script] = rest
  if (/^(?:run|run-script|rum|urn)$/.test(verb)) {
    if (script === undefined || args.some(({ text, isOpen }) => isOpen && text.includes(script)))
      reach.unresolved.push(line)
    else reach.references.push(scripts(directory, [script]))
  } else if (/^(?:t|tst|test)$/.test(verb)) reach.references.push(scripts(directory, ['test']))
  else if (INSTALLS.test(verb))
    reach.references.push(scripts(directory, ['preinstall', 'install', 'postinstall', 'prepare']))
  else if (verb === 'start' || (name !== 'npm' && !BUILT_IN.test(verb)))
    reach.references.push(scripts(directory, [verb]))
}

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile']

function ofMake(reach: Reach, { args, at, path }: { args: Word[] } & Omit<Parsed, 'parts'>): void {
  let directory = at
  let files = MAKEFILES
  const targets: string[] = []
  for (let index = 0; index < args.length; index++) {
    const { text, isOpen } = args[index]!
    if (/^(?:-C|--directory)$/.test(text)) directory = path(args[++index]?.text ?? '') ?? directory
    else if (text.startsWith('--directory=')) directory = path(text.slice(12)) ?? directory
    else if (/^(?:-f|--file|--makefile)$/.test(text)) files = [args[++index]?.text ?? '']
    else if (isOpen && !text.includes('=')) reach.unresolved.push(`make ${text}`)
    else if (!text.startsWith('-') && !text.includes('=')) targets.push(text)
  }
  for (const file of files) {
    const found = path(file, directory)
    if (found !== null) reach.references.push({ path: found, targets: targets.length > 0 ? targets : [''] })
  }
}

/** Deeper than any repository is. */
const LONGEST_PATH = 500

/** null: it is outside of the repository, or no file has such a path. */
export function joinPath(directory: string, word: string): string | null {
  if (word.startsWith('/') || word.length > LONGEST_PATH || /\p{Cc}/u.test(word)) return null
  const parts: string[] = []
  for (const part of `${directory}/${word}`.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  const path = parts.join('/')
  return path.length > LONGEST_PATH ? null : path
}
