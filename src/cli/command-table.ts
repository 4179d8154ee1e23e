// The table of commands, and which of them argv names. Only the one that runs is loaded.
import { AoError } from '../contract/errors.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import type { ToolCommand } from '../mcp/command-tool.ts'
import type { Command, CommandEntry, CommandTable } from './command.ts'

type Row = readonly [
  name: string,
  /** Its file exports the command. */
  load: () => Promise<object>,
  more?: Pick<CommandEntry, 'aliases' | 'meantBy' | 'hidden' | 'isTool'>,
]

/** Commands under one title in help and documentation. */
export function group(title: string, rows: readonly Row[]): CommandTable {
  return rows.map(([name, load, more]) => ({
    name,
    group: title,
    load: async () => commandIn(await load(), name),
    ...more,
  }))
}

function commandIn(exported: object, name: string): Command {
  const found = Object.values(exported).find((one) => typeof one === 'object' && one !== null && one.name === name)
  if (found === undefined) throw new Error(`No file exports the command ${name}`)
  return found as Command
}

/** The commands that are tools of the MCP server, which alone are loaded. */
export async function loadTools(table: CommandTable): Promise<ToolCommand[]> {
  const commands = await Promise.all(table.filter(({ isTool }) => isTool).map((entry) => entry.load()))
  return commands.flatMap(({ tool, ...command }) => (tool === undefined ? [] : [{ ...command, tool }]))
}

export type Found =
  | { kind: 'command'; entry: CommandEntry; rest: readonly string[] }
  | { kind: 'help'; topic: string | null }

export function findCommand(table: CommandTable, argv: readonly string[], program = 'ao'): Found {
  const [first, second] = argv
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'help', topic: null }
  if (first === 'help')
    return second === undefined ? { kind: 'help', topic: null } : findCommand(table, helpFor(argv), program)
  const entry = findNamed(table, `${first} ${second}`) ?? findNamed(table, first)
  if (entry) return { kind: 'command', entry, rest: argv.slice(entry.name.split(' ').length) }
  const isGroup = table.some(({ name }) => name.startsWith(`${first} `))
  if (isGroup && (second === '--help' || second === '-h')) return { kind: 'help', topic: first }
  throw unknownCommand({ table, program }, first, isGroup ? second : undefined, isGroup)
}

export async function loadGroups(table: CommandTable): Promise<Array<{ title: string; commands: Command[] }>> {
  const shown = table.filter(({ hidden }) => !hidden)
  const commands = await Promise.all(shown.map(async (entry) => ({ entry, command: await entry.load() })))
  const titles = [...new Set(shown.map(({ group }) => group))]
  return titles.map((title) => ({
    title,
    commands: commands.filter(({ entry }) => entry.group === title).map(({ command }) => command),
  }))
}

function findNamed(table: CommandTable, typed: string): CommandEntry | undefined {
  return table.find(({ name, aliases }) => name === typed || aliases?.includes(typed))
}

/** `ao help session ls` is `ao session ls --help`. */
function helpFor(argv: readonly string[]): string[] {
  return [...argv.slice(1), '--help']
}

function unknownCommand(
  { table, program }: { table: CommandTable; program: string },
  first: string,
  second: string | undefined,
  isGroup: boolean,
): AoError {
  const names = table.filter(({ hidden }) => !hidden).map(({ name }) => name)
  if (!isGroup) {
    const groups = [...new Set(names.map((name) => name.split(' ')[0]!))]
    const meant = table.find(({ meantBy }) => meantBy?.includes(first))?.name
    return unknown(program, `Unknown command: ${first}`, meant ?? nearestWord(first, groups))
  }
  const subcommands = names.filter((name) => name.startsWith(`${first} `)).map((name) => name.split(' ')[1]!)
  if (second === undefined || second.startsWith('-')) {
    return new AoError('USAGE', `${program} ${first} needs one of: ${subcommands.join(', ')}`, {
      hint: `See: ${program} ${first} --help`,
    })
  }
  const typed = `${first} ${second}`
  const meant = table.find(({ meantBy }) => meantBy?.includes(typed))?.name
  const near = nearestWord(second, subcommands)
  return unknown(program, `Unknown command: ${typed}`, meant ?? (near && `${first} ${near}`))
}

function unknown(program: string, message: string, near: string | null): AoError {
  const hint = near ? `Did you mean: ${program} ${near}` : `See the options with: ${program} --help`
  return new AoError('USAGE', message, { hint })
}
