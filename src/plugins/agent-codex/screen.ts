// Reads Codex's screen and answers its dialogs. Pure.

import { afterMark } from '../agent-files/screen/input-line.ts'
import type { ScreenRules } from '../agent-files/screen/read-by-rules.ts'
import { draftReader } from '../agent-files/screen/read-draft.ts'
import { screenReader } from '../agent-files/screen/read-screen-state.ts'

/** A dialog ends with a line that says what Enter does, and the input line has none. */
const FOOTER =
  /\b(?:press )?enter (?:to )?(?:confirm|continue|submit|select|view|close|toggle)\b|\besc (?:to )?(?:cancel|go back|exit|quit|dismiss|close)\b/i

const RULES: ScreenRules = {
  // A dialog draws its options as the input line is drawn.
  input(lines) {
    const found = afterMark(lines)
    return lines.slice((found.at(-1)?.line ?? 0) + 1).some((line) => FOOTER.test(line)) ? [] : found
  },
  markers: '›',
  footer: FOOTER,
  asks: [
    /\bWould you like to (?:run|make|grant)\b/i,
    /\bHooks need review\b/i,
    /\bDo you trust the contents\b/i,
    /\bTrust this folder\?/i,
    /^\s*›?\s*1\.\s+Yes\b/m,
  ],
  // Its input line stays on the screen, and Enter goes back to an earlier message.
  views: [
    {
      name: 'its transcript',
      shows: /\bBrowsing(?: transcript)? ·|\besc cancel\b|\bto scroll\b.*\bq to quit\b/,
      lines: 8,
    },
  ],
}

export const readDraft = draftReader(afterMark)

const PATTERNS = { works: /\besc to interrupt\b/i, failed: /^\s*■\s/m }

export const { readScreenInput, detectActivity } = screenReader(RULES, PATTERNS)
