// How the screens of the table's agents are read that were run: where their input lines are, and what their dialogs look like.
import type { AgentRow } from '../../contract/agents/agent-table.ts'
import { betweenPlainRules, betweenRules, type FindInput } from '../agent-files/screen/input-line.ts'
import type { ScreenRules } from '../agent-files/screen/read-by-rules.ts'

const FOOTER =
  /\b(?:enter|space|tab):? (?:to )?(?:select|submit|confirm|toggle|choose|apply|open|close)\b|\besc(?:ape)?:? (?:to )?(?:cancel|close|exit|go back|back|dismiss)\b/i

const RULES: Readonly<Record<NonNullable<AgentRow['records']>, Omit<ScreenRules, 'input'> & { input: FindInput }>> = {
  qwen: {
    input: betweenRules,
    markers: '❯›●',
    footer: FOOTER,
    asks: [/\bWaiting for user confirmation\b/, /\bDo you trust this folder\?/, /^[\s│]*Connect a Provider\b/m],
    views: [],
  },
  copilot: { input: betweenRules, markers: '❯›●', footer: FOOTER, asks: [], views: [] },
  // It asks for nothing: what looks like a menu in the conversation is text.
  // Its directory and its tokens are below its dialogs.
  pi: { input: betweenPlainRules, markers: '→', footer: FOOTER, footerLines: 6, asks: [], views: [] },
}

/** undefined: its input line was never seen, and is recognized only where it looks like everybody's. */
export function screenRulesOf({ records, inputLine }: AgentRow): ScreenRules | undefined {
  const rules = records && RULES[records]
  if (!rules || inputLine === undefined) return rules
  const shown = new RegExp(inputLine)
  const isLoaded = (lines: readonly string[]) => lines.slice(-INPUT_LINES).some((line) => shown.test(line))
  return { ...rules, input: (lines) => (isLoaded(lines) ? rules.input(lines) : []) }
}

const INPUT_LINES = 12
