// Proposals of how to split work that wait for a person: above the issues.
import { Link } from 'wouter'
import { plural } from '../../../../src/core/text/format-age.ts'
import { useAnswer } from '../../api/answered.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'

const REFRESH_MS = 15_000

export function Plans({ projectId }: { projectId: string | undefined }) {
  const { data } = useAnswer(['plan'], 'GET /api/plans', {}, { refetchInterval: REFRESH_MS })
  const open = data?.plans.filter(({ project, state }) => project === projectId && state === 'proposed') ?? []
  if (open.length === 0) return null
  return (
    <Panel
      title={open.length === 1 ? 'A plan waits for you' : `${open.length} plans wait for you`}
      className="mb-4 shrink-0"
    >
      <ul className="divide-y text-sm">
        {open.map(({ id, issueId, by, createdAt, children }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2">
            <Link href={`/plans/${id}`} className="font-medium text-accent hover:underline">
              {plural(children.length, 'part')}
              {issueId === null ? '' : ` of issue ${issueId}`}
            </Link>
            <span className="min-w-0 flex-1 truncate text-muted">
              <Visible text={children.map(({ title }) => title).join(', ')} />
            </span>
            <span className="text-xs text-muted">
              by <Visible text={by} />, <TimeAgo at={createdAt} ago />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
