// The pipes of an agent in a place, as a program: `place-pipe <stateDir> <spawnId>`. To agh it is the agent.
import { connectHost } from '../agent-host/read-host.ts'
import { readLineSpec } from './place/home/line-files.ts'
import { runPipe } from './place/pipe/run-pipe.ts'
import { readExit } from './runtime-process/host/host-files.ts'

const [stateDir = '', spawnId = ''] = process.argv.slice(2)
const { stdin, stdout, stderr } = process
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())
for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => undefined)

const socket = readLineSpec(stateDir, spawnId)?.socket ?? ''
process.exitCode = await runPipe(
  {
    connect: () => connectHost(socket),
    ended() {
      if (readLineSpec(stateDir, spawnId) === null) return { code: 1, why: 'its place was given back' }
      const exit = readExit(stateDir, spawnId)
      return exit && { code: exit.exitCode ?? 1, why: `it ended in its place: ${exit.why ?? 'the end was recorded'}` }
    },
  },
  { stdin, stdout, stderr, stop: stop.signal },
)
process.exit()
