// The agent on its own pseudo terminal, and the screen that it draws. Knows nothing of files and sockets.
import { constants } from 'node:os'
import type { IPty } from '@lydell/node-pty'
import type { TerminalSize } from '../../contract/terminal-frames.ts'
import { isPasteSettled } from '../../core/prompt/paste-settled.ts'
import { neutralisePaste, PASTE_END, PASTE_START } from '../../core/prompt/paste-text.ts'
import { isScreenSettled } from '../../core/prompt/screen-settled.ts'
import { sleep } from '../../lib/clock.ts'
import { cutLine } from '../../lib/terminal/line-limit.ts'
import { createPtyWriter, type PtyWriter } from './pty-writer.ts'
import { createScreen, type Screen } from './screen.ts'

export interface AgentEnd {
  exitCode: number | null
  signal: string | null
}

export interface AgentTerminal {
  pid: number
  screen: Screen
  ended: Promise<AgentEnd>
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
export class CutLineError extends Error {}

export interface AgentCommand {
  command: string[]
  environment: Record<string, string>
  workspacePath: string
  cols: number
  rows: number
}

/** Output that is not drawn yet: above this the agent has to wait, as with any terminal. */
const HIGH_WATER = 512 * 1024
const LOW_WATER = 64 * 1024

export async function startAgent(agent: AgentCommand): Promise<AgentTerminal> {
  const { spawn } = await import('@lydell/node-pty')
  const [file, ...args] = agent.command
  const pty = spawn(file!, args, {
    name: 'xterm-256color',
    cols: agent.cols,
    rows: agent.rows,
    cwd: agent.workspacePath,
    env: agent.environment,
  })
  const screen = createScreen(agent.cols, agent.rows)

  drawOutput(pty, screen)

  let touchedAt = Number.NEGATIVE_INFINITY
  let size: TerminalSize = { cols: agent.cols, rows: agent.rows }
  const resized = new Set<(size: TerminalSize) => void>()
  let over = false
  const ended = new Promise<AgentEnd>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      over = true
      screen.flush().then(() => resolve(toEnd(exitCode, signal)))
    })
  })

  const writer = createPtyWriter(pty, () => over)
  // Nobody waits for these: an agent that has ended, or reads nothing, needs none of them.
  const typeUnwatched = (data: string) => void writer.write(data).catch(() => undefined)
  screen.onAnswer(typeUnwatched)

  return {
    pid: pty.pid,
    screen,
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
    resize: (cols, rows) => {
      if (over || (cols === size.cols && rows === size.rows)) return
      touchedAt = performance.now()
      size = { cols, rows }
      pty.resize(cols, rows)
      screen.resize(cols, rows)
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

function toEnd(exitCode: number, signal: number | undefined): AgentEnd {
  if (!signal) return { exitCode, signal: null }
  const name = Object.entries(constants.signals).find(([, value]) => value === signal)?.[0]
  return { exitCode: null, signal: name ?? String(signal) }
}
