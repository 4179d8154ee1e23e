// What a ride leaves on disk for whoever asks how the train is getting on: its cars, who waits, and what it could not get past.
// They are for reports: no decision reads them, except that green cars are built in the same order again.
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AoError, errorText } from '../../contract/errors.ts'
import type { Car } from '../../core/landing/decide-train.ts'
import type { Waiting } from '../../core/landing/repair-line.ts'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'

/** Who waits until another one has landed or was repaired. */
export function writeWaiting(directory: string, waiting: readonly Waiting[]): void {
  const path = join(directory, 'line.json')
  const text = `${JSON.stringify(waiting)}\n`
  const before = readIfThere(path)
  if (before === text || (before === null && waiting.length === 0)) return
  writeFileAtomic(path, text, { durable: false })
}

export function readWaiting(directory: string): Waiting[] {
  return readList<Waiting>(join(directory, 'line.json'))
}

/** What keeps a ride from its end stands in the reports until one gets there. */
export async function withObstacle(
  { directory, signal }: { directory: string; signal: AbortSignal },
  ride: () => Promise<void>,
): Promise<void> {
  const write = (why: string | null) => {
    const path = join(directory, 'obstacle.json')
    const text = `${JSON.stringify({ why })}\n`
    const before = readIfThere(path)
    if (before === text || (before === null && why === null)) return
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    writeFileAtomic(path, text, { durable: false })
  }
  try {
    await ride()
    write(null)
  } catch (error) {
    if (!signal.aborted) write(obstacleText(error))
    throw error
  }
}

/** With the command for a lock that git has left: only a person can say that it is nobody's. */
export function obstacleText(error: unknown): string {
  const isLock = error instanceof AoError && error.details.lock !== undefined
  return isLock ? `${errorText(error)}. ${error.hint}` : errorText(error)
}

export function readObstacle(directory: string): string | null {
  try {
    const { why } = JSON.parse(readIfThere(join(directory, 'obstacle.json')) ?? '{}') as { why?: unknown }
    return typeof why === 'string' ? why : null
  } catch {
    // The next ride replaces it.
    return null
  }
}

/** In words; null: it does not wait with this head. */
export function whyWaiting(directory: string, { pull, headSha }: { pull: number; headSha: string }): string | null {
  const found = readWaiting(directory).find((one) => one.pull === pull)
  if (found?.headSha !== headSha) return null
  const others = found.behind.map((one) => `#${one}`).join(', ')
  return `it conflicts, and is asked to rebase once ${others} landed or gave up`
}

/** A car with what people should know of it. */
export interface ReportedCar extends Car {
  changedChecks?: string[] | undefined
}

/** The cars of the running train: for reports, and so that green ones are built in the same order again. */
export function writeCars(directory: string, cars: readonly ReportedCar[]): void {
  const text = `${JSON.stringify(cars)}\n`
  // Nothing has ever boarded.
  if (cars.length === 0 && !existsSync(directory)) return
  if (readIfThere(join(directory, 'cars.json')) !== text)
    writeFileAtomic(join(directory, 'cars.json'), text, { durable: false })
}

export function readCars(directory: string): ReportedCar[] {
  return readList<ReportedCar>(join(directory, 'cars.json'))
}

function readList<T>(path: string): T[] {
  try {
    const list: unknown = JSON.parse(readIfThere(path) ?? '[]')
    return Array.isArray(list) ? (list as T[]) : []
  } catch {
    // The next step of the train replaces it.
    return []
  }
}
