// Variables that describe the terminal a program runs in. They belong to the runtime that creates the terminal.

const TERMINAL_VARIABLES: ReadonlySet<string> = new Set([
  'TERM',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERMCAP',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'WINDOW',
  'WINDOWID',
  'COLUMNS',
  'LINES',
])

/** The agent's environment without leftovers of the caller's own terminal, and with the right PWD. */
export function withoutCallersTerminal(
  environment: Record<string, string>,
  workspacePath: string,
): Record<string, string> {
  const kept = Object.entries(environment).filter(([name]) => !TERMINAL_VARIABLES.has(name))
  return { ...Object.fromEntries(kept), PWD: workspacePath }
}
