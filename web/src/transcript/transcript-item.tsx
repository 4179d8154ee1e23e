// One message of a transcript, each kind in its own form.
import { memo, type ReactNode, useState } from 'react'
import type {
  ErrorMessage,
  NoticeMessage,
  PermissionMessage,
  SpokenMessage,
  TranscriptMessage,
  TurnEndMessage,
  UserMessage,
} from '../../../src/contract/agh/transcript.ts'
import { TurnMenu } from '../session/turn-menu.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Markdown } from '../ui/markdown/markdown.tsx'
import { TimeAgo } from '../ui/text/time-ago.tsx'
import { Readable, Visible } from '../ui/text/visible.tsx'
import { AttachedFiles } from './attached-files.tsx'
import { MessagePicture } from './message-picture.tsx'
import { ToolItem } from './tool-item.tsx'

interface Props {
  sessionId: string
  message: TranscriptMessage
  /** Who sent it, when not the person: ao itself, by the name of the reason. */
  sender: string | null
  /** Its files before it were saved under this number. */
  turn: number | null
}

export const TranscriptItem = memo(function TranscriptItem({ sessionId, message, sender, turn }: Props) {
  switch (message.role) {
    case 'user':
      return (
        <div className="flex items-start justify-end gap-1">
          {turn !== null && <TurnMenu sessionId={sessionId} turn={turn} text={message.text} />}
          {sender === null ? (
            <UserText sessionId={sessionId} message={message} />
          ) : (
            <SentByAo sessionId={sessionId} message={message} sender={sender} />
          )}
        </div>
      )
    case 'assistant':
      return <Spoken sessionId={sessionId} message={message} />
    case 'thought':
      return <Thought message={message} />
    case 'tool':
      return <ToolItem sessionId={sessionId} message={message} />
    case 'permission':
      return <Permission message={message} />
    case 'turn_end':
      return <TurnEnd message={message} />
    case 'error':
      return <Failure message={message} />
    case 'notice':
      return <NoticeLine message={message} />
    // Plan and usage are above the list. A server that is newer than this page may send unknown kinds.
    default:
      return null
  }
})

function UserText({ sessionId, message }: { sessionId: string; message: UserMessage }) {
  return (
    <div className="max-w-[85%] rounded-lg bg-accent-soft px-3 py-2">
      <div className="mb-0.5 flex gap-2 text-xs text-muted">
        <span className="font-medium">{message.source === 'user' ? 'You' : message.source}</span>
        <TimeAgo at={message.timestamp} />
      </div>
      <Markdown text={message.text} />
      <AttachedFiles sessionId={sessionId} files={message.attachments} />
    </div>
  )
}

/** ao's own prompts are long and seldom what somebody came to read. */
function SentByAo({ sessionId, message, sender }: { sessionId: string; message: UserMessage; sender: string }) {
  const [open, setOpen] = useState(false)
  return (
    <details
      className="max-w-[85%] rounded-lg bg-sunken px-3 py-2"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="flex gap-2 text-xs text-muted">
        <span className="font-medium whitespace-nowrap">
          {sender === 'spawn' ? 'ao: the task' : `ao: ${sender.replaceAll('-', ' ')}`}
        </span>
        <TimeAgo at={message.timestamp} className="whitespace-nowrap" />
        <span className="min-w-0 truncate">{message.text.split('\n')[0]}</span>
      </summary>
      {open && <Markdown text={message.text} className="mt-2" />}
      {open && <AttachedFiles sessionId={sessionId} files={message.attachments} />}
    </details>
  )
}

function Spoken({ sessionId, message }: { sessionId: string; message: SpokenMessage }) {
  return (
    <div className="max-w-3xl">
      <Markdown text={message.text} />
      {message.attachments.map((one) =>
        one.image ? (
          <div key={one.image.sequence} className="mt-2">
            <MessagePicture sessionId={sessionId} image={one.image} name={one.name} />
          </div>
        ) : (
          <div key={`${one.uri}${one.name}`} className="mt-1 text-xs text-muted">
            {one.type}: {one.name ?? one.uri ?? one.mime_type}
          </div>
        ),
      )}
    </div>
  )
}

function Thought({ message }: { message: SpokenMessage }) {
  return (
    <details className="max-w-3xl text-sm text-muted">
      <summary className="text-xs text-faint select-none">Thought</summary>
      <div className="mt-1 border-l-2 pl-3 whitespace-pre-wrap italic">
        <Readable text={message.text} />
      </div>
    </details>
  )
}

/** It is answered above the conversation, where it keeps its place; here it is only told. */
function Permission({ message }: { message: PermissionMessage }) {
  const { status, decided_by } = message
  const { icon, look } = LOOKS[status]
  return (
    <Line icon={icon} look={look}>
      {decided_by === 'expired' ? 'Nobody answered in time; it was refused' : LABELS[status]}
      {decided_by && decided_by !== 'expired' && ` by ${DECIDERS[decided_by] ?? decided_by}`}:{' '}
      <span className="font-mono text-xs [overflow-wrap:anywhere] whitespace-pre-wrap">
        <Visible text={message.input?.text ?? message.text} lines />
      </span>
      {message.input?.differs && (
        <>
          {' '}
          (the agent calls it: <Visible text={message.text} />)
        </>
      )}
    </Line>
  )
}

const LOOKS: Record<PermissionMessage['status'], { icon: IconName; look: string }> = {
  pending: { icon: 'hand', look: 'text-attention' },
  allowed: { icon: 'check', look: 'text-good' },
  rejected: { icon: 'cross', look: 'text-bad' },
  cancelled: { icon: 'cross', look: 'text-bad' },
}
const LABELS: Record<PermissionMessage['status'], string> = {
  pending: 'Waits for an answer',
  allowed: 'Allowed',
  rejected: 'Rejected',
  cancelled: 'Cancelled',
}
const DECIDERS: Record<string, string> = {
  user: 'you',
  policy: 'the policy',
  turn_cancelled: 'the end of the turn',
}

function TurnEnd({ message }: { message: TurnEndMessage }) {
  const why = message.canceled_by ? `cancelled by ${message.canceled_by}` : message.stop_reason
  return (
    <div className="flex items-center gap-3 text-xs text-faint">
      <span className="h-px flex-1 bg-line" />
      Turn ended{why && why !== 'end_turn' ? `: ${why.replaceAll('_', ' ')}` : ''} <TimeAgo at={message.timestamp} />
      <span className="h-px flex-1 bg-line" />
    </div>
  )
}

function Failure({ message }: { message: ErrorMessage }) {
  return (
    <div className="flex max-w-3xl items-start gap-2 rounded-lg bg-bad-soft px-3 py-2 text-sm text-bad">
      <Icon name="warning" className="mt-0.5" />
      <div className="whitespace-pre-wrap">
        <Readable text={message.text} />
      </div>
    </div>
  )
}

function NoticeLine({ message }: { message: NoticeMessage }) {
  return (
    <Line icon={message.kind === 'runtime_warning' ? 'warning' : 'info'}>
      <Readable text={message.text || message.kind.replaceAll('_', ' ')} />
    </Line>
  )
}

function Line({ icon, look = 'text-faint', children }: { icon: IconName; look?: string; children: ReactNode }) {
  return (
    <div className="flex items-start gap-2 text-xs text-muted">
      <Icon name={icon} className={`mt-0.5 size-3.5 ${look}`} />
      <span className="min-w-0">{children}</span>
    </div>
  )
}
