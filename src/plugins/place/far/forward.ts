// A command in a place that home answers: its words and stdin go there, output and exit code come back.

import { connect } from 'node:http2'
import { createConnection } from 'node:net'
import { errorText } from '../../../contract/errors.ts'
import { fileInPlace } from '../../../core/boundary/gh-request.ts'
import type { AskTool } from '../../../core/place/check-far-values.ts'
import { aoFileInPlace } from '../../../core/place/forwarded-ao.ts'
import { readBytes } from '../../../lib/plain-file.ts'
import { askFrame } from '../far-contract.ts'
import { readJsonLines, writeJsonLine } from '../wire.ts'

const NOTICE_MS = 10_000

/** Resolves with the exit code. */
export async function forward(socket: string, tool: AskTool, argv: string[]): Promise<number> {
  let input: Buffer | null
  try {
    input = inputOf(tool, argv)
  } catch (error) {
    console.error(`ao: the file with the text could not be read: ${errorText(error)}`)
    return 1
  }
  const session = connect('http://host', { createConnection: () => createConnection(socket) })
  session.on('error', () => undefined)
  const stream = session.request({ ':method': 'POST', ':path': '/forward' }, { endStream: false })
  let exit: number | null = null
  const notice = setTimeout(() => console.error('ao: waiting for the machine that ao runs on'), NOTICE_MS)
  writeJsonLine(stream, { tool, argv, cwd: process.cwd() })
  if (input !== null) {
    writeJsonLine(stream, { data: input.toString('base64') })
    writeJsonLine(stream, { end: true })
  } else if (process.stdin.isTTY) {
    writeJsonLine(stream, { end: true })
  } else {
    process.stdin.on('data', (chunk: Buffer) => writeJsonLine(stream, { data: chunk.toString('base64') }))
    process.stdin.on('end', () => writeJsonLine(stream, { end: true }))
    process.stdin.on('error', () => writeJsonLine(stream, { end: true }))
  }
  await readJsonLines(stream, askFrame, (frame) => {
    clearTimeout(notice)
    if ('out' in frame) process.stdout.write(Buffer.from(frame.out, 'base64'))
    else if ('err' in frame) process.stderr.write(Buffer.from(frame.err, 'base64'))
    else exit = frame.exit
  })
  clearTimeout(notice)
  process.stdin.pause()
  session.destroy()
  if (exit === null) console.error(`ao: ${tool} was cut off; check what was done before you repeat it`)
  return exit ?? 75
}

/** The text of a pull request or comment may be in a file here, which home cannot read: its content goes along as the input. */
function inputOf(tool: AskTool, argv: readonly string[]): Buffer | null {
  const isGh = tool === 'gh' || (tool === 'ao' && argv[0] === 'gh')
  const file = isGh ? fileInPlace(tool === 'gh' ? argv : argv.slice(1)) : tool === 'ao' ? aoFileInPlace(argv) : null
  return file === null ? null : readBytes(file)
}
