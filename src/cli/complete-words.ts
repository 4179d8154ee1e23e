// What may complete a command line. Pure: names of sessions and projects are supplied by the caller.

import { lexArgv } from './arguments/parse-arguments.ts'
import type { Command, Completes, OptionSpec } from './command.ts'
import { withJq } from './print/select-json.ts'

export interface Candidate {
  word: string
  about: string
}

/** What is expected here: words, or names that must be looked up. */
export interface Completion {
  candidates: Candidate[]
  lookUp: Completes | null
}

const NOTHING: Completion = { candidates: [], lookUp: null }
const HELP: OptionSpec = { about: 'Show the help', short: 'h' }
const CONFIG: OptionSpec = { about: '', value: 'file', completes: 'file' }

/** The first words: names of commands and of groups of commands. */
export function completeCommandName(commands: Command[], before: readonly string[], program = 'ao'): Completion {
  const prefix = before.length === 0 ? '' : `${before.join(' ')} `
  const candidates = new Map<string, Candidate>()
  for (const { name, about } of commands) {
    if (!name.startsWith(prefix)) continue
    const [word = '', ...further] = name.slice(prefix.length).split(' ')
    if (!candidates.has(word))
      candidates.set(word, { word, about: further.length > 0 ? `${program} ${word} ...` : about })
  }
  return { candidates: [...candidates.values()], lookUp: null }
}

/** After a command: `before` are its words so far, `current` is the one being typed. */
export function completeArgument(command: Command, before: readonly string[], current: string): Completion {
  const { count, waiting, ended } = readTyped(command, before)
  if (waiting) return complete(waiting.completes)
  if (!ended && current.startsWith('-')) return { candidates: optionCandidates(command, before), lookUp: null }
  const specs = Object.values(command.args)
  const spec = specs[count] ?? (specs.at(-1)?.variadic ? specs.at(-1) : undefined)
  return spec ? complete(spec.completes) : NOTHING
}

function complete(completes: Completes | undefined): Completion {
  if (completes === undefined) return NOTHING
  if (typeof completes === 'string') return { candidates: [], lookUp: completes }
  return { candidates: completes.map((word) => ({ word, about: '' })), lookUp: null }
}

/** How many arguments there already are, and the option that still waits for its value. */
function readTyped(
  command: Command,
  before: readonly string[],
): { count: number; waiting: OptionSpec | null; ended: boolean } {
  const options: Record<string, OptionSpec> = { ...withJq(command.options), config: CONFIG }
  // bash splits `--project`, `=` and the value into three words.
  const tokens = lexArgv(
    before.filter((word) => word !== '='),
    options,
  )
  const last = tokens.at(-1)
  const spec = last?.kind === 'option' && last.value === undefined ? options[last.name] : undefined
  return {
    count: tokens.filter(({ kind }) => kind === 'word').length,
    waiting: spec?.value ? spec : null,
    ended: tokens.some(({ kind }) => kind === 'terminator'),
  }
}

function optionCandidates(command: Command, before: readonly string[]): Candidate[] {
  return [...Object.entries(withJq(command.options)), ['help', HELP] as const]
    .filter(([name]) => !before.includes(`--${name}`))
    .map(([name, { about }]) => ({ word: `--${name}`, about }))
}
