// A session as a conversation, as it grows. Everything in it is other people's text and stays text.
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { TranscriptMessage } from '../../../src/contract/agh/transcript.ts'
import { Guarded } from '../steady/guarded.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { TranscriptItem } from './transcript-item.tsx'

interface Props {
  sessionId: string
  messages: readonly TranscriptMessage[]
}

/** This close to the end counts as reading along. */
const NEAR_PX = 80

export function TranscriptView({ sessionId, messages }: Props) {
  const list = useRef<HTMLDivElement>(null)
  const [following, setFollowing] = useState(true)
  const content = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    if (!following || !content.current) return
    // Whatever made it grow: a new message, a longer one, an expanded detail.
    const watch = new ResizeObserver(() => list.current?.scrollTo({ top: list.current.scrollHeight }))
    watch.observe(content.current)
    return () => watch.disconnect()
  }, [following])
  useEffect(() => {
    const element = list.current
    const onScroll = () =>
      element && setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX)
    element?.addEventListener('scroll', onScroll, { passive: true })
    return () => element?.removeEventListener('scroll', onScroll)
  }, [])
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={list}
        role="log"
        aria-label="Transcript"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto rounded-lg border bg-surface"
      >
        <div ref={content}>
          <Guarded className="flex flex-col gap-3 p-4">
            {messages.length === 0 && (
              <EmptyState icon="chat" title="Nothing was said yet">
                What the agent says and does appears here as it happens.
              </EmptyState>
            )}
            {messages.map((message) => (
              <TranscriptItem key={message.id} sessionId={sessionId} message={message} />
            ))}
          </Guarded>
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
