// An answer in a thread. Typed text stays until it is sent, also when the page is loaded again.
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import { pullParams } from '../pulls/pull-labels.ts'

export function ReplyBox({ pull, thread }: { pull: PullRow; thread: string }) {
  const key = `ao.reply.${pull.url}.${thread}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  const [isOpen, setOpen] = useState(text !== '')
  const write = (next: string) => {
    setText(next)
    if (next === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, next)
  }
  const send = useMutation({
    // The same answer sent again after a lost connection is one answer.
    mutationFn: (id: string) =>
      ask('POST /api/projects/:project/pulls/:number/reply', {
        params: pullParams(pull),
        body: { thread, body: text.trim() },
        headers: { 'idempotency-key': id },
      }),
    onSuccess: () => {
      write('')
      setOpen(false)
      return queryClient.invalidateQueries({ queryKey: ['pulls', pull.projectId, pull.number] })
    },
  })
  const attempt = useRef({ text: '', id: '' })
  const isEmpty = text.trim() === ''
  const submit = () => {
    if (isEmpty || send.isPending) return
    if (attempt.current.text !== text) attempt.current = { text, id: crypto.randomUUID() }
    send.mutate(attempt.current.id)
  }
  if (!isOpen) {
    return (
      <Button
        size="sm"
        variant="ghost"
        icon="chat"
        className="self-start"
        does="POST /api/projects/:project/pulls/:number/reply"
        onClick={() => setOpen(true)}
      >
        Reply
      </Button>
    )
  }
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <TextArea
        label="Reply in this thread"
        hideLabel
        placeholder={pull.sessionId === null ? 'Reply' : `Reply; ${pull.sessionId} gets it as a message`}
        className="min-h-16"
        maxLength={20_000}
        ref={focusOnce}
        value={text}
        readOnly={send.isPending}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation()
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
          if (event.key === 'Escape' && isEmpty) setOpen(false)
        }}
      />
      {send.error && (
        <p role="alert" className="text-sm text-bad">
          {send.error.message} {hintOf(send.error)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button
          size="sm"
          variant="ghost"
          onClick={() => {
            write('')
            setOpen(false)
          }}
        >
          Discard
        </Button>
        <Button
          size="sm"
          variant="primary"
          type="submit"
          does="POST /api/projects/:project/pulls/:number/reply"
          busy={send.isPending}
          disabled={isEmpty}
        >
          Reply
        </Button>
      </div>
    </form>
  )
}

/** A restored draft must not take the focus from what the person does now. */
function focusOnce(field: HTMLTextAreaElement | null): void {
  if (field !== null && field.value === '') field.focus()
}
