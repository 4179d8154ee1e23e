// The cells of docs/agents-measured.md: one thing each that ao must get right with an agent, measured against what the scripted
// model saw. They run in this order in one session.
import { draft } from './draft-cell.ts'
import { kill, pullRequest, questions, restore } from './life-cells.ts'
import { SENDS, start } from './message-cells.ts'
import type { Cell } from './outcome.ts'
import { busy, errorCell, firstEnd, interrupt, longTool, tokens, turn } from './turn-cells.ts'

export const CELLS: readonly Cell[] = [
  start,
  firstEnd,
  ...SENDS,
  draft,
  turn,
  longTool,
  pullRequest,
  tokens,
  busy,
  interrupt,
  ...[401, 429, 500, 529].map(errorCell),
  kill,
  restore,
  questions,
]
