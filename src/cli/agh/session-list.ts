// `agh session list`: list the sessions that are not stopped, or all.
import type { SessionView } from '../../contract/agh/api.ts'
import { formatAge } from '../../core/text/format-age.ts'
import { defineCommand } from '../command.ts'
import type { Io } from '../io.ts'
import { type Column, renderTable } from '../print/table.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat } from './output.ts'

export const sessionListCommand = defineCommand({
  program: 'agh',
  name: 'session list',
  about: 'List the sessions that are not stopped, or all',
  args: {},
  options: { all: { short: 'a', about: 'Stopped ones too' }, ...OUTPUT_OPTIONS },
  async run({ options }, io) {
    const format = outputFormat(options)
    const { sessions: shown } = await openAgh(io).call<{ sessions: SessionView[] }>(
      options.all ? '/api/sessions' : '/api/sessions?stopped=false',
    )
    if (format === 'json') return void io.json(shown)
    if (format === 'jsonl') return void io.printLines(shown.map((session) => JSON.stringify(session)))
    if (shown.length === 0)
      io.note(options.all ? 'There is no session yet.' : 'No session runs. All of them: agh session list --all')
    else io.printLines(renderTable(columns(io), shown, { width: io.width() }))
  },
})

function columns(io: Io): Column<SessionView>[] {
  return [
    { title: 'ID', text: ({ id }) => id },
    { title: 'NAME', text: ({ name }) => name ?? '', min: 8, drop: 2 },
    { title: 'TYPE', text: ({ type }) => (type === 'user' ? '' : type), drop: 4 },
    { title: 'AGENT', text: ({ agent_name }) => agent_name, drop: 3 },
    { title: 'STATE', text: ({ state, health }) => (state === 'active' ? health.state : state) },
    {
      title: 'ENDED',
      text: ({ stop_reason, failure }) => [stop_reason, failure?.kind].filter(Boolean).join(', '),
      min: 8,
    },
    { title: 'WORKSPACE', text: ({ workspace_path }) => workspace_path, min: 10, drop: 1 },
    { title: 'CHANGED', text: ({ updated_at }) => formatAge(new Date(updated_at), io.clock.now()), align: 'right' },
  ]
}
