// `gh workflow list`: the checks of the configuration form one workflow.
import type { Io } from '../../cli/io.ts'
import { parseFlags, positiveNumber } from '../gh-flags.ts'
import { openGh } from '../open-gh.ts'

export const WORKFLOW = 'CI'
export const WORKFLOW_ID = 1

export async function workflowList(argv: readonly string[], io: Io): Promise<number> {
  const args = parseFlags(argv, { all: { short: 'a' }, limit: { short: 'L', value: true } }, { most: 0 })
  positiveNumber(args.value('limit'), 50, '--limit')
  const { forge } = await openGh(io, args)
  if (forge.options.ci.length > 0) io.print(`${WORKFLOW}\tactive\t${WORKFLOW_ID}`)
  return 0
}
