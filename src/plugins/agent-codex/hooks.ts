// Codex's hooks for one launch, passed as flags: no file of the user is touched. Codex runs a hook only when its digest is
// trusted; for ours that trust is given in the same flags, with the digests that Codex itself lists.

import { quoteForShell } from '../../core/text/command-line.ts'
import { tomlString, tomlTable } from './toml-value.ts'

const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'Stop',
  'SessionEnd',
] as const

/** Codex allows no more for SessionEnd. */
const HOOK_TIMEOUT_SECONDS = 3

/** The relevant fields of one hook that Codex found. */
export interface ListedHook {
  key: string
  command: string
  hash: string
  /** untrusted, modified, trusted or managed. */
  trust: string
}

export type HookDecision =
  /** Our hooks run: each with the digest that Codex itself computed. */
  | { use: 'ours'; trusted: Record<string, string> }
  /** Some hooks await review: Codex would show a dialog at start, so no hook runs at all. */
  | { use: 'none'; unreviewed: string[] }
  /** Nothing is known: Codex is started as it is. */
  | { use: 'as configured' }

function hookCommands(hookCommand: readonly string[]): Map<string, string> {
  return new Map(HOOK_EVENTS.map((event) => [event, [...hookCommand, event].map(quoteForShell).join(' ')]))
}

/** The definitions alone; with them Codex lists our hooks and their digests. */
export function hookDefinitionFlags(hookCommand: readonly string[]): string[] {
  return [...hookCommands(hookCommand)].flatMap(([event, command]) => {
    const handler = `{type="command",command=${tomlString(command)},timeout=${HOOK_TIMEOUT_SECONDS}}`
    return ['-c', `hooks.${event}=[{hooks=[${handler}]}]`]
  })
}

export function decideHooks(listed: readonly ListedHook[] | null, hookCommand: readonly string[]): HookDecision {
  if (listed === null) return { use: 'as configured' }
  const ours = new Set(hookCommands(hookCommand).values())
  const foreign = listed.filter((hook) => !ours.has(hook.command) && !isTrusted(hook))
  if (foreign.length > 0) return { use: 'none', unreviewed: foreign.map(({ key }) => key) }
  const found = listed.filter((hook) => ours.has(hook.command))
  // A version that does not know one of the events would keep the others: they are used.
  if (found.length === 0) return { use: 'as configured' }
  return { use: 'ours', trusted: Object.fromEntries(found.map(({ key, hash }) => [key, hash])) }
}

export function hookFlags(decision: HookDecision, hookCommand: readonly string[]): string[] {
  if (decision.use === 'as configured') return []
  if (decision.use === 'none') return ['-c', 'features.hooks=false']
  const state = Object.entries(decision.trusted).map(
    ([key, hash]) => [key, tomlTable([['trusted_hash', tomlString(hash)]])] as const,
  )
  return [...hookDefinitionFlags(hookCommand), '-c', `hooks.state=${tomlTable(state)}`]
}

function isTrusted({ trust }: ListedHook): boolean {
  return trust === 'trusted' || trust === 'managed'
}
