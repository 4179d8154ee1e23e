// Whether an archived session matches the search: every word occurs in it.
import type { ArchiveAnswer } from '../../../../src/contract/dashboard/pages.ts'

type Archived = ArchiveAnswer['sessions'][number]

export function matches(session: Archived, filter: string): boolean {
  const { id, title, projectId, branch, issueId, agent, status } = session
  const text = [id, title, projectId, branch, issueId, agent, status].join(' ').toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
