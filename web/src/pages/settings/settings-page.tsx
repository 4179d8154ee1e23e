// The configuration in effect with its sources, and the buttons that change its file.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { SettingsAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { Page } from '../../shell/page.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { BrowserNotifications } from './browser-notifications.tsx'
import { DevicesPanel } from './devices/devices-panel.tsx'
import { type Edited, SettingsDialog } from './edit/dialogs.tsx'
import { UndoButton } from './edit/undo-button.tsx'
import { ReactionTable } from './reaction-table.tsx'

type Project = SettingsAnswer['projects'][number]
type Notifier = SettingsAnswer['notifiers'][number]

type Edit = (edited: Edited) => void

export function SettingsPage() {
  const asked = useAnswer(['settings'], 'GET /api/settings')
  const [edited, setEdited] = useState<Edited | null>(null)
  return (
    <Page
      title="Settings"
      subtitle="What is in force now. A change here or in the file is picked up at once."
      actions={
        <>
          <UndoButton />
          <Button icon="plus" does="POST /api/config" onClick={() => setEdited({ what: 'new project' })}>
            Add a project
          </Button>
        </>
      }
    >
      <Answered asked={asked}>
        {(settings) => (
          <div className="flex flex-col gap-4">
            <Panel
              title="This instance"
              actions={<EditButton label="Edit defaults and budget" onEdit={() => setEdited({ what: 'general' })} />}
            >
              <Facts
                rows={[
                  ['Configuration', settings.configPath],
                  ['Data', settings.dataDir],
                  ['Version', settings.version],
                ]}
              />
            </Panel>
            <DevicesPanel />
            <BrowserNotifications />
            <Notifiers notifiers={settings.notifiers} onEdit={setEdited} />
            {settings.projects.map((project) => (
              <ProjectPanel
                key={project.id}
                project={project}
                onEdit={setEdited}
                isLast={settings.projects.length === 1}
              />
            ))}
          </div>
        )}
      </Answered>
      {edited && <SettingsDialog edited={edited} onClose={() => setEdited(null)} />}
    </Page>
  )
}

function EditButton({ label, onEdit }: { label: string; onEdit: () => void }) {
  return (
    <Button size="sm" icon="edit" does="POST /api/config" onClick={onEdit} aria-label={label}>
      Edit
    </Button>
  )
}

function RemoveButton({ path, onEdit }: { path: [string, string]; onEdit: Edit }) {
  return (
    <Button
      size="sm"
      variant="ghost"
      does="POST /api/config"
      onClick={() => onEdit({ what: 'removal', path })}
      aria-label={`Remove ${path[1]}`}
    >
      Remove
    </Button>
  )
}

function Facts({ rows }: { rows: ReadonlyArray<readonly [string, string]> }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-6 gap-y-1.5 px-4 py-3 text-sm">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 font-mono text-xs leading-5">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function ProjectPanel({ project, onEdit, isLast }: { project: Project; onEdit: Edit; isLast: boolean }) {
  const { id, agent, runtime, workspace, tracker, scm } = project
  return (
    <Panel
      title={project.name === id ? project.name : `${project.name} (${id})`}
      actions={
        <>
          {!isLast && <RemoveButton path={['projects', id]} onEdit={onEdit} />}
          <EditButton label={`Edit ${id}`} onEdit={() => onEdit({ what: 'project', id })} />
        </>
      }
    >
      <Facts
        rows={[
          ['Path', project.path],
          ...(project.repo === null ? [] : [['Repository', project.repo] as const]),
          ['Default branch', project.defaultBranch],
          ['Agent', `${agent} in ${runtime}, ${workspace}`],
          ['Issues', tracker ?? 'none'],
          ['Pull requests', scm ?? 'none'],
        ]}
      />
      <ReactionTable
        reactions={project.reactions}
        onEdit={({ key, rule }) => onEdit({ what: 'reaction', project: id, key, rule })}
      />
    </Panel>
  )
}

function Notifiers({ notifiers, onEdit }: { notifiers: Notifier[]; onEdit: Edit }) {
  const names = notifiers.map(({ name }) => name)
  return (
    <Panel
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
        <EmptyState title="Nobody is notified">
          Add a notifier: Slack, Discord, ntfy, a webhook or this desktop.
        </EmptyState>
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
  notifier: { name, plugin, priorities, isWritten },
  onEdit,
}: {
  notifier: Notifier
  onEdit: Edit
}) {
  return (
    <li className="flex flex-wrap items-center gap-2 px-4 py-2.5">
      <span className="font-medium">{name}</span>
      {plugin !== name && <span className="text-xs text-muted">{plugin}</span>}
      <span className="flex flex-1 flex-wrap gap-1">
        {priorities.length === 0 && <span className="text-xs text-muted">no route leads to it</span>}
        {priorities.map((priority) => (
          <Badge key={priority}>{priority}</Badge>
        ))}
      </span>
      <TestButton name={name} />
      {isWritten && (
        <>
          <EditButton label={`Edit ${name}`} onEdit={() => onEdit({ what: 'notifier', name, plugin })} />
          <RemoveButton path={['notifiers', name]} onEdit={onEdit} />
        </>
      )}
    </li>
  )
}

function TestButton({ name }: { name: string }) {
  const test = useMutation({
    mutationFn: () => ask('POST /api/notifiers/:name/test', { params: { name } }),
    onSuccess: ({ ok, message }) =>
      toast({ tone: ok ? 'good' : 'bad', title: ok ? 'Delivered' : `${name} did not take it`, detail: message }),
    onError: (error) => toast({ tone: 'bad', title: error.message, detail: hintOf(error) }),
  })
  return (
    <Button
      size="sm"
      icon="send"
      busy={test.isPending}
      does="POST /api/notifiers/:name/test"
      onClick={() => test.mutate()}
      aria-label={`Send a test through ${name}`}
    >
      Send a test
    </Button>
  )
}
