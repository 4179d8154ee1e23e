// A merged pull request closes the issues it says it closes, and the one its branch was created for.
import { errorText } from '../../contract/errors.ts'
import { localAuthor } from '../../inside/local-author.ts'
import { systemClock } from '../../lib/clock.ts'
import type { LocalPull } from '../pulls/pull-events.ts'
import type { LocalForge } from '../types.ts'
import { createLocalIssues } from './issue-store.ts'

const KEYWORD = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#([1-9][0-9]{0,8})\b/gi
const BRANCH = /^feat\/issue-([1-9][0-9]{0,8})$/

/** Only where the issues are ours too. The merge is done: a failure here is reported and not thrown. */
export async function closeIssues(forge: LocalForge, pull: LocalPull, commit: string): Promise<string[]> {
  const { tracker } = forge.project
  if ((typeof tracker === 'object' ? tracker.plugin : tracker) !== 'local') return []
  const issues = createLocalIssues({ projectDir: forge.projectDir, clock: systemClock })
  const warnings: string[] = []
  for (const number of closedIssues(pull)) {
    try {
      await issues.update(number, (issue) => {
        if (issue.state === 'closed' || issue.state === 'cancelled') return issue
        const now = systemClock.now().toISOString()
        const body = `Closed by pull request #${pull.number} (${commit.slice(0, 10)}).`
        const comment = { author: localAuthor(forge.context.env), createdAt: now, body }
        return { ...issue, state: 'closed', closedAt: now, comments: [...issue.comments, comment] }
      })
    } catch (error) {
      warnings.push(`issue ${number} was not closed: ${errorText(error)}`)
    }
  }
  return warnings
}

export function closedIssues({ title, body, head }: Pick<LocalPull, 'title' | 'body' | 'head'>): number[] {
  const named = [...`${title}\n${body}`.matchAll(KEYWORD)].map((match) => Number(match[1]))
  const ofBranch = BRANCH.exec(head)?.[1]
  return [...new Set([...named, ...(ofBranch === undefined ? [] : [Number(ofBranch)])])]
}
