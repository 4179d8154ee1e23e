// The page of one pull request: its conversation, its checks with their logs, and its diff to review.

import { Link, useSearchParams } from 'wouter'
import type { PullDetail, PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { useAnswer } from '../../api/answered.tsx'
import type { PageProps } from '../../routes.ts'
import { PinMenu } from '../../session/pins.tsx'
import { Page } from '../../shell/page.tsx'
import { WayBack } from '../../shell/way-back.tsx'
import { Badge } from '../../ui/badge.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Names } from '../../ui/names.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { SafeLink } from '../../ui/text/safe-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { CheckList } from '../pulls/check-list.tsx'
import { forgeName, rowLabels, stateWord } from '../pulls/pull-labels.ts'
import { PullSession } from '../pulls/pull-session.tsx'
import { usePullNews } from '../pulls/use-pull-news.ts'
import { Conversation } from './conversation.tsx'
import { FilesTab } from './files-tab.tsx'
import { MergeBox } from './merge-box.tsx'

export function PullPage({ params }: PageProps) {
  usePullNews()
  const { project = '', number = '' } = params
  const { data, error, refetch } = useAnswer(
    ['pulls', project, Number(number)],
    'GET /api/projects/:project/pulls/:number',
    { params: { project, number } },
  )
  if (!data) {
    return (
      <Page title={`Pull request ${number}`} above={ABOVE}>
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton label="Loading the pull request" />
        )}
      </Page>
    )
  }
  const title = data.pull.title || `Pull request ${number}`
  return (
    <Page
      title={title}
      subtitle={<Heading pull={data.pull} />}
      actions={data.pull.sessionId && <PinMenu id={data.pull.sessionId} />}
      above={ABOVE}
    >
      {data.pull.staleReason !== null && (
        <p role="status" className="mb-3 rounded-md bg-attention-soft px-3 py-2 text-sm text-attention">
          Could not reach the forge; showing its last answer: {data.pull.staleReason}
        </p>
      )}
      <Parts detail={data} check={params.check} />
    </Page>
  )
}

const ABOVE = <WayBack to="Pull requests" href="/pulls" />

function Heading({ pull }: { pull: PullRow }) {
  const state = stateWord(pull)
  return (
    <div className="mt-1 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1.5">
      <span className="flex flex-wrap items-center gap-1.5">
        <Badge tone={state.tone} icon={state.icon}>
          {state.word}
        </Badge>
        {rowLabels(pull).map(({ word, tone, icon }) => (
          <Badge key={word} tone={tone} icon={icon}>
            {word}
          </Badge>
        ))}
      </span>
      <Link href="/pulls" className="hover:underline">
        {pull.projectId} #{pull.number}
      </Link>
      {pull.branch && (
        <span className="flex min-w-0 items-center gap-1.5 font-mono text-xs">
          <span className="truncate">
            <Visible text={pull.branch} />
          </span>
          <Icon name="right" className="size-3" />
          <span className="sr-only">into</span>
          <span className="truncate">
            <Visible text={pull.baseBranch ?? ''} />
          </span>
        </span>
      )}
      {pull.sessionId && <PullSession id={pull.sessionId} />}
      <Names {...pull} />
      {pull.hasPage && (
        <SafeLink href={pull.url} className="flex items-center gap-1 text-accent">
          Open on {forgeName(pull.url)} <Icon name="external" className="size-3.5" />
        </SafeLink>
      )}
      {pull.updatedAt && (
        <span className="flex items-center gap-1">
          <Icon name="clock" className="size-3.5" />
          <span className="sr-only">Last change: </span>
          <TimeAgo at={pull.updatedAt} />
        </span>
      )}
    </div>
  )
}

/** A tick only when all of them have passed. */
function checksIcon(checks: PullDetail['pull']['checks']): IconName {
  const statuses = new Set(checks.map(({ status }) => status))
  if (statuses.has('failed')) return 'cross'
  return statuses.size === 1 && statuses.has('passed') ? 'check' : 'list'
}

const PARTS = ['conversation', 'files', 'checks'] as const
type Part = (typeof PARTS)[number]

/** `check`: the one named in the address. */
function Parts({ detail, check }: { detail: PullDetail; check: string | undefined }) {
  const first: Part = check === undefined ? 'conversation' : 'checks'
  const [params, setParams] = useSearchParams()
  const part = PARTS.find((one) => one === params.get('tab')) ?? first
  const select = (id: string) => setParams(id === first ? {} : { tab: id }, { replace: true })
  const { pull, reviews, remarks, commitReviews } = detail
  return (
    <>
      <Tabs
        label="Parts of the pull request"
        name="pull"
        selected={part}
        onSelect={select}
        tabs={[
          {
            id: 'conversation',
            label: 'Conversation',
            icon: 'chat',
            count: reviews.length + remarks.length + commitReviews.length,
          },
          { id: 'files', label: 'Files changed', icon: 'diff' },
          { id: 'checks', label: 'Checks', icon: checksIcon(pull.checks), count: pull.checks.length },
        ]}
      />
      <TabPanel name="pull" selected={part}>
        <div className="pt-4">{show(part, detail, check)}</div>
      </TabPanel>
    </>
  )
}

function show(part: Part, detail: PullDetail, check: string | undefined) {
  if (part === 'files') return <FilesTab detail={detail} />
  if (part === 'checks') {
    return (
      <Panel>
        <CheckList pull={detail.pull} opened={check} />
      </Panel>
    )
  }
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
      <Conversation detail={detail} />
      <div className="flex flex-col gap-4 lg:sticky lg:top-4">
        <MergeBox detail={detail} />
        {detail.pull.checks.length > 0 && (
          <Panel title="Checks">
            <CheckList pull={detail.pull} />
          </Panel>
        )}
      </div>
    </div>
  )
}
