// A session as a conversation, as it grows. Everything in it is other people's text and stays text. Only the rows in sight
// are drawn, however long it is.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { TranscriptMessage } from '../../../src/contract/agh/transcript.ts'
import type { Spent } from '../../../src/core/status/spent.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { groupRows, headOf } from './group-rows.ts'
import { useMarks } from './mark-found.ts'
import { ToolGroup } from './tool-group.tsx'
import { TranscriptHead } from './transcript-head.tsx'
import { TranscriptItem } from './transcript-item.tsx'
import { type Older, useAnchor, useOlder } from './use-older.ts'
import { useTranscriptSearch } from './use-transcript-search.ts'

interface Props {
  sessionId: string
  messages: readonly TranscriptMessage[]
  /** Messages with a smaller sequence are still on the server; null: all of them are here. */
  older: number | null
  spent: Spent | null
  /** Who sent a text that is not the person's, by the text. */
  senders: ReadonlyMap<string, string>
  /** Turns that can be gone back to, by the text that began them, oldest first. */
  turns: ReadonlyMap<string, readonly SavedTurn[]>
}

export interface SavedTurn {
  at: string
  turn: number
}

const USUAL_ROW_PX = 72

export function TranscriptView({ sessionId, messages, older: before, spent, senders, turns }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => groupRows(messages), [messages])
  const head = useMemo(() => headOf(messages), [messages])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: () => USUAL_ROW_PX,
    getItemKey: (index) => rows[index]!.id,
    overscan: 4,
  })
  const [following, setFollowing] = useFollowing(list, content)
  const older = useOlder(list, sessionId, before)
  useAnchor(list, virtual, rows, following)
  const search = useTranscriptSearch({
    sessionId,
    rows,
    before,
    older,
    show(index) {
      setFollowing(false)
      virtual.scrollToIndex(index, { align: 'center' })
    },
  })
  useMarks(list, search.query)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <TranscriptHead head={head} spent={spent} search={search} />
      <div
        ref={list}
        role="log"
        aria-label="Transcript"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto rounded-lg border bg-surface [overflow-anchor:none]"
      >
        {rows.length === 0 && (
          <EmptyState icon="chat" title="Nothing has been said yet">
            What the agent says and does appears here as it happens.
          </EmptyState>
        )}
        {before !== null && <Earlier older={older} />}
        <div ref={content} className="relative mx-auto mt-4 max-w-4xl" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ key, index, start }) => {
            const row = rows[index]!
            return (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className={`absolute inset-x-0 top-0 px-4 pb-3 ${index === search.row ? 'bg-accent-soft' : ''}`}
                style={{ transform: `translateY(${start}px)` }}
              >
                {row.kind === 'tools' ? (
                  <ToolGroup sessionId={sessionId} messages={row.messages} isFound={index === search.row} />
                ) : (
                  <TranscriptItem
                    sessionId={sessionId}
                    message={row.message}
                    sender={
                      row.message.role === 'user' ? (senders.get(row.message.text.slice(0, SENDER_KEY)) ?? null) : null
                    }
                    turn={turnOf(row.message, turns)}
                  />
                )}
              </div>
            )
          })}
        </div>
      </div>
      {!following && (
        <div className="absolute inset-x-0 bottom-3 flex justify-center">
          <Button size="sm" icon="down" className="shadow-float" onClick={() => setFollowing(true)}>
            To the newest
          </Button>
        </div>
      )}
    </div>
  )
}

function Earlier({ older }: { older: Older }) {
  return (
    <div className="flex flex-col items-center gap-1 pt-3">
      {older.problem && (
        <p role="status" className="text-xs text-bad">
          Earlier messages could not be loaded: {older.problem}
        </p>
      )}
      <Button variant="ghost" size="sm" busy={older.isLoading} onClick={() => void older.load()}>
        Earlier messages
      </Button>
    </div>
  )
}

/** The same text may have been sent before: the last one before it was said. */
function turnOf({ role, text, timestamp }: TranscriptMessage, turns: Props['turns']): number | null {
  if (role !== 'user') return null
  return turns.get(text.slice(0, SENDER_KEY))?.findLast(({ at }) => at <= timestamp)?.turn ?? null
}

/** This much of a text tells who sent it. */
export const SENDER_KEY = 2_000

type Element = React.RefObject<HTMLDivElement | null>

/** This close to the end counts as reading along. */
const NEAR_PX = 80
/** A scroll this long after the last touch, wheel or key is not the person's. */
const PERSON_MS = 1_000

/** While a conversation is at its end it stays there, whatever makes it grow; only a person leaves it. */
function useFollowing(list: Element, content: Element): [boolean, (on: boolean) => void] {
  const [following, setFollowing] = useState(true)
  useLayoutEffect(() => {
    if (!following || !content.current) return
    const watch = new ResizeObserver(() => list.current?.scrollTo({ top: list.current.scrollHeight }))
    watch.observe(content.current)
    return () => watch.disconnect()
  }, [following, list, content])
  useEffect(() => {
    const element = list.current
    if (!element) return
    let touchedAt = Number.NEGATIVE_INFINITY
    const onTouch = () => {
      touchedAt = performance.now()
    }
    const onScroll = () => {
      // What grows faster than it is drawn leaves the end behind for a moment.
      if (element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX) setFollowing(true)
      else if (performance.now() - touchedAt < PERSON_MS) setFollowing(false)
    }
    const stop = new AbortController()
    const options = { passive: true, signal: stop.signal }
    for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const)
      element.addEventListener(type, onTouch, options)
    // The scroll bar is dragged.
    element.addEventListener('pointermove', ({ buttons }) => buttons !== 0 && onTouch(), options)
    element.addEventListener('scroll', onScroll, options)
    return () => stop.abort()
  }, [list])
  return [following, setFollowing]
}
