// `ao __docs`: prints docs/commands.md from the table of commands; `ao __docs configuration`, `errors` and `agents` other pages.
import { ERROR_TABLE } from '../../../contract/errors.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import { ENVIRONMENT, EXIT_CODES, manPage, renderCommand } from '../../about/command-docs.ts'
import { type Command, defineCommand } from '../../command.ts'
import { loadGroups } from '../../command-table.ts'
import { SESSION_JSON } from '../../print/session-json.ts'

export const docsCommand = defineCommand({
  name: '__docs',
  inside: EVERYONE,
  about: 'Print a page of docs, the table of agents, or the manual page',
  args: { page: { about: 'commands (default), configuration, errors, agents or man' } },
  async run({ args }, io, table) {
    if (args.page === 'configuration') {
      const { configJsonSchema } = await import('../../../config/config-schema.ts')
      const { renderConfiguration } = await import('./docs-configuration.ts')
      io.write(renderConfiguration(configJsonSchema()))
      return 0
    }
    if (args.page === 'agents') {
      const { renderAgents } = await import('./docs-agents.ts')
      io.write(`${renderAgents()}\n`)
      return 0
    }
    if (args.page === 'errors') {
      const { renderErrors } = await import('./docs-errors.ts')
      io.write(renderErrors())
      return 0
    }
    const groups = await loadGroups(table)
    io.write(args.page === 'man' ? await manPage('ao', groups) : renderDocs(groups))
    return 0
  },
})

export function renderDocs(groups: Array<{ title: string; commands: Command[] }>): string {
  return [
    INTRODUCTION,
    ...groups.flatMap(({ title, commands }) => [`## ${title}`, ...commands.map((one) => renderCommand(one, commands))]),
    exitCodes(),
    `${ENVIRONMENT}\n`,
  ].join('\n\n')
}

const INTRODUCTION = `# Commands

<!-- Written by \`ao __docs\` from the command table in src/cli/ao; a test keeps it up to date. -->

\`ao --help\` lists the commands, \`ao <command> --help\` explains one, \`ao --version\` prints the version.

- **Output.** Results go to stdout, everything else to stderr. Tables fit the terminal; into a pipe nothing is cut.
  Colours appear on a terminal only; \`NO_COLOR\` turns them off, \`FORCE_COLOR\` on.
- **\`--json\`** prints one JSON object instead of text; it may also stand before the command. Keys are only ever added. When the command fails it prints
  \`{ "error": { "code", "message", "hint", "details" } }\` on stdout, and the exit code says the same.
  Below, \`Session\` is \`${SESSION_JSON}\`.
- **\`--config <file>\`** works with every command; otherwise \`AO_CONFIG_PATH\` names the configuration, or it is found by
  walking up from the current directory.
- **Names.** \`list\`, \`status\`, \`stop\` and \`resume\` of a session are understood as \`ls\`, \`show\`, \`kill\` and \`restore\`, and in agh
  the other way round; \`ao version\` says what it runs on.
- **No questions.** No command asks anything when it has no terminal.
- **Session ids** are the short ones, such as \`app-1\`, everywhere. Choose descriptive prefixes of 2 to 4 characters
  (\`app\`, \`api\`, \`web\`) that are not the names of common commands, with \`sessionPrefix\` in the configuration.
- **Not repeated below**: \`<session>\` is a session's id or name; \`-p, --project <id>\`, which most lists and commands take, means
  only this project.`

function exitCodes(): string {
  const rows = EXIT_CODES.map(([code, meaning]) => {
    const codes = Object.entries(ERROR_TABLE).filter(([, { exit }]) => exit === code)
    const names = codes.map(([name]) => `\`${name}\``).join(' ')
    return `| ${code} | ${meaning} | ${names} |`
  })
  return ['## Exit codes', ['| Code | Meaning | Error codes |', '|---|---|---|', ...rows].join('\n')].join('\n\n')
}
