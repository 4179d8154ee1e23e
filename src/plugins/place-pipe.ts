// The pipes of an agent in a place, as a program: `place-pipe <stateDir> <spawnId>`. To agh it is the agent, so it also ends as the
// agent did: agh would take the number of a signal for an exit code.
import { constants } from 'node:os'
import { readExit } from '../host/launches.ts'
import { connectHost } from '../host/read.ts'
import { readLineSpec } from './place/home/line-files.ts'
import { runPipe } from './place/line/run-pipe.ts'

const [stateDir = '', spawnId = ''] = process.argv.slice(2)
const { stdin, stdout, stderr } = process
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())
for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => undefined)

const socket = readLineSpec(stateDir, spawnId)?.socket ?? ''
const { code, signal } = await runPipe(
  {
    connect: () => connectHost(socket),
    ended() {
      if (readLineSpec(stateDir, spawnId) === null) return { code: 1, why: 'its place was given back' }
      const exit = readExit(stateDir, spawnId)
      return exit && { code: exit.code ?? 1, why: `it ended in its place: ${exit.why ?? 'the end was recorded'}` }
    },
  },
  { stdin, stdout, stderr, stop: stop.signal },
)
/** The others may write a core file. */
const HARMLESS: readonly NodeJS.Signals[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP']
if (signal && HARMLESS.includes(signal)) {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
process.exit(code ?? (signal ? 128 + constants.signals[signal] : 1))
