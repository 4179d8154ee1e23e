// `agh openapi` prints the description of the API; `agh __docs` prints docs/agh-reference.md from the tables of commands
// and routes. Neither needs a daemon.
import type { AghRoute } from '../../agh/daemon/routes/agh-route.ts'
import { EVERYONE } from '../../core/boundary/rights.ts'
import { manPage, renderCommand, sharedRows } from '../about/command-docs.ts'
import { type Command, defineCommand } from '../command.ts'
import { loadGroups } from '../command-table.ts'
import { aghCommand, OUTPUT_OPTIONS } from './agh-command.ts'

export const openapiCommand = aghCommand({
  name: 'openapi',
  inside: EVERYONE,
  about: 'Print the description of the HTTP API (OpenAPI 3.1)',
  defaultFormat: 'json',
  async run({ io, format }) {
    const { describeAghApi } = await import('../../agh/daemon/routes/routes.ts')
    const document = await describeAghApi()
    if (format === 'jsonl') io.print(JSON.stringify(document))
    else io.json(document)
  },
})

export const docsCommand = defineCommand({
  program: 'agh',
  name: '__docs',
  inside: EVERYONE,
  about: 'Print docs/agh-reference.md, or the manual page',
  args: { page: { about: 'man (default: the reference)' } },
  async run({ args }, io, table) {
    const groups = await loadGroups(table)
    if (args.page === 'man') {
      io.write(await manPage('agh', groups))
      return 0
    }
    const { describedRoutes } = await import('../../agh/daemon/routes/routes.ts')
    io.write(renderReference(groups, describedRoutes()))
    return 0
  },
})

export function renderReference(
  groups: Array<{ title: string; commands: Command[] }>,
  routes: readonly AghRoute[],
): string {
  const shown = groups.map(({ title, commands }) => ({ title, commands: commands.map(withoutOutputOptions) }))
  const shared = sharedRows(shown.flatMap(({ commands }) => commands))
  const sections = shown.flatMap(({ title, commands }) => [
    `## ${title}`,
    ...commands.map((one) => renderCommand(one, shared)),
  ])
  return `${[INTRODUCTION, shared.join('\n'), ...sections, HTTP, renderRoutes(routes)].join('\n\n')}\n`
}

const INTRODUCTION = `# agh: commands and HTTP API

<!-- Written by \`agh __docs\` from the tables in src/cli/agh and src/agh/daemon; a test keeps it up to date. -->

[agh](agh.md) explains it. Every command takes \`-o human|json|jsonl\` (\`--json\` is \`-o json\`); errors and
[exit codes](commands.md#exit-codes) are those of ao.

Arguments and options that many commands share:`

const HTTP = `## HTTP

\`agh openapi\` prints this as OpenAPI 3.1, with query parameters and schemas; the daemon serves it at \`/api/openapi.json\`.`

/** Those are explained above all commands. */
function withoutOutputOptions(command: Command): Command {
  const options = Object.entries(command.options).filter(([name]) => !Object.hasOwn(OUTPUT_OPTIONS, name))
  return { ...command, options: Object.fromEntries(options) }
}

function renderRoutes(routes: readonly AghRoute[]): string {
  return routes.map(({ method, path, summary }) => `- \`${method} ${path}\` ${summary}`).join('\n')
}
