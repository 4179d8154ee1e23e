// What people have allowed for a whole session, and its revocation.
import type { Column } from '../../print/table.ts'
import { aghCommand, SESSION_ARGUMENT } from '../agh-command.ts'

const COLUMNS: Column<{ id: string; rule: string }>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'RULE', text: ({ rule }) => rule, min: 20 },
]

export const sessionRulesCommand = aghCommand({
  name: 'session rules',
  about: 'List or revoke permissions that hold for the whole session',
  details: 'An agent that was answered with always may remember that itself; agh revokes only what it allows itself.',
  args: { session: SESSION_ARGUMENT },
  options: { revoke: { value: 'rule', about: 'Revoke this one: agh asks again' } },
  async run({ args, options, agh, showTable }) {
    const params = { id: args.session }
    const answer =
      options.revoke === undefined
        ? await agh.call('GET /api/sessions/:id/rules', { params })
        : await agh.call('DELETE /api/sessions/:id/rules/:rule', { params: { ...params, rule: options.revoke } })
    showTable({
      whole: answer,
      rows: answer.rules,
      columns: COLUMNS,
      empty: 'Nothing was allowed for the whole session.',
    })
    return 0
  },
})
