// npm run walk: the four flows against their budgets. With names of flows, as in npm run walk -- approve: their files in order, and
// where each was entered from; `<` is a return.
import { overBudget, readBudgets, wellBelow } from './budget.ts'
import { FLOWS, type Flow, recordFlows } from './flows.ts'

const walks = await recordFlows()
const budgets = readBudgets()
for (const flow of Object.keys(FLOWS) as Flow[]) {
  const { files, returns, visits } = walks[flow]
  const of = budgets[flow]
  console.log(`${flow.padEnd(8)} ${files} files of ${of.files}, ${returns} returns of ${of.returns}  (${FLOWS[flow]})`)
  if (!process.argv.includes(flow)) continue
  for (const { file, from, functions, isReturn } of visits) {
    const called = from === file ? '' : `  from ${from ?? 'an event'}`
    console.log(`  ${isReturn ? '<' : ' '} ${file}  ${functions.join(' ')}${called}`)
  }
}
for (const line of wellBelow(walks, budgets)) console.log(`well below: ${line}`)
const over = overBudget(walks, budgets)
for (const line of over) console.error(`over budget: ${line}`)
process.exitCode = over.length === 0 ? 0 : 1
