// Only OpenCode's log tells that it asks for a permission, and only by the run (the process), not by the session. Pure.

export interface Asking {
  at: number
  permission: string
}

const ASKING = /^timestamp=(\S+) .*\brun=(\S+) .*\bmessage=asking\b.*\bpermission=(\S+)/

/** The newest question of the process that works on this session; null: none in this part of the log. */
export function lastAsking(logText: string, sessionId: string): Asking | null {
  const lines = logText.split('\n')
  const ours = lines.findLast((line) => line.includes(sessionId))
  const run = ours && /\brun=(\S+)/.exec(ours)?.[1]
  if (!run) return null
  for (const line of lines.reverse()) {
    const [, timestamp, ofRun, permission] = ASKING.exec(line) ?? []
    if (ofRun !== run) continue
    const at = Date.parse(timestamp!)
    return Number.isNaN(at) ? null : { at, permission: permission! }
  }
  return null
}
