// Connects a person's terminal to an agent's: raw keys one way, the screen the other, until Ctrl-] or the end.
import { shownName } from '../contract/ids.ts'
import { type HostClient, openClient } from './client.ts'

/** Ctrl-], including its encoding in newer keyboard protocols. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the key itself
const DETACH_KEY = /\u001d|\u001b\[93;5u|\u001b\[27;5;93~/

/** Resets everything that the agent may have switched on: alternate screen, mouse, bracketed paste, hidden cursor. */
const RESTORE =
  '\u001b[0m\u001b[?1049l\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?1004l\u001b[?2004l\u001b[?1l\u001b>\u001b[<u\u001b[?25h\r\n'

export interface AttachOptions {
  socketPath: string
  name: string
  /** Keys do nothing but detach. */
  readOnly: boolean
}

/** Resolves with the exit code for the command. */
export async function attachTerminal({ socketPath, readOnly, ...options }: AttachOptions): Promise<number> {
  const name = shownName(options.name)
  const { stdin, stdout } = process
  const over = Promise.withResolvers<[message: string, exitCode: number]>()
  const leave = (message: string, exitCode: number) => over.resolve([message, exitCode])
  let client: HostClient
  try {
    client = await openClient(socketPath, {
      onData: (data) => void stdout.write(data),
      onExit: ({ code, signal }) => leave(`${name} ended: ${signal ?? `exit code ${code}`}`, 0),
      onLost: () => leave(`the connection to ${name} was closed`, 1),
    })
  } catch (error) {
    stdout.write(`[${name} cannot be reached: ${(error as Error).message}]\n`)
    return 1
  }
  const sendSize = () => client.resize(terminalSize())
  const onKeys = (keys: string) => {
    const detach = DETACH_KEY.exec(keys)
    const data = detach ? keys.slice(0, detach.index) : keys
    if (data !== '' && !readOnly) client.type(data)
    if (detach) leave(`left ${name}; it keeps running`, 0)
  }
  stdout.write(`[${name}${readOnly ? ', read-only' : ''}: leave with Ctrl-]]\r\n`)
  sendSize()
  client.view(true)
  if (stdin.isTTY) stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stdin.on('data', onKeys)
  stdin.resume()
  stdout.on('resize', sendSize)

  const [message, exitCode] = await over.promise
  if (stdin.isTTY) stdin.setRawMode(false)
  stdin.pause()
  stdin.off('data', onKeys)
  stdout.off('resize', sendSize)
  await client.close()
  stdout.write(`${RESTORE}[${message}]\n`)
  return exitCode
}

function terminalSize(): { cols: number; rows: number } {
  return { cols: process.stdout.columns ?? 80, rows: process.stdout.rows ?? 24 }
}
