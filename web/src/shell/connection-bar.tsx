// Says plainly when what is shown may be outdated: the server is lost, refuses us, or nothing watches the sessions.
import { useState } from 'react'
import type { Notice } from '../../../src/contract/dashboard/cards.ts'
import { describeRight } from '../../../src/core/access/device-rights.ts'
import { useAccess } from '../api/access.ts'
import { reconnectNow, useBoard, useConnection } from '../api/live.ts'
import { Button, IconButton, LinkButton } from '../ui/button.tsx'
import { formatTime } from '../ui/text/format.ts'
import { Bar } from './bar.tsx'
import { OldAnswerBar } from './old-answer-bar.tsx'

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
                {notice.fix && (
                  <LinkButton size="sm" href={notice.fix}>
                    Fix it
                  </LinkButton>
                )}
                <IconButton
                  icon="cross"
                  size="sm"
                  label="Hide until it changes"
                  onClick={() => setHidden(new Set(hidden).add(keyOf(notice)))}
                />
              </>
            }
          >
            {notice.text}
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
