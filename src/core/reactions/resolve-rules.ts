// The effective rules of a project: defaults, then the configuration's global rules, then the project's, key by key.

import { REACTION_KEYS } from '../../contract/config/reaction-keys.ts'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import type { ReactionKey, ReactionRule } from '../../contract/reactions.ts'

type RuleFile = NonNullable<NonNullable<OrchestratorConfig['reactions']>[ReactionKey]>

export const DEFAULT_REACTIONS: Record<ReactionKey, RuleFile> = {
  'ci-failed': { auto: true, action: 'send-to-agent', priority: 'warning', retries: 2 },
  'changes-requested': { auto: true, action: 'send-to-agent', priority: 'warning', escalateAfter: '30m' },
  'bugbot-comments': { auto: true, action: 'send-to-agent', priority: 'warning', escalateAfter: '30m' },
  // `retries`: conflicts in a row without a green head in between.
  'merge-conflicts': { auto: true, action: 'send-to-agent', priority: 'warning', retries: 3, escalateAfter: '15m' },
  // Off unless it is switched on: another agent costs money. `retries` are rounds: after these a person decides.
  review: { auto: false, action: 'notify', priority: 'warning', retries: 2 },
  'review-findings': { auto: true, action: 'send-to-agent', priority: 'warning' },
  'approved-and-green': { auto: false, action: 'auto-merge', priority: 'action' },
  // Retries count for actions that affect an agent: without a limit they would continue forever, at the user's cost.
  'agent-stuck': { auto: true, action: 'notify', priority: 'urgent', retries: 2 },
  'agent-needs-input': { auto: true, action: 'notify', priority: 'urgent', retries: 5 },
  'agent-exited': { auto: true, action: 'notify', priority: 'urgent', retries: 2 },
  // It may be about to begin the next turn, or be attached to a person.
  'agent-idle': { auto: true, action: 'notify', priority: 'action', retries: 2, threshold: '5m' },
  'pr-closed': { auto: true, action: 'notify', priority: 'action' },
  'landing-failed': { auto: true, action: 'send-to-agent', priority: 'warning', retries: 2, escalateAfter: '15m' },
  // Early warnings: each file of each collision once.
  collision: { auto: true, action: 'send-to-agent', priority: 'info', retries: 5 },
  // `budget.action` says what is done besides.
  'over-budget': { auto: true, action: 'notify', priority: 'urgent' },
  // With the accounts of `fallback`, of which there are none by default.
  'limit-reached': { auto: true, action: 'notify', priority: 'info', retries: 10 },
  'limit-reset': { auto: true, action: 'send-to-agent', priority: 'warning', retries: 10 },
  'all-complete': { auto: true, action: 'notify', priority: 'info' },
}

export function resolveRules(
  config: Pick<OrchestratorConfig, 'reactions'>,
  project: Pick<ProjectConfig, 'reactions'>,
): Record<ReactionKey, ReactionRule> {
  const entries = REACTION_KEYS.map((key) => {
    const merged = { ...DEFAULT_REACTIONS[key], ...config.reactions?.[key], ...project.reactions?.[key] }
    return [key, toRule(merged)] as const
  })
  return Object.fromEntries(entries) as Record<ReactionKey, ReactionRule>
}

export type RuleSource = 'default' | 'global' | 'project'

/** Where each effective value was written. */
export function ruleSources(
  config: Pick<OrchestratorConfig, 'reactions'>,
  project: Pick<ProjectConfig, 'reactions'>,
): Record<ReactionKey, Partial<Record<keyof ReactionRule, RuleSource>>> {
  const entries = REACTION_KEYS.map((key) => {
    const layers = [
      ['default', DEFAULT_REACTIONS[key]],
      ['global', config.reactions?.[key]],
      ['project', project.reactions?.[key]],
    ] as const
    const written = layers.flatMap(([source, file]) =>
      Object.keys(file ?? {}).flatMap((name) => FILLED_BY[name as keyof RuleFile].map((field) => [field, source])),
    )
    return [key, Object.fromEntries(written)] as const
  })
  return Object.fromEntries(entries) as ReturnType<typeof ruleSources>
}

/** Which values of a rule a key in the file sets. */
const FILLED_BY: Record<keyof RuleFile, ReadonlyArray<keyof ReactionRule>> = {
  auto: ['auto'],
  action: ['action'],
  message: ['message'],
  priority: ['priority'],
  retries: ['retries'],
  escalateAfter: ['escalateAfterAttempts', 'escalateAfterMs'],
  threshold: ['thresholdMs'],
}

function toRule(file: RuleFile): ReactionRule {
  const { escalateAfter, action = 'notify' } = file
  return {
    auto: action === 'off' ? false : (file.auto ?? true),
    action: action === 'off' ? 'notify' : action,
    message: file.message,
    priority: file.priority ?? 'info',
    retries: file.retries,
    escalateAfterAttempts: typeof escalateAfter === 'number' ? escalateAfter : undefined,
    escalateAfterMs: typeof escalateAfter === 'string' ? (parseDuration(escalateAfter) ?? undefined) : undefined,
    thresholdMs: file.threshold === undefined ? 0 : (parseDuration(file.threshold) ?? 0),
  }
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const

/** `30s`, `15m`, `2h` as milliseconds; null for anything else. */
function parseDuration(text: string): number | null {
  const match = /^([0-9]{1,9})([smh])$/.exec(text)
  return match ? Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS] : null
}
