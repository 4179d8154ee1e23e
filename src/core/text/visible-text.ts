// Other people's text where a person decides: what is invisible, runs backwards or has no width is spelled out, `⟨U+202E⟩`.
// Texts that differ stay different, so what is read is what there is. Pure.

/** A joiner between two pictographs is part of an emoji. */
const EMOJI_JOINER = String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})`
const EMOJI_STYLE = String.raw`(?<=\p{Extended_Pictographic})\ufe0f`
/** Control and format characters, half characters, private ones, separators, spaces that are not the space, and blank letters. */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}`
/** What the spelling itself uses. */
const SPELLING = '[⟨⏎]'
const SPELLED = new RegExp(`(?!${EMOJI_JOINER}|${EMOJI_STYLE})(?:${UNSEEN}|${SPELLING})`, 'gu')
const HIDDEN = new RegExp(String.raw`(?!${EMOJI_JOINER}|${EMOJI_STYLE}|[\n\t])(?:${UNSEEN})`, 'u')
const PLAIN = /^[\n\t\u0020-\u007e]*$/

/** Several lines: line breaks and tabs stay. */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(SPELLED, (found) => (found === '\n' || found === '\t' ? found : spell(found)))
}

/** One line. */
export function visibleLine(text: string): string {
  if (PLAIN.test(text)) return text.replace(/[\n\t]/g, inLine)
  return text.replace(SPELLED, inLine)
}

/** Nobody writes these in prose: they turn text around, have no width, or command a terminal. Joiners and marks of languages are not among them. */
const NEVER_PROSE = /(?![\n\t\r])[\p{Cc}\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/** Text that is read and not decided on: an agent's answer, a branch, a reason. Spelled twice it is the same. */
export function readableText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(NEVER_PROSE, spell)
}

const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** For a terminal's own output, in which columns count: one mark for each character that turns text around. */
export function markTurns(output: string): string {
  return output.replace(TURNS, '\ufffd')
}

/** Something in it would not be seen, or would change what is. */
export function hidesText(text: string): boolean {
  return !PLAIN.test(text) && HIDDEN.test(text)
}

function inLine(found: string): string {
  return found === '\n' ? '⏎' : spell(found)
}

function spell(character: string): string {
  return `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`
}
