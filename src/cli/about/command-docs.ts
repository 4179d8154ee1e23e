// One command as a section of a reference, and a program's manual page: for `ao __docs` and `agh __docs`.
import type { Command } from '../command.ts'
import { argumentLabel, argumentsUsage, type HelpGroup, optionLabel } from '../help.ts'

/** Arguments and options that this many commands share are listed once, above all of them. */
const SHARED_BY = 3

export function sharedRows(commands: readonly Command[]): string[] {
  const counts = new Map<string, number>()
  for (const row of commands.flatMap(rowsOf)) counts.set(row, (counts.get(row) ?? 0) + 1)
  return [...counts].filter(([, count]) => count >= SHARED_BY).map(([row]) => row)
}

/** `shared`: rows that stand above all commands. */
export function renderCommand(command: Command, shared: readonly string[]): string {
  const program = command.program ?? 'ao'
  const parts = [`### \`${program} ${command.name}${argumentsUsage(command.args)}\``, `${command.about}.`]
  if (command.details) parts.push(escapeText(command.details))
  const rows = rowsOf(command).filter((row) => !shared.includes(row))
  if (rows.length > 0) parts.push(rows.join('\n'))
  const examples = (command.examples ?? []).map(({ line, about }) => `${line}   # ${about}`)
  if (examples.length > 0) parts.push(`\`\`\`sh\n${examples.join('\n')}\n\`\`\``)
  return parts.join('\n\n')
}

/** `--json` has its shape in the command's help. */
function rowsOf(command: Command): string[] {
  const args = Object.entries(command.args).map(([name, spec]) => [argumentLabel(name, spec), spec.about] as const)
  const options = Object.entries(command.options)
    .filter(([name]) => name !== 'json')
    .map(([name, spec]) => [optionLabel(name, spec).trim(), spec.about] as const)
  return [...args, ...options].map(([label, about]) => `- \`${label}\` ${escapeText(about)}`)
}

export async function manPage(program: 'ao' | 'agh', groups: HelpGroup[]): Promise<string> {
  const { renderManPage } = await import('./man-page.ts')
  const rows = [...ENVIRONMENT.matchAll(/^\| (`.+?) \| (.+) \|$/gm)].map(
    ([, name = '', text = '']) => [name, text] as const,
  )
  const ofAgh: typeof rows = [
    ['AGH_HOME', 'Where agh keeps its files, ~/.agh by default'],
    ['AGH_LOG_LEVEL', 'debug, info, warn (default) or error'],
    ...rows.filter(([name]) => /AO_HOME|NO_COLOR|COLUMNS/.test(name)),
  ]
  return renderManPage({
    program,
    about: MAN_ABOUT[program],
    groups,
    environment: program === 'ao' ? rows : ofAgh,
    exitCodes: EXIT_CODES,
    seeAlso: `${program === 'ao' ? 'agh' : 'ao'}(1), git(1), tmux(1). The documentation is in the directory docs of the package.`,
  })
}

const MAN_ABOUT = {
  ao: 'run many coding agents in parallel, each in its own git worktree',
  agh: 'run ACP agents as durable sessions',
}

export const EXIT_CODES: ReadonlyArray<readonly [code: number, meaning: string]> = [
  [0, 'It worked'],
  [1, 'It failed: a tool, a plugin or ao itself; doctor found something broken; one of several failed'],
  [2, 'The command line or the configuration is wrong, or something that is needed is not installed'],
  [3, 'It took too long, or the message did not reach the agent'],
  [4, 'There is no such session, project, issue or pull request'],
  [5, 'It conflicts with the present state: the session is running or is not, or another command is working on it'],
  [130, 'Interrupted with Ctrl-C'],
]

export const ENVIRONMENT = `## Environment

| Variable | Meaning |
|---|---|
| \`AO_CONFIG_PATH\` | The configuration file |
| \`AO_GLOBAL_CONFIG\` | Your own configuration, below that of every repository |
| \`AO_HOME\` | The directory below which ao and agh keep everything, instead of the home: \`.ao\`, \`.agent-orchestrator\`, \`.worktrees\`, \`.agh\`, \`.cache\`, \`.config\` |
| \`XDG_DATA_HOME\` | Where it is set and nothing of ao lies in the home yet, \`$XDG_DATA_HOME/ao-fleet\` is used like \`AO_HOME\`; what is in use stays where it is |
| \`XDG_CACHE_HOME\`, \`XDG_CONFIG_HOME\` | Where caches and your own configuration are, \`~/.cache\` and \`~/.config\` by default |
| \`AO_DATA_DIR\` | Where ao keeps its data, \`~/.agent-orchestrator\` by default |
| \`AO_RECORDING\` | \`off\`: terminals are not recorded |
| \`AO_PORT\` | The port of the dashboard, instead of the configured one; 0: any that is free |
| \`AO_LISTEN\`, \`AO_TLS_CERT\`, \`AO_TLS_KEY\` | As the options \`--listen\`, \`--tls-cert\`, \`--tls-key\` of \`ao start\` |
| \`AO_AGENT\`, \`AO_RUNTIME\`, \`AO_WORKSPACE\`, \`AO_POLL_SECONDS\` | Instead of the configured \`defaults.agent\`, \`defaults.runtime\`, \`defaults.workspace\`, \`lifecycle.pollSeconds\` |
| \`AO_PROJECT_ID\` | The project that commands mean when none is named |
| \`AO_SESSION\` | Inside a session: its id |
| \`AO_LOG_LEVEL\` | \`debug\`, \`info\`, \`warn\` (default) or \`error\`; \`debug\` also prints where an error comes from |
| \`AO_OUTPUT\` | \`json\`: every command that has \`--json\` prints JSON, for agents and CI |
| \`NO_COLOR\`, \`FORCE_COLOR\` | Colours off, on |
| \`COLUMNS\` | Width of tables when stdout is not a terminal |`

/** Angle brackets are not HTML, and a bar does not end a cell. */
function escapeText(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('|', '\\|')
}
