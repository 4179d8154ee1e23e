// `agh daemon stop`: stop the daemon and all its sessions.
import { stopDaemon } from '../../agh/daemon/start-daemon.ts'
import { aghPaths } from '../../agh/paths.ts'
import { defineCommand } from '../command.ts'
import { OUTPUT_OPTIONS, outputFormat, printOne } from './output.ts'

export const daemonStopCommand = defineCommand({
  program: 'agh',
  name: 'daemon stop',
  about: 'Stop the daemon and all its sessions',
  args: {},
  options: OUTPUT_OPTIONS,
  async run({ options }, io) {
    const format = outputFormat(options)
    const stopped = await stopDaemon(aghPaths(io.env, io.home))
    printOne(io, format, { status: 'stopped', was_running: stopped }, () => [stopped ? 'stopped' : 'it did not run'])
  },
})
