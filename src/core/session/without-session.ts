// The environment of a program that outlives the session it was started in: a loop or a daemon belongs to no session.

type Environment = Readonly<Record<string, string | undefined>>

const OF_A_SESSION: ReadonlySet<string> = new Set([
  'AO_SESSION',
  'AO_SPAWN_ID',
  'AO_STATE_DIR',
  'AO_PROJECT_ID',
  'AO_CALLER_TYPE',
  'AGH_SESSION_ID',
  'AGH_SESSION_TOKEN',
  'AGH_AGENT',
  'TMUX',
  'TMUX_PANE',
])

export function withoutSession(env: Environment): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OF_A_SESSION.has(name)))
}
