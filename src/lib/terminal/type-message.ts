// The one way a message is typed into an agent's terminal, whatever keeps that terminal: check, text, check, Enter.
import { AoError } from '../../contract/errors.ts'
import { shownName } from '../../contract/ids.ts'
import { neutralisePaste } from '../../core/text/paste-text.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** What a runtime can do with a terminal. Each throws when it could not be done. */
export interface TerminalHands {
  /** The runtime's own name of the session. */
  name: string
  /** The screen as it is now. */
  screen(): Promise<string>
  /** Resolves when the application has processed the text. */
  paste(text: string): Promise<void>
  /** Bytes as if typed. */
  press(keys: string): Promise<void>
}

interface Entering {
  /** Throws when nothing may be typed now; asked before the text and before Enter, with the screen as it is then. */
  check?: ((screen: string, before: 'text' | 'enter') => Promise<void>) | undefined
  /** Whatever is in the input line is removed first. */
  clearFirst?: boolean | undefined
}

/** Whoever types into a terminal is alone with it. */
export function typeMessage(home: string, hands: TerminalHands, text: string, how?: Entering): Promise<void> {
  return oneAtATime(home, hands.name, () => enterMessage(hands, text, how))
}

/** For a dialog. `check` throws when nothing may be typed. */
export function pressInto(home: string, hands: TerminalHands, keys: string, check: () => Promise<void>): Promise<void> {
  return oneAtATime(home, hands.name, async () => {
    await check()
    await hands.press(keys)
  })
}

const ENTER = '\r'
/** Ctrl-U clears a line; in an editor with several, one press goes to the start of the line and one joins it to the one above. */
const CLEAR_LINE = '\u0015'
const CLEAR_PRESSES = 24

async function enterMessage(
  hands: TerminalHands,
  message: string,
  { check, clearFirst }: Entering = {},
): Promise<void> {
  const text = neutralisePaste(message)
  if (text === '') throw new AoError('USAGE', 'The message is empty')
  if (check) await check(await hands.screen(), 'text')
  if (clearFirst) await hands.press(CLEAR_LINE.repeat(CLEAR_PRESSES))
  await hands.paste(text)
  try {
    if (check) await check(await hands.screen(), 'enter')
    await hands.press(ENTER)
  } catch (error) {
    throw entered(error)
  }
}

/** This text can never be entered there. */
export function cannotBeEntered(name: string, why: string): AoError {
  return new AoError('MESSAGE_REFUSED', `The message was not entered into ${shownName(name)}: ${why}`, {
    hint: 'Break it into shorter lines, or put it into a file of its workspace and send the name',
    details: { name, pasted: false },
  })
}

/** The same error, noting that the text is in the terminal. A dialog gets no keys, not even ones that clear the text. */
function entered(error: unknown): unknown {
  if (!(error instanceof AoError)) return error
  const { code, message, hint, details } = error
  return new AoError(code, message, {
    hint,
    details: { ...details, pasted: true },
    cause: error,
  })
}
