// `agh observe health`: one look at everything: what runs, what it does, what failed.
import type { SessionFailure } from '../../contract/agh/session-meta.ts'
import { defineCommand } from '../command.ts'
import { toOneLine } from '../print/plain-text.ts'
import { openAgh } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

interface Observed {
  status: string
  active_sessions: number
  total_sessions: number
  sessions: Array<{ session_id: string; state: string; health: string }>
  failures: Array<{ session_id: string; failure: SessionFailure }>
}

export const observeHealthCommand = defineCommand({
  program: 'agh',
  name: 'observe health',
  about: 'One look at everything: what runs, what it does, what failed',
  details: 'The exit code is 1 when something that runs is not well.',
  args: {},
  options: OUTPUT_OPTIONS,
  async run({ options }, io) {
    const format = outputFormat(options)
    const answer = await openAgh(io).call<Observed>('/api/observe/health')
    printOne(io, format, answer, () => [
      `${answer.status}  ${answer.active_sessions} of ${answer.total_sessions} sessions active`,
      ...answer.sessions.map(({ session_id, state, health }) => `  ${session_id}  ${state}  ${health}`),
      ...answer.failures.map(({ session_id, failure }) =>
        toOneLine(`  ${session_id}  failed  ${failure.kind}: ${failure.summary}`),
      ),
    ])
    return answer.status === 'ok' ? 0 : 1
  },
})
