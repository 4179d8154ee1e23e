// `agh session wake`: wake an idle session with its agent's HEARTBEAT.md, if it is eligible.
import type { WakeReport } from '../../contract/agh/heartbeat.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const sessionWakeCommand = defineCommand({
  program: 'agh',
  name: 'session wake',
  about: "Wake an idle session with its agent's HEARTBEAT.md, if it is eligible",
  details: 'The exit code is 0 when it was woken (or would be), else 5.',
  args: { session: { about: 'Session id', required: true } },
  options: { 'dry-run': { about: 'Only say what would be done' }, ...OUTPUT_OPTIONS },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const path = sessionPath(args.session, `/wake?dry_run=${options['dry-run']}`)
    const answer = await openAgh(io).call<{ wake: WakeReport }>(path, { method: 'POST' })
    const { result, reason } = answer.wake
    printOne(io, format, answer, () => [`${result}  ${reason}`])
    return result === 'sent' ? 0 : 5
  },
})
