// Loads a part of the page's own code. One lost request does not break it for good: it is retried until the server answers,
// and a part that a newer version no longer has comes with a reload of the whole page.
import { ask } from './client.ts'
import { RequestError } from './request-error.ts'

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5_000
/** A second failure within this time is not an accident: it is shown. */
const RELOAD_MS = 60_000
const KEY = 'ao.reloaded'

export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await load()
    } catch (error) {
      if (await serverAnswers()) return loadOrReload(load, error)
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
}

async function loadOrReload<T>(load: () => Promise<T>, error: unknown): Promise<T> {
  try {
    return await load()
  } catch {
    // Browsers may remember a failed module for the life of the page.
    if (Date.now() - Number(sessionStorage.getItem(KEY) ?? 0) < RELOAD_MS) throw error
    sessionStorage.setItem(KEY, String(Date.now()))
    location.reload()
    return new Promise(() => undefined)
  }
}

async function serverAnswers(): Promise<boolean> {
  try {
    await ask('GET /api/access')
    return true
  } catch (error) {
    return error instanceof RequestError && error.status > 0
  }
}
