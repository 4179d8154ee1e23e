// What an agent itself cannot do, whatever ao does: shown in docs/agents.md, and expected by `npm run test:real`, which also
// notices when it has become possible.
export interface AgentLimit {
  /** `terminal`: in tmux and process. */
  where: 'terminal' | 'acp' | 'everywhere'
  /** Names of cells of `npm run test:real`. */
  cells: readonly string[]
  /** After the agent's name: "Claude Code turns tabs into spaces". */
  reason: string
  /** It takes minutes to see it once more: the cell is not run. */
  isSlow?: true
}

const TAB = 'send: a tab'
const MARKS = 'send: decomposed letters, invisible marks'
const SPACES = 'send: begins with spaces'
const blockedCell = (status: number) => `HTTP ${status}: blocked, in its own words`
const QUESTIONS = 'asks for permission twice: seen, a message is held, answered'

const OWN_QUESTIONS = {
  cells: ['tokens, against the model server'],
  reason:
    'does not report all the questions that it asks its model by itself, so ao counts fewer tokens than were used',
}

const PUTS_BACK: AgentLimit = {
  where: 'terminal',
  cells: ['interrupt; the message in between arrives'],
  reason:
    'puts a message that was sent while it worked back into its input line when it is interrupted; ao submits it, on its own, before the next one',
}

export const AGENT_LIMITS: Readonly<Record<string, readonly AgentLimit[]>> = {
  'claude-code': [
    { where: 'terminal', cells: [TAB], reason: 'turns tabs that are pasted into four spaces' },
    { where: 'terminal', cells: [MARKS], reason: 'composes letters and removes invisible marks' },
    { ...OWN_QUESTIONS, where: 'acp' },
  ],
  codex: [{ where: 'terminal', cells: [SPACES], reason: 'removes spaces at the beginning of a message' }],
  opencode: [
    {
      where: 'terminal',
      cells: ['interrupt; the message in between arrives'],
      reason:
        'leaves a message that was sent while it worked unanswered when it is interrupted; it reads it with the next one',
    },
  ],
  gemini: [
    {
      where: 'everywhere',
      cells: [429, 500, 529].map(blockedCell),
      reason:
        'retries HTTP 429 and 5xx for more than four minutes, and neither records nor shows it: ao reports it as working until it gives up',
      isSlow: true,
    },
    { where: 'terminal', cells: [SPACES], reason: 'removes spaces at the beginning of a message' },
    { where: 'terminal', cells: [MARKS], reason: 'composes letters and removes invisible marks' },
    {
      where: 'acp',
      cells: ['tokens, against the model server'],
      reason: 'leaves the tokens of its thinking out of what it reports, so ao counts fewer than were used',
    },
  ],
  qwen: [
    PUTS_BACK,
    { where: 'terminal', cells: [SPACES], reason: 'removes spaces at the beginning of a message' },
    { ...OWN_QUESTIONS, where: 'everywhere' },
    {
      where: 'acp',
      cells: [blockedCell(429)],
      reason: 'retries HTTP 429 for minutes and reports nothing of it: ao reports it as working until it gives up',
      isSlow: true,
    },
  ],
  pi: [
    PUTS_BACK,
    { where: 'terminal', cells: [TAB], reason: 'turns tabs that are pasted into four spaces' },
    { where: 'terminal', cells: [SPACES], reason: 'removes spaces at the beginning of a message' },
    { where: 'everywhere', cells: [QUESTIONS], reason: 'never asks for a permission' },
  ],
  copilot: [
    { where: 'terminal', cells: [TAB], reason: 'turns tabs that are pasted into four spaces' },
    { where: 'terminal', cells: [SPACES], reason: 'removes spaces at the beginning of a message' },
  ],
}

/** Why this agent cannot do this; null: it should. */
export function limitOf(agent: string, runtime: string, cell: string): AgentLimit | null {
  const where = runtime === 'acp' ? 'acp' : 'terminal'
  const limits = Object.hasOwn(AGENT_LIMITS, agent) ? AGENT_LIMITS[agent]! : []
  return limits.find((one) => (one.where === 'everywhere' || one.where === where) && one.cells.includes(cell)) ?? null
}
