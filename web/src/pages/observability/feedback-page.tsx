// What agents reported about ao: problems and requests.
import type { FeedbackAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { Page } from '../../shell/page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { DamagedFiles } from '../../ui/damaged-files.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'

type Report = FeedbackAnswer['reports'][number]

export function FeedbackPage() {
  const query = useAnswer(['feedback'], 'GET /api/feedback')
  return (
    <Page title="Feedback" subtitle="Reports of agents about ao and the tools they were given">
      <Answered query={query}>
        {({ reports, damaged }) => (
          <div className={`flex flex-col gap-3 ${reports.length > 0 ? 'max-w-4xl' : ''}`}>
            <DamagedFiles files={damaged} />
            {reports.length === 0 && (
              <EmptyState icon="inbox" title="No agent has reported anything">
                Agents report through ao's MCP server when something of ao stands in their way.
              </EmptyState>
            )}
            {reports.map((report) => (
              <ReportPanel key={report.id} report={report} />
            ))}
          </div>
        )}
      </Answered>
    </Page>
  )
}

function ReportPanel({ report }: { report: Report }) {
  const isBug = report.tool === 'bug_report'
  return (
    <Panel>
      <article className="flex flex-col gap-2 p-4">
        <div className="flex flex-wrap items-center gap-2">
          <Badge tone={isBug ? 'bad' : 'accent'} icon={isBug ? 'warning' : 'info'}>
            {report.tool.replaceAll('_', ' ')}
          </Badge>
          <h2 className="min-w-0 flex-1 text-base font-semibold">{report.title}</h2>
          <TimeAgo at={report.createdAt} className="text-xs text-muted" />
        </div>
        <Markdown text={report.body} />
        {report.evidence.length > 0 && (
          <ul className="flex flex-col gap-1 rounded-md bg-sunken p-3 font-mono text-xs">
            {report.evidence.map((item) => (
              <li key={item} className="whitespace-pre-wrap">
                {item}
              </li>
            ))}
          </ul>
        )}
        <div className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
          <span>
            by <SessionLink id={report.session} />
          </span>
          <span>{report.projectId}</span>
          <span>source {report.source}</span>
          <span>confidence {Math.round(report.confidence * 100)} %</span>
        </div>
      </article>
    </Panel>
  )
}
