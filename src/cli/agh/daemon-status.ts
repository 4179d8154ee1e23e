// `agh daemon status`: say whether the daemon runs, and where.
import { daemonStatus } from '../../agh/daemon/start-daemon.ts'
import { aghPaths } from '../../agh/paths.ts'
import { defineCommand } from '../command.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const daemonStatusCommand = defineCommand({
  program: 'agh',
  name: 'daemon status',
  about: 'Say whether the daemon runs, and where',
  args: {},
  options: OUTPUT_OPTIONS,
  async run({ options }, io) {
    const format = outputFormat(options)
    const status = await daemonStatus(aghPaths(io.env, io.home))
    printOne(io, format, status ?? { status: 'stopped' }, () =>
      status
        ? [
            `running  pid ${status.pid}  ${status.http}  ${status.active_sessions} of ${status.total_sessions} sessions active`,
          ]
        : ['stopped'],
    )
    return status ? 0 : 1
  },
})
