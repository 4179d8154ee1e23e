// A modest plan for a task without a script: a note in the repository, a commit, a pull request. The same every time.
import { promptTitle } from '../../agent-files/prompt-title.ts'
import type { Step } from './script.ts'

export interface TaskContext {
  issueId: string | undefined
  sessionId: string | undefined
}

export function planTask(prompt: string, context: TaskContext): Step[] {
  const title = promptTitle(prompt) || context.issueId || 'the task'
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

/** What a reviewer is given names both commits. */
export function planReview(prompt: string): Step[] {
  const [, from, head] = /^See the change with: git diff ([0-9a-f]{40,64}) ([0-9a-f]{40,64})$/m.exec(prompt) ?? []
  if (from === undefined || head === undefined) return [{ verb: 'say', text: 'I was given no commit to review.' }]
  return [
    {
      verb: 'say',
      text: 'I am only a demo: I look for a few patterns in the added lines, and understand none of them.',
    },
    { verb: 'review', from, head },
    { verb: 'finish', text: 'The review is over.' },
  ]
}

/** Named after the issue; the same file again in every later turn. */
export function notePath(context: TaskContext): string {
  const name = (context.issueId ?? context.sessionId ?? '').toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return `demo/${name.replace(/^-+|-+$/g, '').slice(0, 60) || 'notes'}.md`
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
