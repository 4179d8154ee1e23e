// The last lines of the screens of many sessions with one call of tmux, however many there are.
import { randomUUID } from 'node:crypto'
import type { RuntimeHandle } from '../../contract/session.ts'
import { askTmux, type TmuxServer } from './tmux-command.ts'
import { paneTarget, readHandle, serverOf, type TmuxHandle } from './tmux-handle.ts'

/** A longer list of commands goes to tmux in parts. */
const AT_ONCE = 100

export interface ScreenRequest {
  lines: number
  timeoutMs: number
  /** For a group in which one screen is unreadable: the others must not suffer. */
  readOne(handle: TmuxHandle): Promise<string>
}

export async function readScreens(
  server: TmuxServer,
  handles: RuntimeHandle[],
  request: ScreenRequest,
): Promise<Map<string, string>> {
  const bySocket = Map.groupBy(handles.map(readHandle), (handle) => handle.socket)
  const parts = [...bySocket.values()].flatMap((group) => chunks(group))
  const read = await Promise.all(parts.map((part) => readPart(serverOf(server, part[0]!), part, request)))
  return new Map(read.flat())
}

async function readPart(
  server: TmuxServer,
  handles: TmuxHandle[],
  { lines, timeoutMs, readOne }: ScreenRequest,
): Promise<Array<[name: string, screen: string]>> {
  // A separator line that no agent can predict, so that no screen can pass for two.
  const mark = `ao-screen-${randomUUID()}`
  const commands = handles.flatMap((handle) => [
    ['display-message', '-p', mark],
    ['capture-pane', '-p', '-J', '-S', `-${lines}`, '-t', paneTarget(handle)],
  ])
  const answer = await askTmux(server, commands, timeoutMs)
  const screens = answer.kind === 'done' ? answer.stdout.split(`${mark}\n`).slice(1) : []
  if (screens.length === handles.length) {
    return handles.map(({ name }, index): [string, string] => [name, tidy(screens[index]!, lines)])
  }
  return Promise.all(handles.map(async (handle): Promise<[string, string]> => [handle.name, await readOne(handle)]))
}

export function tidy(screen: string, lines: number): string {
  return screen
    .replaceAll(/[ \t]+$/gm, '')
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .join('\n')
}

function chunks<T>(items: T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, index) =>
    items.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  )
}
