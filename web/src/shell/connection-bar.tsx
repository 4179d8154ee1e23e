// Says plainly when what is shown may be outdated: the server is lost, refuses us, or nothing watches the sessions.

import { notifyManager } from '@tanstack/react-query'
import { type ReactNode, useState, useSyncExternalStore } from 'react'
import { type Notice, PAUSED_NOTICE } from '../../../src/contract/dashboard/cards.ts'
import { describeRight } from '../../../src/core/access/device-rights.ts'
import { useAccess } from '../api/access.ts'
import { reconnectNow, useBoard, useConnection } from '../api/live.ts'
import { queryClient } from '../api/query-client.ts'
import { Button, IconButton, LinkButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { formatTime, withLocalTimes } from '../ui/text/format.ts'
import { PauseButton } from './pause-button.tsx'

export function ConnectionBar() {
  const connection = useConnection()
  const board = useBoard()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  if (connection.state === 'refused') {
    return (
      <Bar tone="bad" icon="warning" action={<TryNow />}>
        <strong>{connection.why}.</strong> {board && 'What you see is old.'} {connection.hint}
      </Bar>
    )
  }
  if (connection.state === 'lost') {
    return (
      <Bar tone="bad" icon="offline" action={<TryNow />}>
        <strong>Connection lost.</strong> What you see is from {formatTime(connection.since, { seconds: true })}.{' '}
        {connection.why} Trying again on its own.
      </Bar>
    )
  }
  return (
    <>
      {connection.state === 'silent' && <SilentBar since={connection.since} />}
      <OldAnswerBar />
      <LimitedBar />
      {board && !board.loopRunning && (
        <Bar tone="attention" icon="eye">
          Nothing watches the sessions: statuses are as of each reading. End this ao dashboard and start the loop: ao
          start
        </Bar>
      )}
      {board?.notices
        .filter((notice) => !hidden.has(keyOf(notice)))
        .map((notice) => (
          <Bar
            key={notice.id}
            tone={notice.level === 'error' ? 'bad' : 'attention'}
            icon="warning"
            action={
              <>
                {notice.id === PAUSED_NOTICE && <PauseButton />}
                {notice.fix && (
                  <LinkButton size="sm" href={notice.fix}>
                    Fix it
                  </LinkButton>
                )}
                {notice.id !== PAUSED_NOTICE && (
                  <IconButton
                    icon="cross"
                    size="sm"
                    label="Hide until it changes"
                    onClick={() => setHidden(new Set(hidden).add(keyOf(notice)))}
                  />
                )}
              </>
            }
          >
            {withLocalTimes(notice.text)}
          </Bar>
        ))}
    </>
  )
}

/** Connected, and yet nothing comes: the server hangs, or the network between. */
function SilentBar({ since }: { since: number }) {
  return (
    <Bar tone="bad" icon="offline" action={<TryNow />}>
      <strong>No news from the server since {formatTime(since, { seconds: true })}.</strong> What you see may have
      changed since then.
    </Bar>
  )
}

/** A device that may not do everything says so before a button does. */
function LimitedBar() {
  const access = useAccess()
  if (!access?.device || access.right === 'full') return null
  return (
    <Bar tone="attention" icon="eye">
      This device, <strong>{access.device.name}</strong>, may {describeRight(access.right)}.
    </Bar>
  )
}

function TryNow() {
  return (
    <Button size="sm" onClick={reconnectNow}>
      Try now
    </Button>
  )
}

function keyOf({ id, text }: Notice): string {
  return `${id}\n${text}`
}

/** Says that something on the page could not be refreshed: it is older than the rest. */
function OldAnswerBar() {
  const why = useSyncExternalStore(subscribe, readReason)
  if (why === null) return null
  return (
    <Bar
      tone="attention"
      icon="warning"
      action={
        <Button size="sm" onClick={() => void queryClient.refetchQueries({ type: 'active', predicate: isOld })}>
          Try again
        </Button>
      }
    >
      Something on this page could not be read again, and is older than it should be: {why}
    </Bar>
  )
}

type Query = ReturnType<ReturnType<typeof queryClient.getQueryCache>['getAll']>[number]

/** An answer that never came is reported where it was given. */
function isOld({ state }: Pick<Query, 'state'>): boolean {
  return state.status === 'error' && state.data !== undefined
}

function readReason(): string | null {
  const old = queryClient
    .getQueryCache()
    .getAll()
    .find((query) => query.isActive() && isOld(query))
  return old?.state.error?.message ?? null
}

function subscribe(listener: () => void): () => void {
  return queryClient.getQueryCache().subscribe(notifyManager.batchCalls(listener))
}

const TONES = { bad: 'bg-bad-soft text-bad', attention: 'bg-attention-soft text-attention' }

interface BarProps {
  tone: keyof typeof TONES
  icon: IconName
  action?: ReactNode
  children: ReactNode
}

/** A line across the top of every page: something one must know before trusting the rest. */
function Bar({ tone, icon, action, children }: BarProps) {
  return (
    <div
      role="status"
      className={`flex items-center gap-2.5 px-4 max-md:border-t md:border-b py-1.5 text-sm max-sm:py-1 max-sm:text-xs sm:px-6 ${TONES[tone]}`}
    >
      <Icon name={icon} />
      <div className="min-w-0 flex-1">{children}</div>
      {action}
    </div>
  )
}
