// One issue in the list: its title, who works on it, and the actions.
import { Link } from 'wouter'
import type { IssueRow } from '../../../../src/contract/dashboard/issues.ts'
import { visibleLine } from '../../../../src/core/text/visible-text.ts'
import { Icon } from '../../ui/icon.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { IssueActions, IssueFacts, isOver } from './issue-parts.tsx'

interface Props {
  issue: IssueRow
  canChange: boolean
  isSelected: boolean
  onSelect: () => void
  onSpawn: () => void
}

export function IssueItem({ issue, canChange, isSelected, onSelect, onSpawn }: Props) {
  return (
    <li className={`flex items-start gap-3 px-4 py-2.5 ${isSelected ? 'bg-accent-soft' : ''}`}>
      {isOver(issue) ? (
        <Icon name="check" className="mt-1.5 text-review" />
      ) : (
        <input
          type="checkbox"
          checked={isSelected}
          onChange={onSelect}
          aria-label={`Select #${issue.id} ${visibleLine(issue.title)}`}
          className="mt-1.5 size-4 shrink-0 accent-(--accent)"
        />
      )}
      <div className="min-w-0 flex-1 py-0.5">
        <Link href={issuePath(issue)} className="block hover:underline">
          <span className={`font-medium ${isOver(issue) ? 'text-muted' : ''}`}>
            <Visible text={issue.title} />
          </span>{' '}
          <span className="text-sm text-faint">#{issue.id}</span>
        </Link>
        <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
          <IssueFacts issue={issue} />
        </div>
      </div>
      <IssueActions issue={issue} canChange={canChange} onSpawn={onSpawn} />
    </li>
  )
}

function issuePath({ projectId, id }: IssueRow): string {
  return `/projects/${encodeURIComponent(projectId)}/issues/${encodeURIComponent(id)}`
}
