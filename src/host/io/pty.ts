// The agent on its own pseudo terminal, and the screen that it draws. Knows nothing of files and sockets.
import { statSync } from 'node:fs'
import { constants } from 'node:os'
import type { IPty } from '@lydell/node-pty'
import type { TerminalSize } from '../../contract/terminal-frames.ts'
import { isScreenSettled } from '../../core/prompt/screen-settled.ts'
import { isPasteSettled, neutralisePaste, PASTE_END, PASTE_START } from '../../core/text/paste-text.ts'
import { sleep } from '../../lib/clock.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import { cutLine } from '../../lib/terminal/line-limit.ts'
import type { AgentExit } from '../protocol.ts'
import { createPtyWriter, type PtyWriter } from './pty-writer.ts'
import { createScreen, type Screen } from './screen.ts'

export interface AgentTerminal {
  pid: number
  screen: Screen
  /** How much was drawn. Nothing of it is kept but the screen. */
  output: { begin(): number; end(): number }
  /** Resolves when everything it wrote is drawn. */
  ended: Promise<AgentExit>
  /** Pastes and waits until the application has processed it. Rejects when the agent has ended, or reads nothing. */
  paste(text: string): Promise<void>
  /** Raw keys. Rejects likewise. */
  type(data: string): Promise<void>
  /** Raw keys of an attached person. */
  input(data: string): void
  /** Resolves when the screen shows what a person did last. */
  settled(): Promise<void>
  resize(cols: number, rows: number): void
  size(): TerminalSize
  /** The returned function unsubscribes. */
  onResize(listener: (size: TerminalSize) => void): () => void
}

/** Nothing was entered, and nothing ever will be. */
class CutLineError extends Error {
  readonly refused = true
}

export interface TerminalCommand {
  command: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  cols: number
  rows: number
}

/** Output that is not drawn yet: above this the agent has to wait, as with any terminal. */
const HIGH_WATER = 512 * 1024
const LOW_WATER = 64 * 1024

/** Rejects when the program cannot be started. */
export async function startOnTerminal({ command, env, cwd, cols, rows }: TerminalCommand): Promise<AgentTerminal> {
  refuseImpossible(command, env, cwd)
  const { spawn } = await import('@lydell/node-pty')
  const [file, ...args] = command
  const pty = spawn(file!, args, { name: 'xterm-256color', cols, rows, cwd, env })
  const screen = createScreen(cols, rows)

  drawOutput(pty, screen)

  let touchedAt = Number.NEGATIVE_INFINITY
  let size: TerminalSize = { cols, rows }
  const resized = new Set<(size: TerminalSize) => void>()
  let over = false
  const ended = new Promise<AgentExit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      over = true
      screen.flush().then(() => resolve(toExit(exitCode, signal)))
    })
  })

  const writer = createPtyWriter(pty, () => over)
  // Nobody waits for these: an agent that has ended, or reads nothing, needs none of them.
  const typeUnwatched = (data: string) => void writer.write(data).catch(() => undefined)
  screen.onAnswer(typeUnwatched)

  return {
    pid: pty.pid,
    screen,
    output: { begin: screen.drawnBytes, end: screen.drawnBytes },
    ended,
    async paste(text) {
      const { ptsName } = pty as IPty & { ptsName?: string }
      const cut = ptsName === undefined ? null : await cutLine(ptsName, text)
      if (cut !== null) throw new CutLineError(cut)
      await paste(screen, writer, text)
    },
    type: (data) => writer.write(data),
    input(data) {
      touchedAt = performance.now()
      typeUnwatched(data)
    },
    async settled() {
      const isSettled = () => {
        const now = performance.now()
        return isScreenSettled({ sinceTouchMs: now - touchedAt, sinceChangeMs: now - screen.lastDrawnAt() })
      }
      while (!over && !isSettled()) await sleep(25)
      await screen.flush()
    },
    resize(newCols, newRows) {
      if (over || (newCols === size.cols && newRows === size.rows)) return
      touchedAt = performance.now()
      size = { cols: newCols, rows: newRows }
      pty.resize(newCols, newRows)
      screen.resize(newCols, newRows)
      for (const listener of resized) listener(size)
    },
    size: () => size,
    onResize(listener) {
      resized.add(listener)
      return () => resized.delete(listener)
    },
  }
}

function drawOutput(pty: IPty, screen: Screen): void {
  let undrawn = 0
  let paused = false
  pty.onData((data) => {
    undrawn += data.length
    screen.write(data, () => {
      undrawn -= data.length
      if (paused && undrawn < LOW_WATER) {
        paused = false
        pty.resume()
      }
    })
    if (!paused && undrawn > HIGH_WATER) {
      paused = true
      pty.pause()
    }
  })
}

async function paste(screen: Screen, writer: PtyWriter, message: string): Promise<void> {
  const text = neutralisePaste(message)
  await screen.flush()
  if (screen.wantsBracketedPaste()) await writer.paste({ start: PASTE_START, text, end: PASTE_END })
  else await writer.write(text)
  const pastedAt = performance.now()
  const bytes = Buffer.byteLength(text)
  for (;;) {
    await sleep(25)
    const now = performance.now()
    const drawnAt = screen.lastDrawnAt()
    const sinceChangeMs = drawnAt < pastedAt ? null : now - drawnAt
    if (isPasteSettled({ bytes, sincePasteMs: now - pastedAt, sinceChangeMs })) break
  }
}

function toExit(code: number, signal: number | undefined): AgentExit {
  if (!signal) return { code, signal: null }
  const name = Object.entries(constants.signals).find(([, value]) => value === signal)?.[0]
  return { code: null, signal: (name ?? String(signal)) as NodeJS.Signals }
}

/** What fork and exec would only report through an exit code. */
function refuseImpossible(command: readonly string[], env: NodeJS.ProcessEnv, cwd: string): void {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`the workspace ${cwd} is not a directory`)
  if (findExecutable(command[0] ?? '', { env, cwd }) === null)
    throw new Error(`the command ${command[0] ?? '(none)'} was not found`)
}
