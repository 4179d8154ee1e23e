// How text and keys reach a pane: text pasted as a whole from a buffer, keys as bytes.
//
// Every step is guarded inside tmux by the same condition, so that nothing can change between the look and the act.
// The guard is needed for more than politeness: tmux 3.3a crashes when it pastes into a pane whose process has ended.
import { randomUUID } from 'node:crypto'
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import { isPasteSettled } from '../../core/prompt/paste-settled.ts'
import { sleep } from '../../lib/clock.ts'
import { cutLine } from '../../lib/terminal/line-limit.ts'
import { cannotBeEntered, type TerminalHands } from '../terminal-input/enter-message.ts'
import { callTmux, sequence, type TmuxAnswer, type TmuxServer } from './tmux-command.ts'
import { paneTarget, type TmuxHandle } from './tmux-handle.ts'

const POLL_MS = 50

export function tmuxInput(server: TmuxServer, handle: TmuxHandle): TerminalHands {
  return {
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
  const tty = await callTmux(server, ['display-message', '-p', '-t', paneTarget(handle), '#{pane_tty}'])
  const cut = tty.kind === 'done' ? await cutLine(tty.stdout.trim(), text) : null
  if (cut !== null) throw cannotBeEntered(handle.name, cut)
}

async function visibleScreen(server: TmuxServer, handle: TmuxHandle): Promise<string> {
  const answer = await callTmux(server, ['capture-pane', '-p', '-J', '-t', paneTarget(handle)])
  if (answer.kind !== 'done') throw notSent(handle, answer.why)
  return answer.stdout
}

/** Resolves with the screen as it was just before the paste. */
async function paste(server: TmuxServer, handle: TmuxHandle, text: string): Promise<string> {
  const target = paneTarget(handle)
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
  const command = guarded(handle, `send-keys -t '${paneTarget(handle)}' -H ${bytes}`, { token })
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
    const last = ['display-message', '-p', '-t', paneTarget(handle), `#{${LAST_DONE}}`]
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
  const target = paneTarget(handle)
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
    const answer = await callTmux(server, sequence(...screen(paneTarget(handle))))
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

/** `pasted` null: nobody knows, so it must not be entered again blindly. */
function notSent(handle: TmuxHandle, why: string, pasted: boolean | null = false): AoError {
  const what = pasted === null ? 'ao could not tell whether the message was entered' : 'The message was not entered'
  return new AoError('RUNTIME_FAILED', `${what} into ${shownName(handle.name)}: ${why}`, {
    details: { name: handle.name, pasted },
  })
}
