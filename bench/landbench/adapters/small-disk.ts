// A disk of its own for an orchestrator's files, so that it can be full while the log of the bench is written. Needs root.
import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const MEGABYTES = 64
const FULL_SECONDS = 10

export function mountSmallDisk(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m,mode=0700`, 'landbench', path])
}

export function unmountSmallDisk(path: string): void {
  execFileSync('umount', ['--lazy', path])
}

/** Full to the last byte for a while, then as before. */
export async function fillForAWhile(path: string): Promise<void> {
  const filler = join(path, '.landbench-filler')
  const file = openSync(filler, 'w')
  try {
    for (let size = 1 << 20; size >= 1; size = size > 1 ? Math.floor(size / 16) : 0) {
      const chunk = Buffer.alloc(size)
      try {
        while (writeSync(file, chunk) === size);
      } catch {
        // Full for a piece of this size; smaller ones may still fit.
      }
    }
    await pause(FULL_SECONDS * 1000)
  } finally {
    closeSync(file)
    rmSync(filler)
  }
}
