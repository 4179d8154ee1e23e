// `ao __docs`: prints docs/commands.md from the table of commands; `ao __docs configuration`, `errors` and `agents` other pages.
import { EVERYONE } from '../../../core/boundary/rights.ts'
import { ENVIRONMENT, EXIT_CODES, manPage, renderCommand, sharedRows } from '../../about/command-docs.ts'
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
  const shared = sharedRows(groups.flatMap(({ commands }) => commands))
  return [
    INTRODUCTION,
    shared.join('\n'),
    ...groups.flatMap(({ title, commands }) => [`## ${title}`, ...commands.map((one) => renderCommand(one, shared))]),
    exitCodes(),
    `${ENVIRONMENT}\n`,
  ].join('\n\n')
}

const INTRODUCTION = `# Commands

<!-- Written by \`ao __docs\` from the command table in src/cli/ao; a test keeps it up to date. -->

For looking up a command of ao; \`ao <command> --help\` has the same text, and the shape of what its \`--json\` prints.

- **Output.** Results go to stdout, everything else to stderr. Tables fit the terminal; into a pipe nothing is cut.
- **\`--json\`**, also before the command, prints one JSON object; keys are only ever added. A command that fails prints
  \`{ "error": { "code", "message", "hint", "details" } }\`. \`Session\` in those shapes is
  \`${SESSION_JSON}\`.
- **\`--config <file>\`** works with every command; otherwise \`AO_CONFIG_PATH\` names the configuration, or it is found by
  walking up from the current directory.
- **Other names.** \`list\`, \`status\`, \`stop\` and \`resume\` of a session are \`ls\`, \`show\`, \`kill\` and \`restore\`; in agh the other way round.
- **Session ids** are short, such as \`app-1\`. Choose descriptive prefixes of 2 to 4 characters with \`sessionPrefix\`.
- **No questions** are asked without a terminal.

Arguments and options that many commands share:`

function exitCodes(): string {
  const rows = EXIT_CODES.map(([code, meaning]) => `- ${code}: ${meaning}`)
  return `## Exit codes\n\n${rows.join('\n')}\n\nWhich error has which: [errors](errors.md).`
}
