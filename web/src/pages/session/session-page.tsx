// One session: what it is, why, what it is doing, what it did, and the actions.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { SessionDetail } from '../../../../src/contract/dashboard/answers.ts'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { useAnswer } from '../../api/answered.tsx'
import { useCard, useSessionFeed } from '../../api/live.ts'
import { RequestError } from '../../api/request-error.ts'
import { mergeHistory } from '../../api/session-feed.ts'
import type { PageProps } from '../../routes.ts'
import { needLook, statusLook } from '../../session/labels.ts'
import { Matter, NeedActions, NeedBadge } from '../../session/need-view.tsx'
import { PermissionList } from '../../session/permission-list.tsx'
import { useSessionAct } from '../../session/use-session-act.ts'
import { NO_LINE_YET, Page } from '../../shell/page.tsx'
import { WayBack } from '../../shell/way-back.tsx'
import { Guarded } from '../../steady/guarded.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { ChangesTab } from './changes-tab.tsx'
import { DetailsTab } from './details-tab.tsx'
import { LiveTab } from './live-tab.tsx'
import { messagesOf } from './messages-of.ts'
import { MessagesTab } from './messages-tab.tsx'
import { SessionActions } from './session-actions.tsx'
import { SessionFacts } from './session-facts.tsx'
import { Timeline } from './timeline.tsx'
import { WhyPanel } from './why-panel.tsx'

export function SessionPage({ params }: PageProps) {
  const id = params.id ?? ''
  const detail = useAnswer(['session', id], 'GET /api/sessions/:id', { params: { id } })
  if (detail.isPending) {
    return (
      <Page isDense title={id} subtitle={NO_LINE_YET} above={TO_BOARD}>
        <Skeleton label={`Reading ${id}`} />
      </Page>
    )
  }
  // A session that is gone is not shown: nothing could be done with it.
  if (detail.error && (!detail.data || isGone(detail.error))) {
    return (
      <Page title={id} above={TO_BOARD}>
        <ErrorState error={detail.error} onRetry={() => void detail.refetch()} />
      </Page>
    )
  }
  return <SessionView key={id} detail={detail.data} />
}

const TO_BOARD = <WayBack to="Board" href="/" />

function isGone(error: Error): boolean {
  return error instanceof RequestError && error.code === 'SESSION_NOT_FOUND'
}

const TABS = ['live', 'changes', 'timeline', 'messages', 'details'] as const
type TabId = (typeof TABS)[number]

function SessionView({ detail }: { detail: SessionDetail }) {
  const { id } = detail.card
  // The stream's card is newer than the response; an archived session is not on the board.
  const onBoard = useCard(id)
  const card = onBoard ?? detail.card
  const feed = useSessionFeed(id)
  const history = mergeHistory(detail.history, feed.history)
  useFreshDetail(detail, { events: history.length, isOnBoard: onBoard !== null })
  // Of an agent that has ended, people want to see its last screen; without one, what happened to it.
  const [tab, setTab] = useTab(
    card.can.view === null && !detail.isRecorded && card.waits === null ? 'timeline' : 'live',
  )
  const messages = messagesOf(history)
  return (
    <Page
      isDense
      title={card.title}
      above={detail.archivedAt === null ? TO_BOARD : <WayBack to="Archive" href="/archive" />}
      subtitle={<SessionFacts card={card} archivedAt={detail.archivedAt} />}
      actions={<SessionActions card={card} isArchived={detail.archivedAt !== null} />}
    >
      <NeedBanner card={card} />
      <Guarded className="mb-3 max-h-[60vh] shrink-0 overflow-y-auto has-[>:empty]:hidden">
        <PermissionList sessionId={id} requests={card.permissions} />
      </Guarded>
      <div className="flex min-h-0 flex-1 gap-5">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-1.5">
          <Tabs
            label="Parts of the session"
            name="session"
            selected={tab}
            onSelect={(next) => setTab(next as TabId)}
            tabs={[
              {
                id: 'live',
                label: card.waits !== null ? 'Waiting' : card.can.view === null ? 'Terminal' : 'Live',
                icon: card.waits !== null ? 'clock' : card.can.view === 'transcript' ? 'chat' : 'terminal',
              },
              { id: 'changes', label: 'Changes', icon: 'diff' },
              { id: 'timeline', label: 'Timeline', icon: 'list', count: history.length },
              { id: 'messages', label: 'Messages', icon: 'send', count: messages.length },
              { id: 'details', label: 'Details', icon: 'info' },
            ]}
          />
          <TabPanel name="session" selected={tab}>
            {tab === 'live' && (
              <LiveTab card={card} workspacePath={detail.workspacePath} feed={feed} history={history} />
            )}
            {tab === 'changes' && <ChangesTab card={card} />}
            {tab === 'timeline' && <Timeline card={card} history={history} />}
            {tab === 'messages' && <MessagesTab card={card} messages={messages} />}
            {tab === 'details' && <DetailsTab detail={detail} card={card} />}
          </TabPanel>
        </div>
        <aside aria-label="Why" className="hidden w-80 shrink-0 overflow-y-auto 2xl:block">
          <WhyPanel card={card} why={detail.why} />
        </aside>
      </div>
    </Page>
  )
}

/** The tab is in the address, so that it survives going back and can be shared. */
function useTab(first: TabId): [TabId, (tab: TabId) => void] {
  const search = useSearch()
  const [location, navigate] = useLocation()
  const named = new URLSearchParams(search).get('tab')
  const tab = TABS.find((one) => one === named) ?? first
  return [tab, (next) => navigate(`${location}?tab=${next}`, { replace: true })]
}

/** Something happened to the session since it was read: its record and reasons may have changed too. */
function useFreshDetail(detail: SessionDetail, now: { events: number; isOnBoard: boolean }): void {
  const client = useQueryClient()
  const { id } = detail.card
  /** It changes when the session is archived, and when it is restored. */
  const wasOnBoard = useRef(now.isOnBoard)
  const { isOnBoard } = now
  const isOld = now.events > detail.history.length
  useEffect(() => {
    if (!isOld && wasOnBoard.current === isOnBoard) return
    wasOnBoard.current = isOnBoard
    void client.invalidateQueries({ queryKey: ['session', id] })
  }, [isOld, isOnBoard, client, id])
}

// What the session needs, on its own page: the matter, and the same buttons as in the queue.

/** A permission has its own box. In a transcript the question is the last thing that was said. */
function NeedBanner({ card }: { card: SessionCard }) {
  const acting = useSessionAct(card)
  const { need } = card
  if (card.column !== 'needs_you' || !need || need.kind === 'permission') return null
  const isInTranscript = card.can.view === 'transcript' && (need.kind !== 'error' || need.cause === 'silent')
  return (
    <section
      aria-label="What it needs"
      className="mb-2 flex max-h-[40vh] shrink-0 flex-wrap items-start gap-x-3 gap-y-1 overflow-y-auto rounded-lg border border-l-2 border-l-attention! bg-surface px-3 py-1.5 max-sm:block max-sm:max-h-[25vh] max-sm:py-1 max-sm:[&_p.max-h-96]:inline [&_p]:text-base [&_p.line-clamp-6]:line-clamp-3 max-sm:[&_p]:text-sm"
    >
      {/* Its status stands above. */}
      {(isInTranscript || needLook(need).word !== statusLook(card).word) && (
        <div className="flex min-h-7 items-center gap-2 max-sm:hidden">
          <NeedBadge need={need} />
          <TimeAgo at={need.since} className="text-xs text-faint" />
        </div>
      )}
      {!isInTranscript && <Matter need={need} whole={need.kind === 'question'} />}
      <div className="ml-auto flex flex-wrap gap-1.5 max-sm:sticky max-sm:-bottom-1 max-sm:float-right max-sm:bg-surface max-sm:pb-1 max-sm:pl-2">
        <NeedActions card={card} need={need} acting={acting} />
      </div>
    </section>
  )
}
