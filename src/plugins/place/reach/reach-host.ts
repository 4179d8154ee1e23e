// Starts the host in a place and opens a line to it; also again, when a host was killed and its work has to be saved.
import { createHash } from 'node:crypto'
import { AoError } from '../../../contract/errors.ts'
import type { PlaceEngine, StartedPlace } from '../../../slots/place.ts'
import { type Far, openFar } from './far.ts'
import type { InstalledHost } from './install-host.ts'
import { runThere } from './run-there.ts'

export function sessionDirectory(directory: string, launch: { name: string; spawnId: string }): string {
  return `${directory}/s/${placeKey(launch)}`
}

/** The name of a session's directory there. */
export function placeKey({ name, spawnId }: { name: string; spawnId: string }): string {
  return createHash('sha256').update(`${name} ${spawnId}`).digest('hex').slice(0, 16)
}

/** `$1`: directory. `$2`: what it is for. The rest: argv of the host's program. */
const START = `umask 077
d=$1; mkdir -p "$d" && printf '%s' "$2" > "$d/place.json" && rm -f "$d/host.id" || exit 1
shift 2
"$@" serve "$d" </dev/null >"$d/host.log" 2>&1 &
p=$!; i=0
while [ ! -s "$d/host.id" ]; do
  i=$((i+1))
  if [ $i -gt 200 ] || ! kill -0 $p 2>/dev/null; then tail -n 5 "$d/host.log" >&2; exit 1; fi
  sleep 0.1 2>/dev/null || sleep 1
done`

export type HostPlace = InstalledHost & StartedPlace

export async function startHostThere(engine: PlaceEngine, place: HostPlace): Promise<void> {
  const { ref, host, directory, name, spawnId } = place
  const note = JSON.stringify({ name, spawnId })
  const command = [...(engine.outlasting?.(ref) ?? []), ...host]
  const started = await runThere(await engine.channel(ref, ['sh', '-c', START, 'sh', directory, note, ...command]))
  if (started.ok) return
  throw new AoError('PLACE_FAILED', `The host did not start in the place: ${started.stderr || 'no reason was given'}`)
}

export async function connectHost(
  engine: PlaceEngine,
  { ref, host, connect = [...host, 'connect'], directory }: Omit<HostPlace, 'name' | 'spawnId'>,
): Promise<Far> {
  return openFar(await engine.channel(ref, [...connect, directory]))
}

/** Exit code of `connect` when nothing listens. */
const NO_HOST = 3

export function hasNoHost(error: unknown): boolean {
  return error instanceof AoError && error.details?.exitCode === NO_HOST
}

/** The line to the session's host; a host that was killed is started again, without an agent. */
export async function reachHost(engine: PlaceEngine, place: HostPlace): Promise<Far> {
  try {
    return await connectHost(engine, place)
  } catch (error) {
    if (!hasNoHost(error)) throw error
    await startHostThere(engine, place)
    return connectHost(engine, place)
  }
}
