// What panes show, and how text and keys reach one: text pasted as a whole from a buffer, keys as bytes. The screens of many
// are read with one call of tmux, however many there are.
//
// Every step of typing is guarded inside tmux by the same condition, so that nothing can change between the look and the act.
// The guard is needed for more than politeness: tmux 3.3a crashes when it pastes into a pane whose process has ended.
import { randomUUID } from 'node:crypto'
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import type { RuntimeHandle } from '../../contract/session.ts'
import { isPasteSettled } from '../../core/text/paste-text.ts'
import { sleep } from '../../lib/clock.ts'
import { cutLine } from '../../lib/terminal/line-limit.ts'
import { cannotBeEntered, type TerminalHands } from '../../lib/terminal/type-message.ts'
import { readHandle, serverOf, type TmuxHandle } from './pane-list.ts'
import { askTmux, callTmux, PROBE_TIMEOUT_MS, sequence, type TmuxAnswer, type TmuxServer } from './tmux-command.ts'

/** A longer list of commands goes to tmux in parts. */
const AT_ONCE = 100

const DEFAULT_LINES = 200

/** Also of an agent that has ended: its last output says why. */
export async function readScreen(server: TmuxServer, handle: TmuxHandle, lines = DEFAULT_LINES): Promise<string> {
  const args = ['capture-pane', '-p', '-J', '-S', `-${lines}`, '-t', handle.target]
  const answer = await askTmux(serverOf(server, handle), [args], PROBE_TIMEOUT_MS)
  if (answer.kind !== 'done') return ''
  return tidy(answer.stdout, lines)
}

/** `server`: the one that has it. */
export async function readStyled(server: TmuxServer, { target }: TmuxHandle): Promise<string> {
  const answer = await askTmux(server, [['capture-pane', '-p', '-e', '-t', target]], PROBE_TIMEOUT_MS)
  return answer.kind === 'done' ? answer.stdout : ''
}

export async function readScreens(
  server: TmuxServer,
  handles: RuntimeHandle[],
  lines = DEFAULT_LINES,
): Promise<Map<string, string>> {
  const bySocket = Map.groupBy(handles.map(readHandle), (handle) => handle.socket)
  const parts = [...bySocket.values()].flatMap((group) => chunks(group))
  const read = await Promise.all(parts.map((part) => readPart(serverOf(server, part[0]!), part, lines)))
  return new Map(read.flat())
}

async function readPart(
  server: TmuxServer,
  handles: TmuxHandle[],
  lines: number,
): Promise<Array<[name: string, screen: string]>> {
  // A separator line that no agent can predict, so that no screen can pass for two.
  const mark = `ao-screen-${randomUUID()}`
  const commands = handles.flatMap((handle) => [
    ['display-message', '-p', mark],
    ['capture-pane', '-p', '-J', '-S', `-${lines}`, '-t', handle.target],
  ])
  const answer = await askTmux(server, commands, PROBE_TIMEOUT_MS)
  const screens = answer.kind === 'done' ? answer.stdout.split(`${mark}\n`).slice(1) : []
  if (screens.length === handles.length) {
    return handles.map(({ name }, index): [string, string] => [name, tidy(screens[index]!, lines)])
  }
  // Asking a server that does not answer about each of them would keep it from answering anybody.
  if (answer.kind !== 'done' && answer.kind !== 'no-target') return []
  // One of them is unreadable: the others must not suffer.
  return Promise.all(
    handles.map(async (handle): Promise<[string, string]> => [handle.name, await readScreen(server, handle, lines)]),
  )
}

function tidy(screen: string, lines: number): string {
  return screen
    .replaceAll(/(?<![ \t])[ \t]+$/gm, '')
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

const POLL_MS = 50

export function tmuxInput(server: TmuxServer, handle: TmuxHandle): TerminalHands {
  return {
    name: handle.name,
    screen: () => visibleScreen(server, handle),
    async paste(text) {
      await refuseCutLine(server, handle, text)
      const before = await paste(server, handle, text)
      await untilSettled(server, handle, before, Buffer.byteLength(text))
    },
    press: (keys) => press(server, handle, keys),
  }
}

async function refuseCutLine(server: TmuxServer, handle: TmuxHandle, text: string): Promise<void> {
  const tty = await callTmux(server, ['display-message', '-p', '-t', handle.target, '#{pane_tty}'])
  const cut = tty.kind === 'done' ? await cutLine(tty.stdout.trim(), text) : null
  if (cut !== null) throw cannotBeEntered(handle.name, cut)
}

async function visibleScreen(server: TmuxServer, handle: TmuxHandle): Promise<string> {
  const answer = await callTmux(server, ['capture-pane', '-p', '-J', '-t', handle.target])
  if (answer.kind !== 'done') throw notSent(handle, answer.why)
  return answer.stdout
}

/** Resolves with the screen as it was just before the paste. */
async function paste(server: TmuxServer, handle: TmuxHandle, text: string): Promise<string> {
  const target = handle.target
  const buffer = `ao-${randomUUID()}`
  const commands = sequence(
    ...screen(target),
    ['load-buffer', '-b', buffer, '-'],
    // -p: bracketed, if the application asked for it. -r: newlines stay newlines instead of becoming Enter.
    guarded(handle, `paste-buffer -p -r -d -b ${buffer} -t '${target}'`, {
      token: buffer,
      otherwise: `delete-buffer -b ${buffer}`,
    }),
  )
  const answer = await callTmux(server, commands, { input: text, timeoutMs: ACT_TIMEOUT_MS })
  if (answer.kind !== 'done') {
    const isDone = await wasDone(server, handle, buffer, answer)
    if (isDone) return ''
    throw notSent(handle, answer.why, isDone)
  }
  const [before, word] = splitLastLine(answer.stdout)
  if (word !== DONE) throw notRunning(handle)
  return before
}

async function press(server: TmuxServer, handle: TmuxHandle, keys: string): Promise<void> {
  // As bytes: no key names, and none of tmux's own encodings.
  const bytes = [...Buffer.from(keys)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
  const token = `ao-${randomUUID()}`
  const command = guarded(handle, `send-keys -t '${handle.target}' -H ${bytes}`, { token })
  const answer = await callTmux(server, command, { timeoutMs: ACT_TIMEOUT_MS })
  if (answer.kind === 'done' && answer.stdout.trim() === DONE) return
  if (answer.kind !== 'done' && (await wasDone(server, handle, token, answer))) return
  const why = answer.kind === 'done' ? 'the agent has ended' : answer.why
  throw new AoError('RUNTIME_FAILED', `A key was not typed into ${shownName(handle.name)}: ${why}`, {
    details: { name: handle.name, pasted: null },
  })
}

const DONE = 'ao:done'
const NOT_DONE = 'ao:not-done'
/** On a machine with far too much to do, tmux was seen to need more than five seconds. */
const ACT_TIMEOUT_MS = 15_000
/** An option of the pane: the last thing that was done there. */
const LAST_DONE = '@ao_done'
const ASK_AGAIN = 3

/**
 * The program did not finish in time, which says nothing about its server. What it was sent earlier it has done before it
 * answers, so one answer is enough. null: there is none.
 */
async function wasDone(
  server: TmuxServer,
  handle: TmuxHandle,
  token: string,
  { kind }: TmuxAnswer,
): Promise<boolean | null> {
  if (kind === 'no-server' || kind === 'no-target') return false
  for (let attempt = 0; attempt < ASK_AGAIN; attempt++) {
    const last = ['display-message', '-p', '-t', handle.target, `#{${LAST_DONE}}`]
    const answer = await callTmux(server, last, { timeoutMs: ACT_TIMEOUT_MS })
    if (answer.kind === 'done') return answer.stdout.trim() === token
  }
  return null
}

interface Guarded {
  /** Noted once it is done. */
  token: string
  otherwise?: string
}

/** One tmux command: `act` if the agent of this launch is alive, after leaving copy mode and the like; else `otherwise`. */
function guarded(handle: TmuxHandle, act: string, { token, otherwise }: Guarded): string[] {
  const target = handle.target
  const sameLaunch = handle.spawnId === undefined ? '1' : `#{==:#{@ao_spawn_id},${handle.spawnId}}`
  const leaveMode = `if-shell -F -t '${target}' '#{pane_in_mode}' "copy-mode -q -t '${target}'"`
  return [
    'if-shell',
    ...['-F', '-t', target, `#{&&:#{?pane_dead,0,1},${sameLaunch}}`],
    `${leaveMode} ; ${act} ; set-option -p -t '${target}' ${LAST_DONE} ${token} ; display-message -p ${DONE}`,
    `${otherwise === undefined ? '' : `${otherwise} ; `}display-message -p ${NOT_DONE}`,
  ]
}

/** Text and cursor: what changes when the application has processed the paste. */
function screen(target: string): string[][] {
  return [
    ['capture-pane', '-p', '-t', target],
    ['display-message', '-p', '-t', target, '#{cursor_x},#{cursor_y}'],
  ]
}

async function untilSettled(server: TmuxServer, handle: TmuxHandle, before: string, bytes: number): Promise<void> {
  const pastedAt = performance.now()
  let last = before
  let changedAt: number | null = null
  for (;;) {
    await sleep(POLL_MS)
    const answer = await callTmux(server, sequence(...screen(handle.target)))
    const now = performance.now()
    // A failed capture says nothing; the guard of the Enter decides then.
    if (answer.kind === 'done' && answer.stdout !== last) {
      last = answer.stdout
      changedAt = now
    }
    const sinceChangeMs = changedAt === null ? null : now - changedAt
    if (isPasteSettled({ bytes, sincePasteMs: now - pastedAt, sinceChangeMs })) return
  }
}

function splitLastLine(text: string): [string, string] {
  const end = text.trimEnd().lastIndexOf('\n') + 1
  return [text.slice(0, end), text.slice(end).trim()]
}

function notRunning(handle: TmuxHandle): AoError {
  return new AoError(
    'RUNTIME_FAILED',
    `The agent in ${shownName(handle.name)} has ended; the message was not entered`,
    {
      details: { name: handle.name, pasted: false },
    },
  )
}

/** `pasted` null: unknown, so it must not be entered again blindly. */
function notSent(handle: TmuxHandle, why: string, pasted: boolean | null = false): AoError {
  const what = pasted === null ? 'ao could not tell whether the message was entered' : 'The message was not entered'
  return new AoError('RUNTIME_FAILED', `${what} into ${shownName(handle.name)}: ${why}`, {
    details: { name: handle.name, pasted },
  })
}
