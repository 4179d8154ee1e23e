// Home's side of gates in a place: sends the commit there, has commands run, and fetches their logs. A line that is cut is opened
// again and asked for the same command, which runs once; when that takes too long, the end is unknown.
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AoError, errorText } from '../../../contract/errors.ts'
import { checkGateEnd } from '../../../core/place/check-far-values.ts'
import { tryGitOn } from '../../../git/repository.ts'
import { writeFileAtomic } from '../../../lib/atomic-write.ts'
import { sleep } from '../../../lib/clock.ts'
import type { CheckEnd, FarCheckout, FarCheckoutRequest, FarCommand, GonePlace } from '../../../slots/far-checkout.ts'
import type { Far } from '../reach/far.ts'
import { statusOf } from '../reach/far.ts'
import { connectHost } from '../reach/reach-host.ts'
import { readAll } from '../wire.ts'
import { writePack } from '../work/pack.ts'
import { type LineSpec, readLineSpec } from './line-files.ts'
import type { PlaceContext } from './place-context.ts'
import type { LaunchHandle } from './place-handle.ts'

const CHECKOUT_MS = 600_000
/** For a line that is lost while a command runs. */
const LINE_BACK_MS = 60_000
const AGAIN_MS = 1_000
/** How much longer than its time limit a command may take to report its end. */
const EXTRA_MS = 60_000
const MOST_LOG_BYTES = 16 * 1024 * 1024

export async function openFarCheckout(
  place: PlaceContext,
  { stateDir, spawnId }: LaunchHandle,
  request: FarCheckoutRequest,
): Promise<FarCheckout | GonePlace> {
  const spec = readLineSpec(stateDir, spawnId)
  if (spec === null) return { gone: `its place ${place.name} was given back` }
  const connect = () => connectHost(place.engine, spec)
  let far: Far
  try {
    far = await connect()
  } catch (error) {
    const there = await place.engine.probe(spec.ref)
    if (there.state === 'gone') return { gone: `its place ${place.name} is gone: ${there.why}` }
    throw new AoError('PLACE_UNREACHABLE', `The place ${place.name} cannot be reached: ${errorText(error)}`, {
      cause: error,
    })
  }
  const id = randomUUID()
  try {
    await sendCommit(far, spec, request)
    await far.ask('POST /gates', { body: { id, commit: request.commit } }, { timeoutMs: CHECKOUT_MS })
  } catch (error) {
    far.close()
    throw error
  }
  return checkoutOf({ id, far, connect, request })
}

/** What the place lacks: the host's own repository has everything that was sent there before. */
async function sendCommit(far: Far, { home }: LineSpec, { repository, commit }: FarCheckoutRequest): Promise<void> {
  const haves: string[] = []
  for (const sent of home === null ? [] : [home.sent.head]) {
    const found = await tryGitOn(repository, ['cat-file', '-e', `${sent}^{commit}`], { read: true })
    if (found.ok) haves.push(sent)
  }
  const { pack, done } = writePack({ gitDir: repository.commonDir, env: repository.env }, { wants: [commit], haves })
  await Promise.all([far.send('POST /objects', pack), done])
}

interface Limits {
  /** Of performance.now(). */
  deadline: number
  signal: AbortSignal
}

interface Opened {
  id: string
  far: Far
  connect(): Promise<Far>
  request: FarCheckoutRequest
}

function checkoutOf({ id, far: first, connect, request }: Opened): FarCheckout {
  let far = first
  let next = 0
  /** Only what the host refuses is final; everything else may be the line. */
  const insist = async <T>(work: () => Promise<T>, { deadline, signal }: Limits): Promise<T> => {
    for (let lostAt: number | null = null; ; ) {
      try {
        return await work()
      } catch (error) {
        const now = performance.now()
        lostAt ??= now
        const isRefused = error instanceof AoError && error.code === 'PLACE_FAILED'
        if (isRefused || signal.aborted || now > deadline || now - lostAt > LINE_BACK_MS) throw error
      }
      await sleep(AGAIN_MS)
      far.close()
      const again = await connect().catch(() => null)
      if (again === null) continue
      far = again
      lostAt = null
    }
  }
  const runOnce = async (n: number, command: FarCommand, logFile: string): Promise<CheckEnd> => {
    const { name, run, timeoutMs } = command
    const ask = { id, n, command: { name, run, timeoutMs }, rule: request.rule }
    const answer = await far.ask('POST /gates/run', { body: ask }, { timeoutMs: timeoutMs + EXTRA_MS })
    const end = checkGateEnd(answer)
    if (end === null) throw new AoError('PLACE_FAILED', `The place did not say how ${name} ended`)
    const { logBytes, ...how } = end
    if (end.kind !== 'cancelled') await fetchLog(far, { id, n, logBytes }, logFile)
    return how
  }
  return {
    async run(command, { logFile, signal }) {
      const n = next++
      const stop = () => void far.ask('POST /gates/close', { body: { id } }).catch(() => undefined)
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) stop()
      try {
        const deadline = performance.now() + command.timeoutMs + 2 * EXTRA_MS
        const end = await insist(() => runOnce(n, command, logFile), { deadline, signal })
        if (end.kind !== 'cancelled' || signal.aborted) return end
        throw new AoError('PLACE_FAILED', `${command.name} was ended in its place before it was over`)
      } catch (error) {
        if (signal.aborted) return { kind: 'cancelled', exitCode: null, why: `${command.name} was cancelled` }
        throw error
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
    async close() {
      // The host ends it with the next run, or with the session.
      await far.ask('POST /gates/close', { body: { id } }).catch(() => undefined)
      far.close()
    },
  }
}

interface WantedLog {
  id: string
  n: number
  logBytes: number
}

async function fetchLog(far: Far, { id, n, logBytes }: WantedLog, file: string): Promise<void> {
  const stream = far.stream('GET /gates/log', { query: { id, n } })
  const status = await statusOf(stream)
  const bytes = await readAll(stream, MOST_LOG_BYTES)
  if (status !== 200 || bytes.length !== logBytes) {
    throw new AoError('PLACE_UNREACHABLE', 'The log of a gate did not arrive whole')
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, bytes, { isForeign: true })
}
