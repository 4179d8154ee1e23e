// How often each operation was done, and how often it failed.
import type { ObservabilityAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'

export function Counters({ metrics }: Pick<ObservabilityAnswer, 'metrics'>) {
  const rows = Object.entries(metrics).sort(([, one], [, other]) => other.total - one.total)
  return (
    <Panel title="Counters">
      {rows.length === 0 && <EmptyState title="Nothing has been counted yet" />}
      {rows.length > 0 && (
        <table className="w-full text-sm">
          <thead>
            <tr className="text-left text-xs whitespace-nowrap text-muted [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
              <th scope="col">Operation</th>
              <th scope="col" className="text-right">
                Good
              </th>
              <th scope="col" className="text-right">
                Failed
              </th>
              <th scope="col" className="text-right">
                Last
              </th>
            </tr>
          </thead>
          <tbody className="divide-y border-t">
            {rows.map(([name, metric]) => (
              <tr key={name} className="[&>td]:px-4 [&>td]:py-1.5">
                <td>
                  <OperationName name={name} />
                  {metric.lastFailureReason && <div className="text-xs text-muted">{metric.lastFailureReason}</div>}
                </td>
                <td className="text-right">{formatCount(metric.success)}</td>
                <td className={`text-right ${metric.failure > 0 ? 'font-medium text-bad' : 'text-faint'}`}>
                  {formatCount(metric.failure)}
                </td>
                <td className="text-right text-xs text-muted">
                  <TimeAgo at={metric.lastAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}

/** Counters are kept as `project::operation`, `*` where there is no project. */
function OperationName({ name }: { name: string }) {
  const [project, operation] = name.split('::')
  if (operation === undefined) return name
  return (
    <>
      {operation}
      {project !== '*' && <span className="ml-2 text-xs text-muted">{project}</span>}
    </>
  )
}
