// What must stand in the user's `.claude.json` so that no start-up dialog waits for a person who is not there. Pure.
import type { JsonObject } from '../agent-files/read-jsonl.ts'

export interface Seeds {
  /** Absolute paths of the workspace, as given and as resolved. */
  workspacePaths: string[]
  apiKey: string | undefined
}

const SEEN_DIALOGS = ['hasCompletedOnboarding', 'hasSeenAutoDefaultNudge', 'hasSeenAutoModeEntryWarning'] as const

/** The account with the seeds in it, everything else as it was; null when nothing is missing. */
export function seedAccount(account: JsonObject, seeds: Seeds): JsonObject | null {
  const seeded: JsonObject = {
    ...account,
    ...Object.fromEntries(SEEN_DIALOGS.map((key) => [key, true])),
    projects: trustWorkspaces(asObject(account.projects), seeds.workspacePaths),
  }
  const responses = approveKey(asObject(account.customApiKeyResponses), seeds.apiKey)
  if (responses) seeded.customApiKeyResponses = responses
  return JSON.stringify(seeded) === JSON.stringify(account) ? null : seeded
}

function trustWorkspaces(projects: JsonObject, paths: string[]): JsonObject {
  const trusted = { ...projects }
  for (const path of paths) trusted[path] = { ...asObject(projects[path]), hasTrustDialogAccepted: true }
  return trusted
}

/** Claude remembers a key by its end. null: there is nothing to approve, or the user has refused this key. */
function approveKey(responses: JsonObject, apiKey: string | undefined): JsonObject | null {
  if (!apiKey) return null
  const end = apiKey.slice(-20)
  const approved = asList(responses.approved)
  if (approved.includes(end) || asList(responses.rejected).includes(end)) return null
  return { ...responses, approved: [...approved, end] }
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
