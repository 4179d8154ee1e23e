// `agh session usage`: show the tokens that each turn of a session used.
import type { TurnUsage } from '../../contract/agh/api.ts'
import type { TurnTokens } from '../../contract/agh/transcript.ts'
import { tokensOf } from '../../core/agh/transcript/transcript.ts'
import { defineCommand } from '../command.ts'
import { type Column, renderTable } from '../print/table.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const sessionUsageCommand = defineCommand({
  program: 'agh',
  name: 'session usage',
  about: 'Show the tokens that each turn of a session used',
  args: { session: { about: 'Session id', required: true } },
  options: OUTPUT_OPTIONS,
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<{ usage: TurnUsage[] }>(sessionPath(args.session, '/usage'))
    if (format === 'jsonl') return void io.printLines(answer.usage.map((turn) => JSON.stringify(turn)))
    if (format === 'human' && answer.usage.length === 0) return void io.note('The agent told of no tokens.')
    printOne(io, format, answer, () => renderTable(COLUMNS, answer.usage, { width: io.width() }))
  },
})

const tokens = (name: keyof TurnTokens) => (turn: TurnUsage) => String(tokensOf(turn.usage)?.[name] ?? '')

const COLUMNS: Column<TurnUsage>[] = [
  { title: 'TURN', text: ({ turn_id }) => turn_id },
  { title: 'INPUT', text: tokens('input'), align: 'right' },
  { title: 'OUTPUT', text: tokens('output'), align: 'right' },
  { title: 'CACHE READ', text: tokens('cache_read'), align: 'right', drop: 2 },
  { title: 'CACHE WRITE', text: tokens('cache_write'), align: 'right', drop: 1 },
]
