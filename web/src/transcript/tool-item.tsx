// A tool call of an agent: what, its result, what it printed and changed.

import type { ToolMessage } from '../../../src/contract/agh/transcript.ts'
import { ownValue } from '../../../src/core/text/json-fields.ts'
import { Icon, type IconName } from '../ui/icon.tsx'
import { SpinnerRing } from '../ui/spinner.tsx'
import { AnsiText } from '../ui/text/ansi-text.tsx'
import { Visible } from '../ui/text/visible.tsx'
import { FileDiffs } from './file-diffs.tsx'
import { MessagePicture } from './message-picture.tsx'

const ICONS: Record<string, IconName> = {
  read: 'eye',
  edit: 'diff',
  delete: 'cross',
  search: 'search',
  execute: 'terminal',
  fetch: 'external',
  think: 'chat',
}

const STATES: Record<ToolMessage['status'], string> = {
  pending: 'waiting',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
}

export function ToolItem({ sessionId, message }: { sessionId: string; message: ToolMessage }) {
  const { status, locations, output, diffs, images = [] } = message
  const hasMore = output !== '' || diffs.length + images.length > 0
  const heading = (
    <>
      <Icon name={ownValue(ICONS, message.kind) ?? 'tool'} className="size-3.5 text-faint" />
      <span className="min-w-0 flex-1 truncate font-mono text-xs">
        <Visible text={message.text || message.kind} />
      </span>
      {locations[0] && !message.text.includes(locations[0].path) && (
        <span className="truncate font-mono text-2xs text-faint max-sm:hidden">
          <Visible text={locations[0].path} />
        </span>
      )}
      <span
        className={`flex items-center gap-1 text-xs ${status === 'failed' ? 'font-medium text-bad' : 'text-faint'}`}
      >
        {status === 'in_progress' && <SpinnerRing className="size-2.5" />}
        {status === 'failed' && <Icon name="cross" className="size-3" />}
        {STATES[status]}
      </span>
    </>
  )
  const row = 'flex min-h-8 items-center gap-2 px-3 py-1'
  if (!hasMore) return <div className={`${row} max-w-3xl rounded-lg border`}>{heading}</div>
  return (
    <details open={status === 'failed' || diffs.length + images.length > 0} className="max-w-4xl rounded-lg border">
      <summary className={`${row} rounded-lg hover:bg-hover`}>{heading}</summary>
      <div className="flex flex-col gap-2 border-t p-2">
        <FileDiffs diffs={diffs} late />
        {images.map((image) => (
          <MessagePicture key={image.index} sessionId={sessionId} image={image} />
        ))}
        {output !== '' && (
          <pre className="max-h-72 overflow-auto rounded bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">
            <AnsiText text={output} />
          </pre>
        )}
      </div>
    </details>
  )
}
