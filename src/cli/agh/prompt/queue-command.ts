// Commands for the prompts of a session that wait behind its turn, and for the one whose turn failed.
import type { Call } from '../../../agh/client.ts'
import type { QueuedPromptView } from '../../../contract/agh/answers.ts'
import { ACT, rights } from '../../../core/boundary/rights.ts'
import { type WaitingChange, waitingChange } from '../../arguments/waiting-change.ts'
import { toOneLine } from '../../print/plain-text.ts'
import type { Column } from '../../print/table.ts'
import { aghCommand, SESSION_ARGUMENT } from '../agh-command.ts'

const COLUMNS: Column<QueuedPromptView>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'SINCE', text: ({ queued_at }) => queued_at },
  { title: 'FROM', text: ({ source }) => source },
  { title: 'PROMPT', text: ({ text }) => toOneLine(text), min: 20 },
]

export const sessionQueueCommand = aghCommand({
  name: 'session queue',
  inside: rights('no', 'no', 'family'),
  about: 'List, edit or withdraw the prompts that wait behind the running turn',
  details:
    'A prompt that was withdrawn is never sent; one whose turn has begun can be neither edited nor withdrawn, and the exit code is 5.',
  args: { session: SESSION_ARGUMENT },
  options: {
    withdraw: { value: 'prompt', about: 'Withdraw this one' },
    edit: { value: 'prompt', about: 'Replace the text of this message' },
    text: { value: 'text', about: 'The text, with --edit' },
  },
  async run({ args, options, agh, showTable }) {
    const change = waitingChange(options, { id: 'prompt', hint: 'See: agh session queue --help' })
    const answer =
      change === null
        ? await agh.call('GET /api/sessions/:id/queue', { params: { id: args.session } })
        : await changeQueue(agh, args.session, change)
    showTable({ whole: answer, rows: answer.queue, columns: COLUMNS, empty: 'No prompt waits.' })
    return 0
  },
})

function changeQueue({ call }: { call: Call }, session: string, change: WaitingChange) {
  const params = { id: session, prompt: change.id }
  if (change.text === null) return call('DELETE /api/sessions/:id/queue/:prompt', { params })
  return call('PATCH /api/sessions/:id/queue/:prompt', { params, body: { message: change.text } })
}

export const sessionRetryCommand = aghCommand({
  name: 'session retry',
  inside: ACT,
  about: 'Send the prompt of a failed turn again, word for word',
  details:
    'Only the newest turn, and only if it failed; so each turn is retried once. The exit code is 5 when there is nothing to retry.',
  args: { session: SESSION_ARGUMENT },
  options: { turn: { value: 'turn', about: 'Only if this is the newest turn' } },
  async run({ args, options, agh, show }) {
    const ask = { params: { id: args.session }, body: { turn_id: options.turn } }
    const answer = await agh.call('POST /api/sessions/:id/prompt/retry', ask)
    show(answer, () => [`${answer.turn_id} retries ${answer.retries}`])
    return 0
  },
})
