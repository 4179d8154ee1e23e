// `ao cost`: what was spent, by agent, model, project, issue or merged pull request.
import { AoError } from '../../../contract/errors.ts'
import { COST_GROUPS, type CostRow, costCsv, costReport } from '../../../core/budget/cost-report.ts'
import { usd } from '../../../core/budget/find-over-budget.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import { renderTable } from '../../print/table.ts'
import { requireProject } from '../choose-project.ts'
import { openAo } from '../open-ao.ts'

export const costCommand = defineCommand({
  name: 'cost',
  about: 'Show costs by agent, model, project, issue or merged pull request',
  details:
    'Archived sessions too. Prices are estimates; sessions with an unknown price are counted in the last column and add nothing to the sum.',
  options: {
    by: { value: 'what', about: `One of ${COST_GROUPS.join(', ')} (default agent)` },
    csv: { about: 'Print it as CSV' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao cost --by pull --csv > cost.csv', about: 'What each merged pull request cost, for a spreadsheet' },
  ],
  json: '{ by, rows: [{ name, sessions, tokens, costUsd: number or null, unpriced }] }',
  async run({ options }, io) {
    const by = COST_GROUPS.find((one) => one === (options.by ?? 'agent'))
    if (by === undefined) throw new AoError('USAGE', `--by is one of ${COST_GROUPS.join(', ')}, not ${options.by}`)
    const ao = await openAo(io)
    if (options.project !== undefined) requireProject(ao.config, options.project)
    const rows = costReport(await ao.manager.costs(options.project), by)
    if (options.json) return void io.json({ by, rows })
    if (options.csv) return void io.write(costCsv(rows, by))
    if (rows.length === 0) return void io.print('Nothing was spent, as far as is known.')
    const unpriced = rows.some((row) => row.unpriced > 0)
    const lines = renderTable<CostRow>(
      [
        { title: by.toUpperCase(), text: ({ name }) => name, min: 12, paint: (text) => io.style.bold(text) },
        { title: 'SESSIONS', text: ({ sessions }) => String(sessions), align: 'right' },
        { title: 'TOKENS', text: ({ tokens }) => tokens.toLocaleString('en'), align: 'right' },
        { title: 'COST', text: ({ costUsd }) => (costUsd === null ? 'unknown' : usd(costUsd)), align: 'right' },
        ...(unpriced
          ? [
              {
                title: 'WITHOUT A PRICE',
                text: (row: CostRow) => String(row.unpriced),
                align: 'right' as const,
                drop: 1,
              },
            ]
          : []),
      ],
      rows,
      { width: io.width(), paintTitle: io.style.dim },
    )
    io.printLines(lines)
  },
})
