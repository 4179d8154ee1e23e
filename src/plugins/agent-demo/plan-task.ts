// A modest plan for a task that brings no script: a note in the repository, a commit, a pull request. The same every time.
import type { Step } from './script.ts'

export interface TaskContext {
  issueId: string | undefined
  sessionId: string | undefined
}

export function planTask(prompt: string, context: TaskContext): Step[] {
  const title = taskTitle(prompt) || context.issueId || 'the task'
  return [
    { verb: 'say', text: `My task has no demo script, so I do something small and harmless for it: "${title}".` },
    { verb: 'think', seconds: 2 },
    { verb: 'write', path: notePath(context), text: noteText(title, context) },
    { verb: 'think', seconds: 1 },
    { verb: 'commit', message: `Add a note: ${title}` },
    { verb: 'pr', title },
    { verb: 'finish', text: `I wrote ${notePath(context)} for "${title}" and committed it.` },
  ]
}

/** Named after the issue; the same file again in every later turn. */
export function notePath(context: TaskContext): string {
  const name = (context.issueId ?? context.sessionId ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return `demo/${name.replace(/^-+|-+$/g, '').slice(0, 60) || 'notes'}.md`
}

/** What the task is about, in one line: of a composed prompt the issue's or the user's first line. */
export function taskTitle(prompt: string): string {
  const lines = prompt.split('\n').map((line) => line.trim())
  const issue = lines.findIndex((line) => /^## (Issue|Task)\b/.test(line))
  const fence = lines.findIndex((line, index) => index > issue && /^(~{3,}|`{3,})/.test(line))
  const isFenced = issue !== -1 && fence !== -1 && /^## Issue\b/.test(lines[issue]!)
  const from = isFenced ? fence + 1 : issue + 1
  const first = lines.slice(from).find((line) => /[\p{L}\p{N}]/u.test(line)) ?? ''
  return first
    .replace(/^(?:#+\s*|(?:title|work on)\s*:\s*|issue\s+\S+\s*[:-]\s*)+/i, '')
    .slice(0, 100)
    .trim()
}

function noteText(title: string, context: TaskContext): string {
  const about = context.issueId ? `issue ${context.issueId}` : 'its task'
  return [
    `# ${title}`,
    '',
    `The demo agent wrote this file for ${about}. It is scripted: there is no model behind it.`,
    '',
  ].join('\n')
}
