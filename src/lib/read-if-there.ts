// The text of a file, or null when there is none. Every other failure is one.
import { readFileSync } from 'node:fs'

export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
