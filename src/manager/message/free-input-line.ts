// Before a message is typed: what is in the input line already is not joined with it. A person's draft stays, and the message
// is held; an earlier message of ao that the agent put back is submitted on its own, or cleared if the agent has read it.
import { AoError } from '../../contract/errors.ts'
import { enteredMessages, heldByDraft, isFolded, ownMessagesIn } from '../../core/message/judge-draft.ts'
import { sleep } from '../../lib/clock.ts'
import { ignoreFailure } from '../../lib/ignore-failure.ts'
import type { Addressee } from '../active.ts'
import type { ManagerContext } from '../context.ts'
import { type EntryCheck, hasSeen, type InputLine, visibleScreen } from './entry-check.ts'

const ENTER = '\r'
/** Ctrl-U empties a line, and a backspace at its beginning joins it to the one above. */
const CLEAR = '\u0015\u007f'.repeat(12)
const CLEAR_ATTEMPTS = 4
/** A screen that is being redrawn may show old text for a moment. */
const SETTLE_MS = 1_500
/** A long conversation that is drawn again, after a person left, was seen to hide the input line for more than two seconds. */
const HIDDEN_MS = 6_000
const POLL_MS = 100

/** null: the screen shows no input line now. */
type DraftNow = () => Promise<string | null>

/** Throws AGENT_ASKS, so that the message is held, when somebody else's text is in the input line. */
export async function freeInputLine(context: ManagerContext, to: Addressee): Promise<InputLine> {
  const draftNow = draftReader(to)
  const holdsOwn = to.store.read(to.session.id)?.record.inputLine !== undefined
  if (draftNow === null) return { clearFirst: holdsOwn, stillFree: null }
  const draft = await settled(draftNow)
  // What ao typed and did not submit is its own, however the agent shows it.
  const kind = draft === '' ? 'none' : holdsOwn ? 'read' : await judge(context, to, draft)
  if (kind === 'foreign') throw heldFor(to, draft)
  if (kind === 'unread') await press(to, { draft, draftNow }, ENTER)
  if (kind === 'read') await press(to, { draft, draftNow }, CLEAR)
  return {
    clearFirst: false,
    async stillFree() {
      const now = await draftNow()
      if (now) throw heldFor(to, now)
    },
  }
}

/**
 * A message that is still in the input line although Enter was pressed: a busy agent took the Enter for part of the pasted
 * text. It is pressed once more, unless a dialog is open or somebody has changed the text.
 */
export async function submitLeft(
  context: ManagerContext,
  to: Addressee,
  { text, check }: { text: string; check: EntryCheck },
): Promise<void> {
  // The agent asks something, the text is another one now, or the agent has ended: the receipt is the same.
  await ignoreFailure(`the draft in the input line of ${to.session.id} was not restored`, context.log, async () => {
    const draftNow = draftReader(to)
    const draft = await draftNow?.()
    if (!draftNow || !draft) return
    // The line was empty before the message was typed.
    const isOurs = isFolded(draft, text) || (await judge(context, to, draft)) === 'unread'
    if (!isOurs) return
    await check(await visibleScreen(to), true)
    await press(to, { draft, draftNow }, ENTER)
  })
}

/** null: this agent's screen does not show what is in its input line. */
function draftReader(to: Addressee): DraftNow | null {
  const { agent } = to
  if (!agent?.readDraft || !to.runtime.getStyledScreen) return null
  return async () => agent.readDraft!(await visibleScreen(to, { styled: true }))?.trim() ?? null
}

/**
 * '' as soon as it is seen once: only a draft that stays is one. A screen that is being redrawn has no input line for a moment;
 * one that has none at all shows no draft either.
 */
async function settled(draftNow: DraftNow): Promise<string> {
  const began = performance.now()
  for (;;) {
    const draft = await draftNow()
    const isOver = performance.now() - began >= (draft === null ? HIDDEN_MS : SETTLE_MS)
    if (draft === '' || isOver) return draft ?? ''
    await sleep(POLL_MS)
  }
}

async function judge(context: ManagerContext, to: Addressee, draft: string): Promise<'foreign' | 'unread' | 'read'> {
  const { store, session } = to
  const own = ownMessagesIn(draft, enteredMessages(store.readHistory(session.id).events))
  if (own === null) return 'foreign'
  for (const { messageId, text, queuedAt, isSeen } of own) {
    const seen = isSeen || (await hasSeen(context, to, { messageId, text, since: new Date(queuedAt) }))
    // Whether it was read is unknown: then a person decides.
    if (seen === null) return 'foreign'
    if (seen === false) return 'unread'
  }
  return 'read'
}

/** Until the input line is empty. Nothing is pressed once it holds anything else than was judged. */
async function press(to: Addressee, { draft, draftNow }: Judged, keys: string): Promise<void> {
  const { session, runtime } = to
  let left = draft
  for (let attempt = 0; left !== '' && attempt < (keys === ENTER ? 1 : CLEAR_ATTEMPTS); attempt++) {
    const expected = left
    await runtime.pressKeys?.(session.runtimeHandle!, keys, async () => {
      const now = await draftNow()
      if (now !== expected) throw heldFor(to, now ?? '')
    })
    left = await settled(draftNow)
  }
  if (left !== '') throw heldFor(to, left)
}

interface Judged {
  draft: string
  draftNow: DraftNow
}

function heldFor({ session: { id } }: Addressee, draft: string): AoError {
  const why = heldByDraft(draft)
  return new AoError('AGENT_ASKS', `${id} takes no message now: ${why}`, {
    hint: `Submit it or delete it in its terminal: ao session attach ${id}`,
    details: { sessionId: id, why, screen: 'text' },
  })
}
