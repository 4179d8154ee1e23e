// `ao session turns` and `ao session rewind`: the files of a session as they were before one of its turns.
import { AoError } from '../../../contract/errors.ts'
import { rewoundLines } from '../../../core/session/rewound-lines.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { localMinute } from '../../print/local-time.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { withProgress } from '../../print/progress.ts'
import { renderTable } from '../../print/table.ts'
import { openAo } from '../open-ao.ts'

export const sessionTurnsCommand = defineCommand({
  name: 'session turns',
  about: 'List the turns of a session that its files can be taken back to',
  details:
    "Before each message that ao delivers, the session's files are saved, without ignored ones. Typing into its terminal is not a turn. Sessions in places have none.",
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: { json: JSON_OPTION },
  json: '{ sessionId, turns: [{ turn, at, text, source, messageId, commit, why, left }] }; commit null: not saved, or no longer there',
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    const turns = await manager.turns(args.session)
    if (options.json) return void io.json({ sessionId: args.session, turns })
    if (turns.length === 0) return void io.note(`No turn of ${args.session} was saved yet.`)
    const columns = [
      { title: 'TURN', text: ({ turn }: (typeof turns)[number]) => String(turn), align: 'right' as const },
      { title: 'AT', text: ({ at }: (typeof turns)[number]) => localMinute(at), drop: 1 },
      { title: 'FROM', text: ({ source }: (typeof turns)[number]) => source, drop: 2 },
      { title: 'FILES', text: filesOf, min: 8 },
      { title: 'BEGINS WITH', text: ({ text }: (typeof turns)[number]) => toOneLine(text), min: 20 },
    ]
    io.printLines(renderTable(columns, turns, { width: io.width() }))
  },
})

function filesOf({ commit, why, left }: { commit: string | null; why: string | null; left: number }): string {
  if (commit === null) return `not saved: ${toOneLine(why ?? '')}`
  return left === 0 ? 'saved' : `saved, without ${left}`
}

export const sessionRewindCommand = defineCommand({
  name: 'session rewind',
  about: 'Take a session back to before a turn: its files, and its conversation where its agent can',
  details:
    'Everything that is there now is saved first, as a turn of its own; ignored files stay. Claude Code, Codex, Gemini CLI, Qwen Code and pi in a terminal continue with a copy of their conversation until then; the output says why where that is not possible. Refused while the agent is in a turn.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: {
    to: { value: 'turn', about: 'Number of the turn, as in ao session turns' },
    'files-only': { about: 'Leave the conversation as it is' },
    json: JSON_OPTION,
  },
  examples: [{ line: 'ao session rewind app-3 --to 2', about: 'Before its second turn' }],
  json: "{ sessionId, turn, saved, notice, conversation: 'back' | 'next-start' | 'kept', keptBecause }; saved: the turn that keeps what was there before",
  async run({ args, options }, io) {
    const to = wholeNumber('--to', options.to)
    if (to === undefined)
      throw new AoError('USAGE', 'To which turn?', { hint: `See its turns with: ao session turns ${args.session}` })
    const { manager } = await openAo(io)
    const rewound = await withProgress(io, 'The rewind was interrupted; the next command finishes it', () =>
      manager.rewind(args.session, { to, filesOnly: options['files-only'] }),
    )
    if (options.json) return void io.json(rewound)
    const { turn, saved, keptBecause } = rewound
    io.print(`${io.style.green('rewound')} the files of ${io.style.bold(args.session)} to turn ${turn}`)
    for (const line of rewoundLines(rewound)) io.print(`  ${toOneLine(line)}`)
    const how = keptBecause === null ? '' : ' --files-only'
    io.print(`  Undo with: ao session rewind ${args.session} --to ${saved}${how}`)
  },
})
