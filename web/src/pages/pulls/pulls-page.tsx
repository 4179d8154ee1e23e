// The page "Pull requests": those of all projects, with checks, reviews, conflicts and the session behind each.
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { PullRow, PullsAnswer } from '../../../../src/contract/dashboard/answers.ts'
import { KEEP, useAnswer } from '../../api/answered.tsx'
import { useBoard, usePins } from '../../api/live.ts'
import { pinnedFirst } from '../../session/pins.tsx'
import { Page } from '../../shell/page.tsx'
import { Command, EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { holdsAll, ListFilter, readListFilter } from '../../ui/list-filter.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { PullItem } from './pull-item.tsx'
import { GROUPS, groupOf } from './pull-labels.ts'
import { type Several, SeveralButton, SeveralDialog } from './several-pulls.tsx'
import { usePullNews } from './use-pull-news.ts'

const STATES = [
  ['open', 'Open'],
  ['all', 'All'],
] as const

export function PullsPage() {
  usePullNews()
  const [params] = useSearchParams()
  const projects = useBoard()?.projects ?? []
  const { project, state } = readListFilter(params, STATES)
  const { data, error, refetch } = useAnswer(['pulls', null, state], 'GET /api/pulls', { query: { state } }, KEEP)
  return (
    <Page
      title="Pull requests"
      actions={<ListFilter href="/pulls" {...{ projects, project, state }} states={STATES} offersAllProjects />}
    >
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton label="Loading the pull requests" />}
      {data && <Found answer={data} />}
    </Page>
  )
}

function Found({ answer }: { answer: PullsAnswer }) {
  const [params] = useSearchParams()
  const board = useBoard()
  const projects = board?.projects ?? []
  const [several, setSeveral] = useState<Several | null>(null)
  const shown = answer.pulls
    .filter((pull) => matches(pull, params))
    .toSorted((a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? ''))
  const ordered = pinnedFirst(shown, usePins(), ({ sessionId }) => sessionId)
  return (
    <>
      {answer.problems.map(({ projectId, message }) => (
        <div
          key={projectId}
          role="status"
          className="mb-3 flex items-start gap-2 rounded-md bg-attention-soft px-3 py-2 text-sm text-attention"
        >
          <Icon name="warning" className="mt-0.5" />
          <span>
            The forge of {projectId} could not be reached: {message}
          </span>
        </div>
      ))}
      {shown.length === 0 ? (
        <Nothing total={answer.pulls.length} />
      ) : (
        [...Map.groupBy(ordered, (pull) => groupOf(pull, board?.cards.get(pull.sessionId ?? '')?.column))]
          .toSorted(([a], [b]) => GROUPS.indexOf(a) - GROUPS.indexOf(b))
          .map(([group, pulls]) => (
            <Panel
              key={group}
              title={`${group} · ${pulls.length}`}
              actions={<SeveralButton group={group} pulls={pulls} onOpen={setSeveral} />}
              className="mb-4"
            >
              <ul className="divide-y" aria-label={group}>
                {pulls.map((pull) => (
                  <PullItem
                    key={`${pull.projectId}/${pull.number}`}
                    pull={pull}
                    showProject={projects.length > 1 && params.get('project') === null}
                  />
                ))}
              </ul>
            </Panel>
          ))
      )}
      {several && <SeveralDialog {...several} onClose={() => setSeveral(null)} />}
    </>
  )
}

function Nothing({ total }: { total: number }) {
  if (total > 0) {
    return (
      <EmptyState icon="search" title="No pull request matches">
        {total} are hidden by the filter.
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="pull" title="No open pull requests">
      They appear here as soon as an agent opens one. Start one with <Command>ao spawn 1</Command>
    </EmptyState>
  )
}

function matches(pull: PullRow, params: URLSearchParams): boolean {
  const { project, terms } = readListFilter(params, STATES)
  const text = `${pull.title} #${pull.number} ${pull.branch} ${pull.sessionId} ${pull.author}`
  return (project === '' || pull.projectId === project) && holdsAll(text, terms)
}
