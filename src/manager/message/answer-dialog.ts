// Answers an agent's dialog with the agent's own keys: the option is chosen by its label, and before every key the screen
// must still show the dialog that was answered.
import { createHash } from 'node:crypto'
import type { DialogChoice, ScreenDialog } from '../../contract/dialog.ts'
import { AoError } from '../../contract/errors.ts'
import type { PermissionAnswer, PermissionRequest } from '../../contract/permission.ts'
import { recordOf } from '../../contract/record.ts'
import { sleep } from '../../lib/clock.ts'
import type { Addressee } from '../active.ts'
import type { ManagerContext } from '../context.ts'
import { noteAnswered, type Recipient, readScreen, visibleScreen } from './entry-check.ts'
import { releaseMessages } from './release-messages.ts'

const GONE_POLL_MS = 50
/** How long a dialog may take to disappear after a key that may not be the last. */
const NEXT_KEY_MS = 1_500
/** A screen that is being redrawn shows nothing for a moment. */
const READINGS_WITHOUT = 3
const GONE_MS = 5_000

/** null: the screen shows no dialog with known options. */
export async function readDialog(to: Recipient): Promise<PermissionRequest | null> {
  const { dialog } = await readShown(to)
  if (!dialog) return null
  return {
    requestId: idOf(dialog),
    title: dialog.title,
    kind: 'dialog',
    ...(dialog.above !== undefined && { input: { kind: 'screen', text: dialog.above } }),
    ...(dialog.cut && { isCut: true }),
    options: dialog.choices.map(({ label, decision }, index) => ({
      optionId: String(index + 1),
      name: label,
      decision,
    })),
    askedAt: to.session.lastActivityAt.toISOString(),
    expiresAt: null,
  }
}

/** Only under the send lock: no message may be typed meanwhile. Held messages are delivered afterwards. */
export async function answerDialog(
  context: ManagerContext,
  to: Addressee,
  answer: PermissionAnswer,
): Promise<{ requestId: string; decision: string }> {
  const { session } = to
  const dialog = await drawnDialog(to)
  if (!dialog) throw notPending(session.id, `${session.id} shows no question that ao can answer`)
  const requestId = idOf(dialog)
  if (answer.requestId !== undefined && answer.requestId !== requestId) {
    throw notPending(session.id, `${session.id} asks something else now: ${dialog.title}`)
  }
  const choice = chooseOption(session.id, dialog, answer)
  await press({ to, dialog }, choice)
  const decision = choice.decision ?? choice.label
  const { metadata } = await noteAnswered(
    to,
    [
      {
        type: 'permission.answered',
        requestId,
        decision,
        title: dialog.title,
        option: choice.label,
        ...(answer.by !== undefined && { by: answer.by }),
      },
    ],
    'it got an answer',
  )
  if (recordOf({ metadata }).messagesOnTheWay !== undefined) await releaseMessages(context, to)
  return { requestId, decision }
}

/** The same question with the same options is the same request; an agent that wants another answered for it finds none with its id. */
function idOf({ title, above = '', choices }: ScreenDialog): string {
  const text = JSON.stringify([title, above, choices.map(({ label }) => label)])
  return `screen-${createHash('sha256').update(text).digest('hex')}`
}

interface Shown {
  dialog: ScreenDialog | null
  screen: string
}

async function readShown(to: Recipient): Promise<Shown> {
  const { agent } = to
  const screen = await visibleScreen(to, { styled: agent?.marksByColour === true })
  const input = readScreen(agent, screen)
  if (input.takes !== 'keys' || !input.dialog) return { dialog: null, screen }
  const { reachesTop, ...dialog } = input.dialog
  return { dialog: reachesTop && isFull(screen) ? { ...dialog, cut: true } : dialog, screen }
}

/** It shows a question that is answered by typing a line, such as `y`. */
export async function asksForLine(to: Recipient): Promise<boolean> {
  return !to.runtime.events && (await readShown(to)).dialog?.takesLine === true
}

/** The least that a reader of screens reads. */
const ROWS_READ = 30
/** A screen with fewer lines than this is not full in any terminal that somebody uses. */
const MIN_ROWS = 12
const FREE_ROWS = 2

/** Nothing has scrolled away while rows at its end are still free. */
function isFull(screen: string): boolean {
  const rows = screen.split('\n').length
  const used = screen.trimEnd().split('\n').length
  return used > ROWS_READ || (used >= MIN_ROWS && used >= rows - FREE_ROWS)
}

/** A dialog that is still being drawn shows half of its question: it is read until two readings are the same. */
async function drawnDialog(to: Recipient): Promise<ScreenDialog | null> {
  const deadline = performance.now() + NEXT_KEY_MS
  let { dialog } = await readShown(to)
  while (dialog && performance.now() < deadline) {
    await sleep(GONE_POLL_MS)
    const { dialog: now } = await readShown(to)
    if (now && idOf(now) === idOf(dialog)) return now
    dialog = now ?? dialog
  }
  return dialog
}

function chooseOption(sessionId: string, dialog: ScreenDialog, { optionId, decision }: PermissionAnswer): DialogChoice {
  const fitting =
    optionId === undefined
      ? dialog.choices.filter((choice) => choice.decision === decision)
      : dialog.choices.filter((_, index) => String(index + 1) === optionId)
  if (fitting.length === 1) return fitting[0]!
  const options = dialog.choices.map(({ label }, index) => `${index + 1} (${label})`).join(', ')
  const what = fitting.length === 0 ? 'No option' : 'More than one option'
  throw new AoError('STATE_REFUSED', `${what} of ${sessionId} means ${optionId ?? decision}; there is ${options}`, {
    hint: `Name one with: ao session approve ${sessionId} --option <number>`,
    details: { sessionId, options: dialog.choices.map(({ label }) => label) },
  })
}

interface Pressing {
  to: Addressee
  dialog: ScreenDialog
  /** What the screen showed before the first key, and what was typed since. */
  before: string
  typed: string
}

async function press(request: Omit<Pressing, 'before' | 'typed'>, choice: DialogChoice): Promise<void> {
  const { session, runtime } = request.to
  if (choice.keys === null || !runtime.pressKeys) {
    throw new AoError('STATE_REFUSED', `ao does not know which keys choose "${choice.label}" in ${session.id}`, {
      hint: `Answer it in its terminal: ao session attach ${session.id}`,
    })
  }
  const pressing: Pressing = { ...request, before: (await readShown(request.to)).screen, typed: '' }
  for (const [step, keys] of choice.keys.entries()) {
    await runtime.pressKeys(session.runtimeHandle!, keys, () => stillAsks(pressing, choice, keys))
    pressing.typed += keys.replaceAll('\r', '')
    const isLast = step === choice.keys.length - 1
    if (await isGone(pressing, choice, isLast ? GONE_MS : NEXT_KEY_MS)) return
  }
  throw new AoError(
    'STATE_REFUSED',
    `The question of ${session.id} is still there after "${choice.label}" was chosen; nothing shows that it was taken`,
    {
      hint: `Answer it in its terminal: ao session attach ${session.id}`,
    },
  )
}

/** Enter chooses the marked option, so that has to be the intended one. */
async function stillAsks(pressing: Pressing, choice: DialogChoice, keys: string): Promise<void> {
  const { to, dialog } = pressing
  const { dialog: now, screen } = await readShown(to)
  if (isEcho(pressing, screen)) return
  // Before anything was typed it is exactly what was read.
  const isAsked = now && (pressing.typed === '' ? idOf(now) === idOf(dialog) : isSame(dialog, now))
  const same = isAsked ? now.choices.find(({ label }) => label === choice.label) : undefined
  if (!same) throw notPending(to.session.id, `${to.session.id} is no longer asking that; nothing was chosen`)
  if (keys !== '\r' || same.marked !== false) return
  throw new AoError('STATE_REFUSED', `${to.session.id} did not mark "${choice.label}"; nothing was chosen`, {
    hint: `Answer it in its terminal: ao session attach ${to.session.id}`,
  })
}

/** Text typed in answer to a question is shown after it. */
function isSame(before: ScreenDialog, now: ScreenDialog): boolean {
  const labels = (dialog: ScreenDialog) => JSON.stringify(dialog.choices.map(({ label }) => label))
  const isBelow = before.takesLine || before.above === now.above
  return now.title.startsWith(before.title) && isBelow && labels(before) === labels(now)
}

/** How much of a screen that may have scrolled has to be the same. */
const SAME_TAIL = 400

/**
 * The letter is shown, perhaps in the line below the question, and nothing else: the program still waits for Enter. Taken for
 * an answer, the next message would be typed behind it and become the answer.
 */
function isEcho({ dialog, before, typed }: Pressing, screen: string): boolean {
  if (!dialog.takesLine || typed === '') return false
  const dense = (text: string) => text.replaceAll(/\s+/g, '')
  return dense(screen).endsWith(`${dense(before).slice(-SAME_TAIL)}${dense(typed)}`)
}

/** A busy agent takes seconds to mark an option or to close its dialog; until either is drawn, nothing says that it got the key. */
async function isGone(pressing: Pressing, { label }: DialogChoice, timeoutMs: number): Promise<boolean> {
  const { to, dialog } = pressing
  const began = performance.now()
  let without = 0
  let mayBeLate = false
  for (;;) {
    const elapsedMs = performance.now() - began
    if (elapsedMs >= (mayBeLate ? GONE_MS : timeoutMs) && without === 0) return false
    await sleep(GONE_POLL_MS)
    const { dialog: now, screen } = await readShown(to)
    mayBeLate = now?.choices.find((one) => one.label === label)?.marked === false
    without = (now && isSame(dialog, now)) || isEcho(pressing, screen) ? 0 : without + 1
    if (without >= READINGS_WITHOUT) return true
  }
}

function notPending(sessionId: string, message: string): AoError {
  return new AoError('PERMISSION_NOT_FOUND', message, {
    hint: `Attach to it with: ao session attach ${sessionId}`,
    details: { sessionId },
  })
}
