// One message of a transcript, each kind in its own form.
import { memo, type ReactNode } from 'react'
import type {
  ErrorMessage,
  NoticeMessage,
  PermissionMessage,
  PlanMessage,
  SpokenMessage,
  TranscriptMessage,
  TurnEndMessage,
  UsageMessage,
  UserMessage,
} from '../../../src/contract/agh/transcript.ts'
import type { PermissionDecision } from '../../../src/contract/permission.ts'
import { PermissionPrompt } from '../session/permission-prompt.tsx'
import { SHADE_MS } from '../steady/steady-list.ts'
import { useLinger } from '../steady/use-linger.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { formatCount } from '../ui/text/format.ts'
import { TimeAgo } from '../ui/text/time-ago.tsx'
import { ToolItem } from './tool-item.tsx'

interface Props {
  sessionId: string
  message: TranscriptMessage
}

export const TranscriptItem = memo(function TranscriptItem({ sessionId, message }: Props) {
  switch (message.role) {
    case 'user':
      return <Said message={message} />
    case 'assistant':
      return <Spoken message={message} />
    case 'thought':
      return <Thought message={message} />
    case 'tool':
      return <ToolItem message={message} />
    case 'plan':
      return <Plan message={message} />
    case 'permission':
      return <Permission sessionId={sessionId} message={message} />
    case 'usage':
      return <Usage message={message} />
    case 'turn_end':
      return <TurnEnd message={message} />
    case 'error':
      return <Failure message={message} />
    case 'notice':
      return <NoticeLine message={message} />
    // A server that is newer than this page may send unknown kinds.
    default:
      return null
  }
})

function Said({ message }: { message: UserMessage }) {
  return (
    <div className="ml-auto max-w-[85%] rounded-lg bg-accent-soft px-3 py-2">
      <div className="mb-0.5 flex gap-2 text-xs text-muted">
        <span className="font-medium">{message.source === 'user' ? 'You' : message.source}</span>
        <TimeAgo at={message.timestamp} />
      </div>
      <div className="whitespace-pre-wrap">{message.text}</div>
    </div>
  )
}

function Spoken({ message }: { message: SpokenMessage }) {
  return (
    <div className="max-w-3xl">
      <div className="whitespace-pre-wrap">{message.text}</div>
      {message.attachments.map((one) => (
        <div key={`${one.uri}${one.name}`} className="mt-1 text-xs text-muted">
          {one.type}: {one.name ?? one.uri ?? one.mime_type}
        </div>
      ))}
    </div>
  )
}

function Thought({ message }: { message: SpokenMessage }) {
  return (
    <details className="max-w-3xl text-sm text-muted">
      <summary className="text-xs text-faint select-none">Thought</summary>
      <div className="mt-1 border-l-2 pl-3 whitespace-pre-wrap italic">{message.text}</div>
    </details>
  )
}

const STEPS: Record<string, { icon: IconName; word: string; look: string }> = {
  completed: { icon: 'check', word: 'done', look: 'text-good' },
  in_progress: { icon: 'pulse', word: 'under way', look: 'text-live' },
  pending: { icon: 'clock', word: 'to do', look: 'text-faint' },
}

function Plan({ message }: { message: PlanMessage }) {
  return (
    <div className="max-w-3xl rounded-lg border px-3 py-2">
      <div className="mb-1 text-xs font-semibold text-muted">Plan</div>
      <ol className="flex flex-col gap-1 text-sm">
        {message.entries.map((entry, index) => {
          const step = STEPS[entry.status] ?? STEPS.pending!
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a plan's entries have no other name and keep their order.
            <li key={index} className="flex items-start gap-2">
              <Icon name={step.icon} className={`mt-0.5 size-3.5 ${step.look}`} />
              <span className="sr-only">{step.word}: </span>
              <span className={entry.status === 'completed' ? 'text-muted line-through' : ''}>{entry.content}</span>
            </li>
          )
        })}
      </ol>
    </div>
  )
}

function Permission({ sessionId, message }: { sessionId: string; message: PermissionMessage }) {
  if (useLinger(message.status === 'pending', SHADE_MS)) {
    const options = message.options.map(({ option_id, name, decision }) => ({
      optionId: option_id,
      name,
      decision: decision as PermissionDecision,
    }))
    return (
      <div className="max-w-3xl">
        <PermissionPrompt
          sessionId={sessionId}
          request={{
            requestId: message.request_id,
            title: message.text,
            kind: message.kind,
            options,
            expiresAt: message.expires_at,
            diffs: message.diffs,
          }}
          isGone={message.status !== 'pending'}
        />
      </div>
    )
  }
  const allowed = message.status === 'allowed'
  return (
    <Line icon={allowed ? 'check' : 'cross'} look={allowed ? 'text-good' : 'text-bad'}>
      {WORDS[message.status]}
      {message.decided_by && ` by ${DECIDERS[message.decided_by] ?? message.decided_by}`}:{' '}
      <span className="font-mono text-xs">{message.text}</span>
    </Line>
  )
}

const WORDS: Record<PermissionMessage['status'], string> = {
  pending: 'Asked',
  allowed: 'Allowed',
  rejected: 'Rejected',
  cancelled: 'Cancelled',
}
const DECIDERS: Record<string, string> = {
  user: 'you',
  policy: 'the policy',
  expired: 'time',
  turn_cancelled: 'the end of the turn',
}

function Usage({ message }: { message: UsageMessage }) {
  const parts = [
    message.used !== null &&
      `${formatCount(message.used)} tokens in context${message.size ? ` of ${formatCount(message.size)}` : ''}`,
    message.cost && `${message.cost.amount.toFixed(2)} ${message.cost.currency}`,
  ].filter(Boolean)
  return parts.length === 0 ? null : <Line icon="info">{parts.join(' · ')}</Line>
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
      <div className="whitespace-pre-wrap">{message.text}</div>
    </div>
  )
}

function NoticeLine({ message }: { message: NoticeMessage }) {
  return (
    <Line icon={message.kind === 'runtime_warning' ? 'warning' : 'info'}>
      {message.text || message.kind.replaceAll('_', ' ')}
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
