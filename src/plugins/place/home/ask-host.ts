// What home asks of a session's host over a channel of its own: the line's is for the terminal.
import type { Attachment } from '../../../contract/agh/attachment.ts'
import { AoError, errorText } from '../../../contract/errors.ts'
import { shownName } from '../../../contract/ids.ts'
import type { Far } from '../reach/far.ts'
import { connectHost } from '../reach/reach-host.ts'
import { readLineSpec } from './line-files.ts'
import type { PlaceContext } from './place-context.ts'
import type { LaunchHandle } from './place-handle.ts'

/** A message that the agent's input line does not take whole goes into a file of its workspace. The same one again replaces it. */
export async function writeMessage(
  place: PlaceContext,
  handle: LaunchHandle,
  message: { id: string; text: string },
): Promise<void> {
  try {
    await askHost(place, handle, (far) => far.ask('POST /message', { body: message }))
  } catch (error) {
    const what = `The message to ${shownName(handle.name)} is too long to be typed, and its place did not take it as a file`
    throw new AoError('MESSAGE_REFUSED', `${what}: ${errorText(error)}`, {
      hint: 'Send it in shorter parts, or commit it as a file and send its name',
      cause: error,
    })
  }
}

/** A host of an earlier version has no such route, and takes none. */
export async function writeAttachment(
  place: PlaceContext,
  handle: LaunchHandle,
  { sha256, name }: Attachment,
  bytes: Buffer,
): Promise<void> {
  const body = { sha256, name, data: bytes.toString('base64') }
  try {
    await askHost(place, handle, (far) => far.ask('POST /attachment', { body }))
  } catch (error) {
    const what = `${name} goes along with the message to ${shownName(handle.name)}, and its place did not take it`
    throw new AoError('MESSAGE_REFUSED', `${what}: ${errorText(error)}`, {
      hint: 'Commit it as a file and send its name; a host of an earlier version is replaced with: ao session restore',
      cause: error,
    })
  }
}

const STOPPED_MS = 5_000

/** Throws for a host of an earlier version, which has no such route. */
export async function setStopped(place: PlaceContext, handle: LaunchHandle, stopped: boolean): Promise<void> {
  await askHost(place, handle, (far) => far.ask('POST /stopped', { body: { stopped } }, { timeoutMs: STOPPED_MS }))
}

async function askHost(
  place: PlaceContext,
  { stateDir, spawnId }: LaunchHandle,
  ask: (far: Far) => Promise<unknown>,
): Promise<void> {
  const spec = readLineSpec(stateDir, spawnId)
  if (spec === null) throw new Error('its place was given back')
  const far = await connectHost(place.engine, spec)
  try {
    await ask(far)
  } finally {
    far.close()
  }
}
