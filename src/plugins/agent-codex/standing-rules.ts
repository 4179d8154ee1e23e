// Commands that Codex runs without asking because somebody answered so: it appends them to its own rules, for all its sessions.
import { join } from 'node:path'
import { readIfReachable } from '../../lib/plain-file.ts'
import type { AgentRule } from '../../slots/agent.ts'

const MAX_BYTES = 1024 * 1024
const MOST_RULES = 500
const DECISIONS = { allow: 'allow', forbidden: 'deny', prompt: 'ask' } as const

export function readCodexRules(codexHome: string): AgentRule[] {
  const file = join(codexHome, 'rules', 'default.rules')
  const lines = readIfReachable(file, { maxBytes: MAX_BYTES })?.split('\n') ?? []
  return lines
    .flatMap((line) => {
      const text = line.trim()
      if (!text.startsWith('prefix_rule(')) return []
      const decision = /decision\s*=\s*"(allow|prompt|forbidden)"/.exec(text)?.[1] as keyof typeof DECISIONS | undefined
      const how = `Remove the line from ${file}; it holds for all sessions of Codex`
      return [{ effect: DECISIONS[decision ?? 'allow'], rule: text, file, how }]
    })
    .slice(0, MOST_RULES)
}
