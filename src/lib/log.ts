// One line on stderr per message, at or above AO_LOG_LEVEL (default warn). Messages contain text from agents and forges:
// control characters are made visible, and further lines are indented, so that none can pass for a message of its own.
import { showHiddenInLines } from '../core/text/show-hidden.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

export function createLog(level: string | undefined, write: (line: string) => void = writeStderr, program = 'ao'): Log {
  const threshold = LOG_LEVELS.indexOf((level ?? 'warn') as LogLevel)
  const from = threshold === -1 ? LOG_LEVELS.indexOf('warn') : threshold
  const at = (own: LogLevel) => (message: string, fields?: Record<string, unknown>) => {
    if (LOG_LEVELS.indexOf(own) < from) return
    const text = `${program} ${own}: ${message}${fields ? ` ${JSON.stringify(fields)}` : ''}`
    write(`${logLine(text)}\n`)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A message made safe for a log. */
export function logLine(text: string): string {
  return showHiddenInLines(text).replace(/\r?\n/g, '\n    ')
}

export const silentLog: Log = createLog('error', () => undefined)

function writeStderr(line: string): void {
  process.stderr.write(line)
}
