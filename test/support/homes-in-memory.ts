// Before the first test of a run: where the homes of tests are. In memory if there is room: they sync hundreds of thousands of
// small files, which keeps a disk busy and proves nothing, because no test cuts the power.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ROOM_BYTES = 3 * 1024 ** 3

export default function homesInMemory(): void {
  if (process.env.AO_TEST_HOMES === undefined && hasRoom() && startsPrograms()) process.env.AO_TEST_HOMES = MEMORY
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > ROOM_BYTES && process.availableMemory() > 2 * ROOM_BYTES
  } catch {
    // Not on this system.
    return false
  }
}

/** Not in most containers, where it is mounted with `noexec`. */
function startsPrograms(): boolean {
  try {
    const directory = mkdtempSync(join(MEMORY, 'aot-'))
    const program = join(directory, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    const { status } = spawnSync(program)
    rmSync(directory, { recursive: true })
    return status === 0
  } catch {
    // It cannot be written.
    return false
  }
}
