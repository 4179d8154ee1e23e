// A message that the agent's input line does not take whole: its text goes into a file of the workspace in the place.
import { AoError, errorText } from '../../../contract/errors.ts'
import { shownName } from '../../../contract/ids.ts'
import { connectHost } from '../reach/reach-host.ts'
import { readLineSpec } from './line-files.ts'
import type { PlaceContext } from './place-context.ts'
import type { LaunchHandle } from './place-handle.ts'

/** Over a channel of its own: the line's is for the terminal. Writing the same message again replaces its file. */
export async function writeMessage(
  place: PlaceContext,
  { name, stateDir, spawnId }: LaunchHandle,
  message: { id: string; text: string },
): Promise<void> {
  const spec = readLineSpec(stateDir, spawnId)
  if (spec === null) throw refused(name, new Error('its place was given back'))
  const far = await connectHost(place.engine, spec).catch((error) => {
    throw refused(name, error)
  })
  try {
    await far.ask('POST /message', { body: message })
  } catch (error) {
    throw refused(name, error)
  } finally {
    far.close()
  }
}

function refused(name: string, error: unknown): AoError {
  const what = `The message to ${shownName(name)} is too long to be typed, and its place did not take it as a file`
  return new AoError('MESSAGE_REFUSED', `${what}: ${errorText(error)}`, {
    hint: 'Send it in shorter parts, or commit it as a file and send its name',
    cause: error,
  })
}
