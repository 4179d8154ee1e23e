// Says plainly when what is shown may be old: the server is lost, refuses us, or nothing watches the sessions.
import type { ReactNode } from 'react'
import { reconnectNow, useBoard, useConnection } from '../api/live.ts'
import { Button } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'

export function ConnectionBar() {
  const connection = useConnection()
  const board = useBoard()
  if (connection.state === 'refused') {
    return (
      <Bar tone="bad" icon="warning">
        {connection.why} {connection.hint}
      </Bar>
    )
  }
  if (connection.state === 'lost') {
    return (
      <Bar
        tone="bad"
        icon="offline"
        action={
          <Button size="sm" onClick={reconnectNow}>
            Try now
          </Button>
        }
      >
        <strong>Connection lost.</strong> What you see is from {new Date(connection.since).toLocaleTimeString()}.{' '}
        {connection.why} Trying again on its own.
      </Bar>
    )
  }
  return (
    <>
      {board && !board.loopRunning && (
        <Bar tone="attention" icon="eye">
          Nothing watches the sessions: statuses are as of each reading. Start the loop with: ao start
        </Bar>
      )}
      {board?.notices.map((notice) => (
        <Bar key={notice.id} tone={notice.level === 'error' ? 'bad' : 'attention'} icon="warning">
          {notice.text}
        </Bar>
      ))}
    </>
  )
}

const TONES = { bad: 'bg-bad-soft text-bad', attention: 'bg-attention-soft text-attention' }

interface BarProps {
  tone: keyof typeof TONES
  icon: IconName
  action?: ReactNode
  children: ReactNode
}

function Bar({ tone, icon, action, children }: BarProps) {
  return (
    <div role="status" className={`flex items-center gap-2.5 border-b px-4 py-1.5 text-sm sm:px-6 ${TONES[tone]}`}>
      <Icon name={icon} />
      <div className="min-w-0 flex-1">{children}</div>
      {action}
    </div>
  )
}
