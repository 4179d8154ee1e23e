// `agh session hooks`: list the runs of hooks in a session.
import type { HookRunView } from '../../contract/agh/api.ts'
import { defineCommand } from '../command.ts'
import { type Column, renderTable } from '../print/table.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const sessionHooksCommand = defineCommand({
  program: 'agh',
  name: 'session hooks',
  about: 'List the runs of hooks in a session',
  args: { session: { about: 'Session id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ hook_runs: HookRunView[] }>(sessionPath(args.session, '/hook-runs'))
    if (format === 'jsonl') return void io.printLines(answer.hook_runs.map((run) => JSON.stringify(run)))
    if (format === 'human' && answer.hook_runs.length === 0) return void io.note('No hook ran.')
    printOne(io, format, answer, () => renderTable(COLUMNS, answer.hook_runs, { width: io.width() }))
  },
})

const COLUMNS: Column<HookRunView>[] = [
  { title: 'EVENT', text: ({ event }) => event },
  { title: 'OUTCOME', text: ({ outcome, required }) => (required ? `${outcome}, required` : outcome) },
  { title: 'MS', text: ({ duration_ms }) => String(duration_ms), align: 'right' },
  { title: 'COMMAND', text: ({ command }) => command, min: 10, drop: 1 },
  { title: 'DETAIL', text: ({ detail }) => detail, min: 8 },
]
