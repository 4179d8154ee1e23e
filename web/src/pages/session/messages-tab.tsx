// Everything that was sent to the agent, by whom, and how far it got.
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'
import { MessageComposer, ReceiptLine } from '../../session/message-composer.tsx'
import { TurnMenu } from '../../session/turn-menu.tsx'
import { AttachedFiles } from '../../transcript/attached-files.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { ScrollArea } from '../../ui/scroll-area.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import type { SentMessage } from './messages-of.ts'

const LEVELS: Record<SentMessage['level'], { word: string; tone: Tone; icon: IconName }> = {
  queued: { word: 'Queued', tone: 'neutral', icon: 'clock' },
  held: { word: 'Held', tone: 'attention', icon: 'clock' },
  handed_over: { word: 'Handed over', tone: 'attention', icon: 'clock' },
  seen: { word: 'Seen', tone: 'good', icon: 'check' },
  undelivered: { word: 'Not delivered', tone: 'bad', icon: 'warning' },
  withdrawn: { word: 'Withdrawn', tone: 'neutral', icon: 'cross' },
}

export function MessagesTab({ card, messages }: { card: SessionCard; messages: readonly SentMessage[] }) {
  return (
    <ScrollArea label="Messages" className="flex flex-col gap-4 pb-4">
      {card.can.send && (
        <div className="max-w-3xl">
          <MessageComposer sessionId={card.id} label={`Message to ${card.id}`} always />
          <ReceiptLine sessionId={card.id} />
        </div>
      )}
      {messages.length === 0 && (
        <EmptyState icon="send" title="No message has been sent yet">
          What you, reactions and other sessions send to the agent is listed here with its receipt.
        </EmptyState>
      )}
      <ol className="flex max-w-3xl flex-col gap-2">
        {messages.map(({ messageId, text, source, at, level, why, turn, files }) => {
          const { word, tone, icon } = LEVELS[level]
          return (
            <li key={messageId} className="rounded-lg border bg-surface px-3 py-2">
              <div className="mb-1 flex items-center gap-2 text-xs text-muted">
                <span className="font-medium">{source}</span>
                <TimeAgo at={at} />
                <span className="ml-auto flex items-center gap-1">
                  {turn !== null && <TurnMenu sessionId={card.id} turn={turn} text={text} />}
                  <Badge tone={tone} icon={icon}>
                    {word}
                  </Badge>
                </span>
              </div>
              <section
                aria-label={`Text of the message of ${source}`}
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
                tabIndex={0}
                className="max-h-60 overflow-y-auto text-sm whitespace-pre-wrap"
              >
                <Visible text={text} lines />
              </section>
              <AttachedFiles sessionId={card.id} files={files} />
              {why && <div className="mt-1 text-xs text-bad">{why}</div>}
            </li>
          )
        })}
      </ol>
    </ScrollArea>
  )
}
