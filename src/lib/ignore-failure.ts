// The one way to let an error pass: say why it does not matter, and it can still be read at debug level.
import { errorText } from '../contract/errors.ts'
import type { Log } from './log.ts'

export async function ignoreFailure(why: string, log: Log, action: () => Promise<unknown> | unknown): Promise<void> {
  try {
    await action()
  } catch (error) {
    log.debug(`${why}: ${errorText(error)}`)
  }
}
