// What Claude Code may do without asking in a workspace, because somebody answered "don't ask again": it keeps that itself, in
// its settings of that directory.
import { join } from 'node:path'
import { readIfReachable } from '../../lib/plain-file.ts'
import type { AgentRule } from '../../slots/agent.ts'

const FILE = '.claude/settings.local.json'
const EFFECTS = ['allow', 'deny', 'ask'] as const
const MAX_BYTES = 1024 * 1024
const MOST_RULES = 500
const HOW = `Remove it in Claude Code with /permissions, or from ${FILE} and restart the agent`

/** The file belongs to the workspace, so it may hold anything. */
export function readClaudeRules(workspacePath: string | null): AgentRule[] {
  if (workspacePath === null) return []
  const file = join(workspacePath, FILE)
  const text = readIfReachable(file, { maxBytes: MAX_BYTES, noFollow: true })
  const { permissions } = (text === null ? null : parse(text)) ?? {}
  if (typeof permissions !== 'object' || permissions === null) return []
  const rules = EFFECTS.flatMap((effect) => {
    const list = (permissions as Record<string, unknown>)[effect]
    const texts = Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : []
    return texts.map((rule) => ({ effect, rule, file, how: HOW }))
  })
  return rules.slice(0, MOST_RULES)
}

function parse(text: string): { permissions?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    // Claude Code does not obey it either.
    return null
  }
}
