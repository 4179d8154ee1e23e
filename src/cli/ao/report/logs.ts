// `ao logs`: what the loop of `ao start` says, and with --follow what it says from now on.

import { statSync } from 'node:fs'
import { openConfig } from '../../../config/load-config-cached.ts'
import { AoError } from '../../../contract/errors.ts'
import { readIfThere, readSince, readTail } from '../../../lib/plain-file.ts'
import { readRunState, runFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import { wholeNumber } from '../../arguments/whole-number.ts'
import { defineCommand } from '../../command.ts'
import type { Io } from '../../print/io.ts'

const DEFAULT_COUNT = 100
const MOST_BYTES = 1024 * 1024
const POLL_MS = 250

export const logsCommand = defineCommand({
  name: 'logs',
  about: 'Show the log of ao start, and follow it',
  details: 'What happened to sessions is in: ao events.',
  options: {
    follow: { short: 'f', about: 'Keep printing new lines' },
    last: { short: 'n', value: 'count', about: `Maximum number of lines (default ${DEFAULT_COUNT})` },
  },
  async run({ options }, io) {
    const last = wholeNumber('--last', options.last) ?? DEFAULT_COUNT
    const { configPath } = await openConfig(io)
    const files = runFiles(createPaths({ configPath, home: io.home, env: io.env }))
    const file = readRunState(files)?.log ?? files.log
    if (readIfThere(file, { maxBytes: Number.POSITIVE_INFINITY }) === null) {
      throw new AoError('USAGE', `There is no log of ${configPath} yet`, { hint: 'Start the loop with: ao start' })
    }
    let size = sizeOf(file)
    const lines = readTail(file, MOST_BYTES).toString('utf8').split('\n').slice(0, -1)
    io.printLines(lines.slice(Math.max(0, lines.length - last)))
    if (!options.follow) return
    const poll = setInterval(() => {
      const now = sizeOf(file)
      // The loop keeps its log short: what is left begins anew.
      if (now < size) size = 0
      if (now === size) return
      io.write(readSince(file, size, MOST_BYTES))
      size = now
    }, POLL_MS)
    await untilEnd(io)
    clearInterval(poll)
  },
})

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function untilEnd(io: Io): Promise<void> {
  return new Promise((resolve) => {
    io.stopped.addEventListener('abort', () => resolve(), { once: true })
    io.onInterrupt(resolve)
  })
}
