// `ao session budget`: what one session may cost.

import { parseAmount } from '../../../contract/budget.ts'
import { AoError } from '../../../contract/errors.ts'
import { recordOf } from '../../../contract/record.ts'
import type { SendReceipt } from '../../../contract/session.ts'
import { resolveBudget, usd } from '../../../core/budget/find-over-budget.ts'
import { spentOf } from '../../../core/status/spent.ts'
import { raiseBudget } from '../../../manager/attend/raise-budget.ts'
import { requireSession } from '../../../manager/observe/require-session.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

export const sessionBudgetCommand = defineCommand({
  name: 'session budget',
  about: 'Show or set the budget of a session',
  details:
    'Without an amount it shows the spending and the limit. At the limit, `budget.action` decides: notify, pause or stop.',
  args: {
    session: { about: 'Session id', required: true, completes: 'session' },
    amount: { about: 'In US dollars, such as 10 or "10 USD"' },
  },
  options: {
    reset: { about: 'Go back to the configured budget' },
    continue: { about: 'With an amount: let the agent continue, restored if it was ended' },
    json: JSON_OPTION,
  },
  examples: [{ line: 'ao session budget app-3 10 --continue', about: 'The same, and it carries on' }],
  json: '{ sessionId, spentUsd: number or null, limitUsd: number or null, own: boolean, receipt?: { level, why? } }',
  async run({ args, options }, io) {
    const amount = args.amount === undefined ? null : parseAmount(args.amount)
    if (args.amount !== undefined && amount === null)
      throw new AoError('USAGE', `${args.amount} is not an amount of money`, {
        hint: `ao session budget ${args.session} 10`,
      })
    if (amount !== null && options.reset) throw new AoError('USAGE', '--reset takes no amount')
    if (options.continue && amount === null) throw new AoError('USAGE', '--continue needs an amount')
    const ao = await openAo(io)
    let receipt: SendReceipt | null = null
    if (options.continue) receipt = await raiseBudget(ao.manager, args.session, amount!)
    else if (amount !== null || options.reset) await ao.manager.setBudget(args.session, amount)
    const session = await requireSession(ao.context, args.session)
    const { budgetUsd } = recordOf(session)
    const project = ao.config.projects[session.projectId]
    const { sessionUsd: limitUsd } = resolveBudget(ao.config.budget, project?.budget, budgetUsd)
    const spentUsd = spentOf(session)?.costUsd ?? null
    const own = budgetUsd !== undefined
    if (options.json)
      return void io.json({ sessionId: session.id, spentUsd, limitUsd, own, ...(receipt && { receipt }) })
    const spent = spentUsd === null ? 'an unknown amount' : usd(spentUsd)
    io.print(
      `${session.id} has used ${spent}; ${limitUsd === null ? 'it has no limit' : `it may use ${usd(limitUsd)}`}`,
    )
    if (receipt)
      io.print(`  asked to continue: ${receipt.level.replace('_', ' ')}${receipt.why ? `, ${receipt.why}` : ''}`)
  },
})
