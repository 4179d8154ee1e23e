// Who is notified of what, with a test of each.
import { useMutation } from '@tanstack/react-query'
import type { SettingsAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { ask } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { toast, toastError } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { type Edit, EditButton, RemoveButton } from './edit/edit-buttons.tsx'

type Notifier = SettingsAnswer['notifiers'][number]

export function Notifiers({ notifiers, onEdit }: { notifiers: Notifier[]; onEdit: Edit }) {
  const names = notifiers.map(({ name }) => name)
  return (
    <Panel
      anchor="notifiers"
      title="Notifiers"
      actions={
        <>
          {notifiers.length > 0 && (
            <Button size="sm" icon="filter" does="POST /api/config" onClick={() => onEdit({ what: 'routing', names })}>
              Who gets what
            </Button>
          )}
          <Button size="sm" icon="plus" does="POST /api/config" onClick={() => onEdit({ what: 'new notifier' })}>
            Add a notifier
          </Button>
        </>
      }
    >
      {notifiers.length === 0 && (
        <p className="px-4 py-3 text-sm text-muted">
          Nobody is notified. Add a notifier: Slack, Discord, ntfy, a webhook or this desktop.
        </p>
      )}
      <ul className="divide-y">
        {notifiers.map((notifier) => (
          <NotifierItem key={notifier.name} notifier={notifier} onEdit={onEdit} />
        ))}
      </ul>
    </Panel>
  )
}

function NotifierItem({
  notifier: { name, plugin, priorities, isWritten, problem },
  onEdit,
}: {
  notifier: Notifier
  onEdit: Edit
}) {
  return (
    <li className="flex flex-wrap items-center gap-2 px-4 py-2.5">
      <span className="font-medium">{name}</span>
      {plugin !== name && <span className="text-xs text-muted">{plugin}</span>}
      <span className="flex flex-1 basis-48 flex-wrap gap-1">
        {priorities.length === 0 && <span className="text-xs text-muted">no route leads to it</span>}
        {priorities.map((priority) => (
          <Badge key={priority}>{priority}</Badge>
        ))}
      </span>
      {problem !== null && (
        <Badge tone="bad" icon="warning">
          Fails
        </Badge>
      )}
      <TestButton name={name} />
      {isWritten && (
        <>
          <EditButton label={`Edit ${name}`} onEdit={() => onEdit({ what: 'notifier', name, plugin })} />
          <RemoveButton path={['notifiers', name]} onEdit={onEdit} />
        </>
      )}
      {problem !== null && (
        <p className="w-full text-sm wrap-anywhere text-bad">The last notification was not delivered: {problem}</p>
      )}
    </li>
  )
}

function TestButton({ name }: { name: string }) {
  const test = useMutation({
    mutationFn: () => ask('POST /api/notifiers/:name/test', { params: { name } }),
    onSuccess: ({ ok, message }) =>
      toast({ tone: ok ? 'good' : 'bad', title: ok ? 'Delivered' : `${name} did not take it`, detail: message }),
    onError: (error) => toastError(error),
  })
  return (
    <Button
      size="sm"
      icon="send"
      runs={test}
      does="POST /api/notifiers/:name/test"
      aria-label={`Send a test through ${name}`}
    >
      Send a test
    </Button>
  )
}
