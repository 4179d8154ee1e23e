// `ao session rules`: what an agent may do without asking, because somebody answered always.
import type { StandingRule } from '../../../contract/dashboard/rules.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { type Column, renderTable } from '../../print/table.ts'
import { openAo } from '../open-ao.ts'

const COLUMNS: Column<StandingRule>[] = [
  { title: 'ID', text: ({ id }) => id ?? '-' },
  { title: 'EFFECT', text: ({ effect }) => effect },
  { title: 'KEPT BY', text: ({ keptBy, file }) => (file === null ? keptBy : `${keptBy}: ${file}`), min: 10 },
  { title: 'RULE', text: ({ rule }) => toOneLine(rule), min: 20 },
]

export const sessionRulesCommand = defineCommand({
  name: 'session rules',
  about: 'List standing permissions ("always allow")',
  details:
    'Rules with an id are kept by agh. The others are kept by the agent itself; ao says for each how to revoke it.',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: { revoke: { value: 'id', about: 'Revoke this rule; the agent asks again' }, json: JSON_OPTION },
  json: '{ sessionId, rules: [{ id, effect, rule, keptBy, file, since, how }], problems: [text] }',
  async run({ args, options }, io) {
    const { manager } = await openAo(io)
    if (options.revoke !== undefined) {
      await manager.revokeRule(args.session, options.revoke)
      io.note(`revoked: ${options.revoke}. What the agent remembers itself is not revoked; it is listed below.`)
    }
    const { rules, problems } = await manager.standingRules(args.session)
    if (options.json) return void io.json({ sessionId: args.session, rules, problems })
    for (const problem of problems) io.note(`${io.noteStyle.yellow('not read')}: ${problem}`)
    if (rules.length === 0) return void io.note(`No standing rule of ${args.session} is known.`)
    io.printLines(renderTable(COLUMNS, rules, { width: io.width() }))
    for (const how of new Set(rules.filter(({ id }) => id === null).map((one) => one.how))) io.note(how)
  },
})
