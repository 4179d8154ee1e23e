// Several tool calls in a row, folded into one line; open while one of them is running.
import { useState } from 'react'
import type { ToolMessage } from '../../../src/contract/agh/transcript.ts'
import { Icon } from '../ui/icon.tsx'
import { SpinnerRing } from '../ui/spinner.tsx'
import { describeTools } from './group-rows.ts'
import { ToolItem } from './tool-item.tsx'

interface Props {
  sessionId: string
  messages: readonly ToolMessage[]
  /** The search led here. */
  isFound: boolean
}

export function ToolGroup({ sessionId, messages, isFound }: Props) {
  const [choice, setChoice] = useState<boolean | null>(null)
  const running = messages.find(({ status }) => status === 'in_progress')
  const open = choice ?? isFound
  return (
    <div className="rounded-lg border">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setChoice(!open)}
        className="flex min-h-8 w-full items-center gap-2 rounded-lg px-3 py-1 text-left text-xs hover:bg-hover"
      >
        <Icon name={open ? 'down' : 'right'} className="size-3.5 text-faint" />
        <Icon name="tool" className="size-3.5 text-faint" />
        <span className="font-medium">{describeTools(messages)}</span>
        {running && (
          <span className="flex min-w-0 items-center gap-1.5 text-muted">
            <SpinnerRing className="size-2.5" />
            <span className="truncate font-mono">{running.text || running.kind}</span>
          </span>
        )}
      </button>
      {open && (
        <div className="flex flex-col gap-2 border-t p-2">
          {messages.map((message) => (
            <ToolItem key={message.id} sessionId={sessionId} message={message} />
          ))}
        </div>
      )}
    </div>
  )
}
