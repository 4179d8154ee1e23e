// The session as it is now: its terminal, or its transcript. Below it, a message to the agent.
import { lazy, Suspense, useMemo } from 'react'
import type { TranscriptMessage } from '../../../../src/contract/agh/transcript.ts'
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { loadPart } from '../../api/load-part.ts'
import type { HistoryEvent, SessionFeed } from '../../api/session-feed.ts'
import { MessageComposer, ReceiptLine } from '../../session/message-composer.tsx'
import { ACT_ROUTES, useSessionAct } from '../../session/use-session-act.ts'
import { type SavedTurn, SENDER_KEY, TranscriptView } from '../../transcript/transcript-view.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Spinner, SpinnerRing } from '../../ui/spinner.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { messagesOf } from './messages-of.ts'
import { StackPanel } from './stack-panel.tsx'
import { WaitingList } from './waiting-list.tsx'

const TerminalView = lazy(async () => ({
  default: (await loadPart(() => import('../../terminal/terminal-view.tsx'))).TerminalView,
}))

const RecordingView = lazy(async () => ({
  default: (await loadPart(() => import('../../terminal/recording-view.tsx'))).RecordingView,
}))

interface Props {
  card: SessionCard
  workspacePath: string | null
  feed: SessionFeed
  history: readonly HistoryEvent[]
}

export function LiveTab({ card, workspacePath, feed, history }: Props) {
  const { transcript, older } = feed
  const { can } = card
  const isBusy = can.view === 'transcript' && can.send && card.activity === 'active'
  const acting = useSessionAct(card)
  const senders = useMemo(() => sendersOf(history), [history])
  const turns = useMemo(() => turnsOf(history), [history])
  return (
    <div className="flex min-h-[26rem] flex-1 flex-col gap-1.5">
      {can.view === 'terminal' && (
        <Suspense fallback={<Spinner label="Opening the terminal" className="flex-1 items-start!" />}>
          <TerminalView sessionId={card.id} canType={can.send} workspacePath={workspacePath} />
        </Suspense>
      )}
      {can.view === 'transcript' && (
        <TranscriptView {...{ sessionId: card.id, messages: transcript, older, spent: card.spent, senders, turns }} />
      )}
      {card.waits !== null && <NotStarted card={card} />}
      {can.view === null && card.waits === null && (
        <Suspense fallback={<Spinner label="Reading the terminal" className="flex-1 items-start!" />}>
          <RecordingView
            sessionId={card.id}
            workspacePath={workspacePath}
            otherwise={<NothingRuns canRestore={can.restore} />}
          />
        </Suspense>
      )}
      {isBusy && (
        <div className="flex items-center gap-2 text-xs text-muted">
          <SpinnerRing className="size-3" /> It is working.
          <Button
            size="sm"
            icon="stop"
            does={ACT_ROUTES.stop_turn}
            busy={acting.act === 'stop_turn'}
            onClick={() => acting.run('stop_turn')}
          >
            Stop
          </Button>
        </div>
      )}
      {can.send && <WaitingList sessionId={card.id} news={newsOf(history, transcript)} />}
      {can.send && (
        <div className="flex flex-col gap-2">
          <MessageComposer sessionId={card.id} label={`Message to ${card.id}`} always isBusy={isBusy} />
          <ReceiptLine sessionId={card.id} />
        </div>
      )}
    </div>
  )
}

function NotStarted({ card: { id, waits } }: { card: SessionCard }) {
  return (
    <div className="mx-auto w-full max-w-xl">
      <EmptyState icon="clock" title="It has not started yet">
        It <Visible text={waits ?? ''} />, and then starts by itself.
      </EmptyState>
      <StackPanel id={id} />
    </div>
  )
}

function NothingRuns({ canRestore }: { canRestore: boolean }) {
  return (
    <EmptyState icon="terminal" title="Nothing is running">
      {canRestore
        ? 'The agent has ended. Restore brings it back where it stopped; the timeline and the changes are still here.'
        : 'The agent has ended. The timeline and the changes are still here.'}
    </EmptyState>
  )
}

/** A message moves with an event of the history, or when its turn begins. */
function newsOf(history: readonly HistoryEvent[], transcript: readonly TranscriptMessage[]): string {
  const turns = transcript.reduce((sum, { role }) => (role === 'user' ? sum + 1 : sum), 0)
  return `${history.at(-1)?.seq ?? 0}.${turns}`
}

/** What was sent to the agent and not typed by a person, by its text: reactions, and the task that ao wrote. */
function sendersOf(history: readonly HistoryEvent[]): ReadonlyMap<string, string> {
  const sent = history.flatMap((event) =>
    event.type === 'message.queued' && event.source !== 'user' ? [[event.text, event.source] as const] : [],
  )
  return new Map(sent.map(([text, source]) => [text.slice(0, SENDER_KEY), source]))
}

function turnsOf(history: readonly HistoryEvent[]): ReadonlyMap<string, readonly SavedTurn[]> {
  const found = new Map<string, SavedTurn[]>()
  for (const { text, at, turn } of messagesOf(history).reverse()) {
    const key = text.slice(0, SENDER_KEY)
    if (turn !== null) found.set(key, [...(found.get(key) ?? []), { at, turn }])
  }
  return found
}
