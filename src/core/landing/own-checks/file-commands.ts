// The commands in a file that a check runs: scripts of a package.json, recipes of a Makefile, lines of a shell script, programs that a
// Node or Python program starts. Pure.
import { makeCommands } from './make-recipes.ts'
import { type CommandAt, joinPath, type Reach, type Reference, type Room, reachOf } from './named-files.ts'

/** To find the commands in a file costs less than to read them. */
const FILE_COST = 1 / 2

export function reachOfFile(reference: Reference, text: string, room: Room): Reach {
  const { path } = reference
  room.characters -= text.length * FILE_COST
  const together = (commands: readonly CommandAt[]) => reachOfAll(commands, room)
  const here = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : ''
  if (reference.scripts) return together(scriptCommands(text, reference.scripts, here))
  if (reference.targets) {
    const { commands, included } = makeCommands(text, reference.targets)
    const reach = together(commands.map((line) => ({ text: line, directory: here, here })))
    for (const one of included) {
      const found = /[$*]/.test(one) ? null : joinPath(here, one)
      if (found === null) reach.unresolved.push(`include ${one}`)
      else reach.references.push({ path: found, targets: reference.targets })
    }
    return reach
  }
  if (/\.(?:[mc]?[jt]s|py)$/.test(path) || /^#!.*\b(?:node|python)/.test(text)) return ofProgram(text, here, room)
  const isShell = /\.(?:sh|bash|zsh|ksh)$/.test(path) || /^#!.*sh\b/.test(text)
  return isShell ? together([{ text, directory: '', here }]) : EMPTY
}

const EMPTY: Reach = { references: [], patterns: [], unresolved: [] }

function reachOfAll(commands: readonly CommandAt[], room: Room): Reach {
  const all = commands.map((command): Reach => {
    if (room.characters <= 0) return { ...EMPTY, unresolved: ['commands beyond what ao follows'] }
    room.characters -= command.text.length
    return reachOf(command)
  })
  return {
    references: all.flatMap(({ references }) => references),
    patterns: all.flatMap(({ patterns }) => patterns),
    unresolved: all.flatMap(({ unresolved }) => unresolved),
  }
}

function scriptCommands(text: string, names: readonly string[], directory: string): CommandAt[] {
  let scripts: Record<string, unknown>
  try {
    scripts = Object((JSON.parse(text) as { scripts?: unknown } | null)?.scripts)
  } catch {
    // Nothing runs it either.
    return []
  }
  const isMeant = (name: string) =>
    names.some((one) =>
      one.endsWith('*')
        ? name.startsWith(one.slice(0, one.indexOf('*')))
        : [one, `pre${one}`, `post${one}`].includes(name),
    )
  return Object.entries(scripts)
    .filter(([name, run]) => isMeant(name) && typeof run === 'string')
    .map(([, run]) => ({ text: run as string, directory, here: directory }))
}

const STARTS = /\b(?:spawn|exec|fork|Popen|system|call|check_call|check_output|run)\w{0,20} ?\(/
const LITERAL = /'([^'\n]{1,300})'|"([^"\n]{1,300})"|`([^`\n]{1,300})`/g
/** What lies beside it; anything farther away is probably what is checked. */
const BESIDE = /['"](\.\/[\w.-]{1,100})['"]/
const MODULE = /^(?:from \.?(\w+) import|import (\w+)$)/

function ofProgram(text: string, here: string, room: Room): Reach {
  const started = linesOf(text)
    .filter((line) => STARTS.test(line))
    .map((line) => {
      const literals = [...line.matchAll(LITERAL)].map(([, a, b, c]) => a ?? b ?? c ?? '')
      return { text: literals.join(' '), directory: '', here }
    })
  const reach = reachOfAll(started, room)
  for (const line of linesOf(text)) {
    const [, from, imported] = MODULE.exec(line.trimEnd()) ?? []
    const module = from ?? imported
    const beside = /import|require|from/.test(line) ? BESIDE.exec(line)?.[1] : undefined
    const found = joinPath(here, beside ?? `${module}.py`)
    if (found !== null && (beside ?? module) !== undefined) reach.references.push({ path: found })
  }
  return reach
}

/** A long line was not written by a person. */
function linesOf(text: string): string[] {
  return text
    .split('\n')
    .slice(0, 5_000)
    .filter(({ length }) => length <= 500)
}
