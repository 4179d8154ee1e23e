// The names on an issue or a pull request: its labels, who is assigned, whose review is requested.

import { Badge } from './badge.tsx'
import { Visible } from './text/visible.tsx'

interface Props {
  labels: readonly string[]
  assignees: readonly string[]
  reviewers?: readonly string[]
}

export function Names({ labels, assignees, reviewers = [] }: Props) {
  return (
    <>
      {labels.length > 0 && (
        <ul aria-label="Labels" className="flex min-w-0 flex-wrap gap-1">
          {labels.map((label) => (
            <li key={label} className="min-w-0">
              <Badge>
                <Visible text={label} />
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {assignees.length > 0 && (
        <span className="min-w-0 break-words">
          assigned to <Visible text={assignees.join(', ')} />
        </span>
      )}
      {reviewers.length > 0 && (
        <span className="min-w-0 break-words">
          review requested from <Visible text={reviewers.join(', ')} />
        </span>
      )}
    </>
  )
}
