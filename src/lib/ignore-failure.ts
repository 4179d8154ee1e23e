// The one way to ignore an error: state why it does not matter; it is still logged at debug level.
import { errorText } from '../contract/errors.ts'
import type { Log } from './log.ts'

export async function ignoreFailure(why: string, log: Log, action: () => Promise<unknown> | unknown): Promise<void> {
  try {
    await action()
  } catch (error) {
    log.debug(`${why}: ${errorText(error)}`)
  }
}
