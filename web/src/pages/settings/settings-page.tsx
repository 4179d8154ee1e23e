// The configuration in effect. It is changed in its file; this shows the result and its sources.
import { useMutation } from '@tanstack/react-query'
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
import { ReactionTable } from './reaction-table.tsx'

type Project = SettingsAnswer['projects'][number]
type Notifier = SettingsAnswer['notifiers'][number]

export function SettingsPage() {
  const asked = useAnswer(['settings'], 'GET /api/settings')
  return (
    <Page title="Settings" subtitle="What is in force now. A change in the file is taken over at once.">
      <Answered asked={asked}>
        {(settings) => (
          <div className="flex flex-col gap-4">
            <Panel title="This instance">
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
            <Notifiers notifiers={settings.notifiers} />
            {settings.projects.map((project) => (
              <ProjectPanel key={project.id} project={project} />
            ))}
          </div>
        )}
      </Answered>
    </Page>
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

function ProjectPanel({ project }: { project: Project }) {
  const { agent, runtime, workspace, tracker, scm } = project
  return (
    <Panel title={project.name === project.id ? project.name : `${project.name} (${project.id})`}>
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
      <ReactionTable reactions={project.reactions} />
    </Panel>
  )
}

function Notifiers({ notifiers }: { notifiers: Notifier[] }) {
  return (
    <Panel title="Notifiers">
      {notifiers.length === 0 && (
        <EmptyState title="Nobody is notified">Add one under notifiers: in the file.</EmptyState>
      )}
      <ul className="divide-y">
        {notifiers.map((notifier) => (
          <li key={notifier.name} className="flex flex-wrap items-center gap-2 px-4 py-2.5">
            <span className="font-medium">{notifier.name}</span>
            {notifier.plugin !== notifier.name && <span className="text-xs text-muted">{notifier.plugin}</span>}
            <span className="flex flex-1 flex-wrap gap-1">
              {notifier.priorities.length === 0 && <span className="text-xs text-muted">no route leads to it</span>}
              {notifier.priorities.map((priority) => (
                <Badge key={priority}>{priority}</Badge>
              ))}
            </span>
            <TestButton name={notifier.name} />
          </li>
        ))}
      </ul>
    </Panel>
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
      onClick={() => test.mutate()}
      aria-label={`Send a test through ${name}`}
    >
      Send a test
    </Button>
  )
}
