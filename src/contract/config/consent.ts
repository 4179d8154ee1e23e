// What needs the user's consent before anything of it happens: each key of the configuration is harmless or of one of these
// kinds, and a key that nobody declared is never harmless.
import type { SlotName } from '../ids.ts'

export const CONSENT_KINDS = [
  /** Commands that prepare a worktree, and those that run before it is removed. */
  'postCreate',
  /** Code of an external plugin. */
  'plugin',
  /** What is started as an agent, and agents that never ask. */
  'agent-command',
  /** Commands that the local forge runs as CI. */
  'ci',
  /** Who can reach the dashboard. */
  'listen',
  /** Where something is sent, and with which secrets. */
  'send',
  /** Files and directories outside the repository. */
  'outside',
  /** Containers, machines and jobs that agents are started in. */
  'place',
  /** What ao does by itself, without a person: it starts agents, merges, signs with the user's key and pushes. */
  'automatic',
  /** Values of the user's environment, in a key that is otherwise harmless. */
  'environment',
  /** Files in the repository that its agents obey: hooks, MCP servers, settings. */
  'agent-files',
] as const
export type ConsentKind = (typeof CONSENT_KINDS)[number]

export type Verdict = 'harmless' | ConsentKind
/** `but`: values that are harmless all the same. */
export type Consent = Verdict | { verdict: ConsentKind; but: ReadonlyArray<string | boolean> }

/** An undeclared key. */
export const UNKNOWN: ConsentKind = 'agent-command'

/** Options of an unknown plugin may do anything that its slot does. */
export const UNKNOWN_OPTION: Readonly<Record<SlotName, ConsentKind>> = {
  runtime: 'agent-command',
  agent: 'agent-command',
  workspace: 'agent-command',
  tracker: 'send',
  scm: 'send',
  notifier: 'send',
  terminal: 'agent-command',
}
