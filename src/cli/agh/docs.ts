// `agh openapi` prints the description of the API; `agh __docs` prints docs/agh-reference.md from the tables of commands
// and routes. Neither needs a daemon.
import type { AghRoute } from '../../agh/daemon/routes/agh-route.ts'
import { EVERYONE } from '../../core/boundary/rights.ts'
import { manPage, renderCommand } from '../about/command-docs.ts'
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
  const commands = groups.flatMap(({ title, commands }) => [`## ${title}`, ...commands.map(renderOne)])
  return `${[INTRODUCTION, ...commands, HTTP, renderRoutes(routes)].join('\n\n')}\n`
}

const INTRODUCTION = `# agh: commands and HTTP API

<!-- Written by \`agh __docs\` from the tables in src/cli/agh and src/agh/daemon; a test keeps it up to date. -->

What it all means is in [agh.md](agh.md). Every command takes \`-o human|json|jsonl\` (\`--json\` is \`-o json\`); an error is
then \`{ "error": { "code", "message", "hint", "details" } }\` on stdout. Exit codes: 0 it worked, 1 it failed, 2 the command
line or the configuration is wrong, 3 it took too long, 4 there is no such thing, 5 it conflicts with the present state.`

const HTTP = `## HTTP

\`agh openapi\` prints all of this as OpenAPI 3.1, with the schemas; the daemon serves it at \`/api/openapi.json\`.`

/** Options common to all of them are listed once. */
function renderOne(command: Command): string {
  const options = Object.entries(command.options).filter(([name]) => !Object.hasOwn(OUTPUT_OPTIONS, name))
  return renderCommand({ ...command, options: Object.fromEntries(options) })
}

function renderRoutes(routes: readonly AghRoute[]): string {
  const rows = routes.map(({ method, path, summary, query = {} }) => {
    const details = Object.entries(query).map(([name, about]) => `\`?${name}=\` ${about}`)
    return `| \`${method} ${path}\` | ${[summary, ...details].join('; ').replaceAll('|', '\\|')} |`
  })
  return ['| route | |', '|---|---|', ...rows].join('\n')
}
