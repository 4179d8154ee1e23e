// The form for a message to an agent, and the receipt: how far the message really got.
import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { ReceiptLevel } from '../../../src/contract/session.ts'
import { useRefusal } from '../api/may.ts'
import { TONE_TEXT, type Tone } from '../ui/badge.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { SpinnerRing } from '../ui/spinner.tsx'
import { TextArea } from '../ui/text-field.tsx'
import { DropArea, FileButton, FileList } from './file-picker.tsx'
import {
  addFiles,
  closeLetter,
  type Delivery,
  forgetDelivery,
  removeFile,
  sendLetter,
  useLetter,
  writeDraft,
} from './outbox.ts'
import { useKeepFocus } from './use-keep-focus.ts'

interface Props {
  sessionId: string
  label: string
  /** It stays open: there is nothing to cancel. */
  always?: boolean
  /** A turn is running: the message waits behind it, unless it interrupts. */
  isBusy?: boolean
}

export function MessageComposer({ sessionId, label, always = false, isBusy = false }: Props) {
  const { draft, files, delivery } = useLetter(sessionId)
  const refusal = useRefusal('POST /api/sessions/:id/send')
  const box = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  useKeepFocus(box, sessionId)
  useEffect(() => {
    if (!always) field.current?.focus()
  }, [always])
  function onKeyDown(event: KeyboardEvent): void {
    event.stopPropagation()
    if (event.key === 'Escape' && !always) closeLetter(sessionId)
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && refusal === null) void sendLetter(sessionId)
  }
  const sending = delivery?.state === 'sending'
  const isEmpty = draft.trim() === '' && files.length === 0
  const onFiles = sending || refusal !== null ? null : (chosen: Iterable<File>) => void addFiles(sessionId, chosen)
  return (
    // Where it is always there, its room is the session's: one line until there is more to say.
    <div ref={box} className={always ? 'flex flex-wrap items-end gap-2' : 'flex flex-col gap-2'}>
      <div className={always ? 'flex min-w-48 flex-1 flex-col gap-2' : 'contents'}>
        <DropArea onFiles={onFiles}>
          <TextArea
            ref={field}
            label={label}
            hideLabel
            placeholder={refusal ?? label}
            rows={always ? 1 : 3}
            value={draft}
            readOnly={sending}
            disabled={refusal !== null}
            onChange={(event) => writeDraft(sessionId, event.target.value)}
            onKeyDown={onKeyDown}
          />
        </DropArea>
        <FileList files={files} onRemove={sending ? null : (id) => removeFile(sessionId, id)} />
      </div>
      <div className="flex items-center gap-2">
        <Button
          variant="primary"
          size="sm"
          icon="send"
          does="POST /api/sessions/:id/send"
          busy={sending}
          disabled={isEmpty}
          onClick={() => void sendLetter(sessionId)}
        >
          {sending ? 'Sending…' : isBusy ? 'Send after this turn' : 'Send'}
        </Button>
        {isBusy && (
          <Button
            size="sm"
            does="POST /api/sessions/:id/send"
            disabled={sending || isEmpty}
            onClick={() => void sendLetter(sessionId, { interrupt: true })}
          >
            Interrupt and send
          </Button>
        )}
        <FileButton onFiles={onFiles} />
        {!always && (
          <Button variant="ghost" size="sm" onClick={() => closeLetter(sessionId)}>
            Cancel
          </Button>
        )}
        <span className="ml-auto truncate text-2xs text-faint max-sm:hidden pointer-coarse:hidden">
          Ctrl+Enter sends
        </span>
      </div>
    </div>
  )
}

export const RECEIPTS: Record<ReceiptLevel, { text: string; tone: Tone; icon: IconName }> = {
  seen: { text: 'Seen by the agent', tone: 'good', icon: 'check' },
  handed_over: { text: 'Handed over, not confirmed', tone: 'attention', icon: 'clock' },
  held: { text: 'Held until its question is answered', tone: 'attention', icon: 'clock' },
  undelivered: { text: 'Not delivered', tone: 'bad', icon: 'warning' },
}

export function ReceiptLine({ sessionId }: { sessionId: string }) {
  const { delivery } = useLetter(sessionId)
  return (
    <div role="status" className="empty:hidden">
      {delivery && <DeliveryText delivery={delivery} onForget={() => forgetDelivery(sessionId)} />}
    </div>
  )
}

function DeliveryText({ delivery, onForget }: { delivery: Delivery; onForget: () => void }) {
  if (delivery.state === 'sending') {
    return (
      <div className="flex items-center gap-1.5 text-xs text-muted">
        <SpinnerRing className="size-3" /> Sending…
      </div>
    )
  }
  const look = delivery.state === 'failed' ? RECEIPTS.undelivered : RECEIPTS[delivery.receipt.level]
  const why = delivery.state === 'failed' ? sentences(delivery.why, delivery.hint) : delivery.receipt.why
  return (
    <div className={`flex items-start gap-1.5 text-xs ${TONE_TEXT[look.tone]}`}>
      <Icon name={look.icon} className="mt-0.5 size-3.5" />
      <span className="min-w-0 flex-1">
        <span className="font-medium">{look.text}</span>
        {why && <span>: {why}</span>}
      </span>
      <IconButton
        icon="cross"
        label="Dismiss the receipt"
        size="sm"
        className="-my-1 min-h-6! w-6!"
        onClick={onForget}
      />
    </div>
  )
}

/** Each with one full stop, whether it came with one or not. */
function sentences(...parts: ReadonlyArray<string | null>): string {
  return parts.flatMap((part) => (part ? [/[.!?…]$/.test(part) ? part : `${part}.`] : [])).join(' ')
}
