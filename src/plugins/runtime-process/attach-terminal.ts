// Connects a person's terminal to an agent's: raw keys one way, the screen the other, until Ctrl-] or the end.
import { connect } from 'node:net'
import { type HostEvent, readLines, writeLine } from './host/host-protocol.ts'

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
export function attachTerminal({ socketPath, name, readOnly }: AttachOptions): Promise<number> {
  const { stdin, stdout } = process
  return new Promise((resolve) => {
    const socket = connect(socketPath)
    const sendSize = () => writeLine(socket, { op: 'resize', ...terminalSize() })
    let joined = false

    const leave = (message: string, exitCode: number) => {
      if (stdin.isTTY) stdin.setRawMode(false)
      stdin.pause()
      stdin.off('data', onKeys)
      stdout.off('resize', sendSize)
      socket.destroy()
      stdout.write(`${joined ? RESTORE : ''}[${message}]\n`)
      resolve(exitCode)
    }
    const onKeys = (keys: string) => {
      const detach = DETACH_KEY.exec(keys)
      const data = detach ? keys.slice(0, detach.index) : keys
      if (data !== '' && !readOnly) writeLine(socket, { op: 'input', data })
      if (detach) leave(`left ${name}; it keeps running`, 0)
    }

    socket.on('connect', () => {
      joined = true
      stdout.write(`[${name}${readOnly ? ', read-only' : ''}: leave with Ctrl-]]\r\n`)
      writeLine(socket, { op: 'attach', ...terminalSize() })
      if (stdin.isTTY) stdin.setRawMode(true)
      stdin.setEncoding('utf8')
      stdin.on('data', onKeys)
      stdin.resume()
      stdout.on('resize', sendSize)
    })
    readLines<HostEvent>(socket, (event) => {
      if (event.event === 'screen' || event.event === 'output') stdout.write(event.data)
      else if (event.event === 'exit') leave(`${name} ended: ${event.signal ?? `exit code ${event.exitCode}`}`, 0)
    })
    socket.on('error', (error) => leave(`${name} cannot be reached: ${error.message}`, 1))
    socket.on('close', () => leave(`the connection to ${name} was closed`, 1))
  })
}

function terminalSize(): { cols: number; rows: number } {
  return { cols: process.stdout.columns ?? 80, rows: process.stdout.rows ?? 24 }
}
