// `agh session wait`: until a session is idle or stopped. The exit code says how it went.
import type { SessionView } from '../../contract/agh/api.ts'
import { AoError } from '../../contract/errors.ts'
import { defineCommand } from '../command.ts'
import { openAgh, sessionPath } from './open-agh.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'
import { readTime } from './read-time.ts'
import { sessionLines } from './session-lines.ts'

const LOOK_EVERY_MS = 100

export const sessionWaitCommand = defineCommand({
  program: 'agh',
  name: 'session wait',
  about: 'Wait until a session is stopped or idle',
  details:
    'The exit code is 0; 1 when the session has failed, or stopped while idle was waited for; 3 when the time is over.',
  args: { session: { about: 'Session id', required: true } },
  options: {
    until: { short: 'u', value: 'state', about: 'stopped (default) or idle', completes: ['stopped', 'idle'] },
    timeout: { value: 'time', about: 'Give up after this, such as 30s or 10m' },
    ...OUTPUT_OPTIONS,
  },
  async run({ args, options }, io) {
    const format = outputFormat(options)
    const until = options.until ?? 'stopped'
    if (until !== 'stopped' && until !== 'idle') {
      throw new AoError('USAGE', `--until takes stopped or idle, not ${until}`, {
        hint: 'See: agh session wait --help',
      })
    }
    const limit = options.timeout === undefined ? Number.POSITIVE_INFINITY : readTime('--timeout', options.timeout)
    const agh = openAgh(io)
    for (const began = performance.now(); ; await sleep()) {
      const answer = await agh.call<{ session: SessionView }>(sessionPath(args.session))
      const { state, health } = answer.session
      if (state === 'stopped' || (until === 'idle' && health.state === 'idle')) {
        printOne(io, format, answer, () => sessionLines(io, answer.session))
        return answer.session.failure || (until === 'idle' && state === 'stopped') ? 1 : 0
      }
      if (performance.now() - began > limit) {
        throw new AoError('TIMEOUT', `Session ${args.session} is still ${health.state} after ${options.timeout}`)
      }
    }
  },
})

function sleep(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
}
