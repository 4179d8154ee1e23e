// The task as the agent reads it: what kind of place it is in, the issue, the project's rules, and last the user's words.
import { fenceUntrusted } from './fence-untrusted.ts'

export interface PromptParts {
  projectName: string
  repo: string | null
  defaultBranch: string
  branch: string
  issue: { id: string; context: string; origin: string } | null
  /** An issue id that no tracker knows: free text or an id of another system. */
  adHocIssue: string | null
  rules: string[]
  userPrompt: string | null
}

/** null: there is nothing to say, the agent starts bare. */
export function buildPrompt(parts: PromptParts): string | null {
  const task = taskSections(parts)
  if (task.length === 0 && parts.rules.length === 0) return null
  // A NUL cannot be part of an argument, and no text needs one.
  return [situation(parts), ...task, ...rulesSection(parts.rules), ...userSection(parts)]
    .join('\n\n')
    .replaceAll('\0', '')
}

function situation(parts: PromptParts): string {
  const where = parts.repo ? `${parts.projectName} (${parts.repo})` : parts.projectName
  return [
    `You work on ${where} in a git worktree of your own, on branch ${parts.branch}, which started from ${parts.defaultBranch}.`,
    'Other agents work beside you in worktrees of their own. Stay in this directory and on this branch.',
    'Commit your work in small steps. When it is complete and its tests pass, open a pull request with `gh pr create`.',
    'CI failures and review comments will be sent to you as messages.',
  ].join('\n')
}

function taskSections(parts: PromptParts): string[] {
  const sections: string[] = []
  if (parts.issue) {
    sections.push(`## Issue ${parts.issue.id}\n\n${fenceUntrusted(parts.issue.context, parts.issue.origin)}`)
  }
  if (parts.adHocIssue) sections.push(`## Task\n\nWork on: ${parts.adHocIssue}`)
  if (sections.length === 0 && !parts.userPrompt) return []
  return sections.length > 0 ? sections : ['## Task']
}

function rulesSection(rules: string[]): string[] {
  const text = rules.map((rule) => rule.trim()).filter(Boolean)
  return text.length > 0 ? [`## Project rules\n\n${text.join('\n\n')}`] : []
}

function userSection(parts: PromptParts): string[] {
  if (!parts.userPrompt) return []
  const hasTask = parts.issue !== null || parts.adHocIssue !== null
  return [hasTask ? `## Additional instructions\n\n${parts.userPrompt}` : parts.userPrompt]
}
