// The task as the agent reads it: what kind of workspace it is in, what to do, the project's rules, and finally what the
// user adds to an issue. Every part has its own heading.
import { type HandIn, handInOf } from '../../contract/forges.ts'
import { fenceUntrusted } from './fence-untrusted.ts'

export interface PromptParts {
  projectName: string
  repo: string | null
  defaultBranch: string
  /** It is not the project's default branch, which a forge would choose by itself. */
  isOtherBase?: boolean
  branch: string
  /** null: there is no forge, so no feedback on the work will come. */
  handIn: HandIn | null
  issue: { id: string; context: string; origin: string } | null
  /** An issue id that no tracker knows: free text or an id of another system. */
  adHocIssue: string | null
  /** Projects that share the task, in the order in which they land; null: it is for this one alone. */
  group?: readonly string[] | null
  projectId?: string
  rules: string[]
  userPrompt: string | null
}

/** null: there is nothing to say; the agent starts without a prompt. */
export function buildPrompt(parts: PromptParts): string | null {
  const task = taskSection(parts)
  const group = task.length > 0 ? groupSection(parts) : []
  const sections = [...task, ...group, ...rulesSection(parts.rules), ...additionSection(parts)]
  if (sections.length === 0) return null
  // An argument cannot contain a NUL, and no text needs one.
  return [situation(parts), ...sections].join('\n\n').replaceAll('\0', '')
}

function situation(parts: PromptParts): string {
  const { handIn } = parts
  const where = parts.repo ? `${parts.projectName} (${parts.repo})` : parts.projectName
  return [
    `You work on ${where} in a git worktree of your own, on branch ${parts.branch}, which started from ${parts.defaultBranch}.`,
    'Other agents work beside you in worktrees of their own. Stay in this directory and on this branch.',
    `Commit your work in small steps. When it is complete and its tests pass, ${handInOf(handIn && { handIn }).complete}.`,
    ...(handIn && parts.isOtherBase ? [`Its base is ${parts.defaultBranch}: hand it in for that branch.`] : []),
    ...(handIn ? ['CI failures and review comments will be sent to you as messages.'] : []),
  ].join('\n')
}

/** The user's text is the task, unless there is an issue; then it adds to the issue. */
function taskSection({ issue, adHocIssue, userPrompt }: PromptParts): string[] {
  if (issue) return [`## Issue ${issue.id}\n\n${fenceUntrusted(issue.context, issue.origin)}`]
  if (adHocIssue) return [`## Task\n\nWork on: ${adHocIssue}`]
  return userPrompt ? [`## Task\n\n${userPrompt}`] : []
}

function groupSection({ group = null, projectId = '' }: PromptParts): string[] {
  if (group === null) return []
  const others = group.filter((one) => one !== projectId)
  return [
    [
      '## Your part',
      '',
      `This task is done in ${group.length} repositories at the same time, each by an agent of its own. Yours is ${projectId}; the others are ${others.join(', ')}.`,
      `Do what belongs in ${projectId}, and nothing that belongs in the others. Where they have to agree with you, keep to what the task says, and write in your pull request what they rely on.`,
      `The pull requests land together, once each of them is approved and green, in this order: ${group.join(', ')}.`,
    ].join('\n'),
  ]
}

function rulesSection(rules: string[]): string[] {
  const text = rules.map((rule) => rule.trim()).filter(Boolean)
  return text.length > 0 ? [`## Project rules\n\n${text.join('\n\n')}`] : []
}

function additionSection({ issue, adHocIssue, userPrompt }: PromptParts): string[] {
  return userPrompt && (issue || adHocIssue) ? [`## Additional instructions\n\n${userPrompt}`] : []
}
