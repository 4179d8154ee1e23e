// `agh session repair`: end what a crash left open in the history.
import type { RepairReport } from '../../contract/agh/api.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const sessionRepairCommand = defineCommand({
  program: 'agh',
  name: 'session repair',
  about: 'End what a crash left open in the history',
  args: { session: { about: 'Session id', required: true } },
  options: { 'dry-run': { about: 'Only say what would be done' }, ...OUTPUT_OPTIONS },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const path = sessionPath(args.session, `/repair?dry_run=${options['dry-run']}`)
    const answer = await openAgh(io).call<{ repair: RepairReport }>(path, { method: 'POST' })
    const { issues, actions, persisted } = answer.repair
    printOne(io, format, answer, () => [
      ...issues.map(({ severity, code, detail }) => `${severity}  ${code}: ${detail}`),
      ...actions.map(({ code, turn_id, tool_call_id }) =>
        `${persisted ? 'did' : 'would'}  ${code} ${turn_id} ${tool_call_id ?? ''}`.trimEnd(),
      ),
    ])
  },
})
