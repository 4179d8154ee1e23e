// A command in a place that home answers: its words and stdin go there, output and exit code come back.

import { connect } from 'node:http2'
import { createConnection } from 'node:net'
import type { AskTool } from '../../../core/place/check-far-words.ts'
import { readBytes } from '../../../lib/plain-file.ts'
import { type AskFrame, readJsonLines, writeJsonLine } from '../wire.ts'

const NOTICE_MS = 10_000

/** Resolves with the exit code. */
export async function forward(socket: string, tool: AskTool, words: string[]): Promise<number> {
  const { argv, input } = tool === 'gh' || tool === 'ao' ? withFileAsInput(words) : { argv: words, input: null }
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
  await readJsonLines<AskFrame>(stream, (frame) => {
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

/** The text of a pull request or comment may be in a file here, where home cannot read it: it becomes the input. */
function withFileAsInput(words: string[]): { argv: string[]; input: Buffer | null } {
  if (!words.includes('pr') && !words.includes('issue')) return { argv: words, input: null }
  const argv = words.flatMap((word) => (word.startsWith('--body-file=') ? ['--body-file', word.slice(12)] : [word]))
  const at = argv.findIndex((word) => word === '--body-file' || word === '-F') + 1
  const file = at === 0 ? undefined : argv[at]
  if (file === undefined || file === '-') return { argv: words, input: null }
  return { argv: argv.with(at, '-'), input: readBytes(file) }
}
