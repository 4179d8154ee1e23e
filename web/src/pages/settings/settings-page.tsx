// The configuration in effect with its sources, and the buttons that change its file.
import { useState } from 'react'
import type { SettingsAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { useRefusal } from '../../api/may.ts'
import { Page } from '../../shell/page.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { BrowserNotifications } from './browser-notifications.tsx'
import { DevicesPanel } from './devices/devices-panel.tsx'
import { type Edited, SettingsDialog } from './edit/dialogs.tsx'
import { type Edit, EditButton, RemoveButton } from './edit/edit-buttons.tsx'
import { useConfigFile, useUndo } from './edit/use-config.ts'
import { Notifiers } from './notifiers-panel.tsx'
import { ReactionTable } from './reaction-table.tsx'

type Project = SettingsAnswer['projects'][number]

export function SettingsPage() {
  const query = useAnswer(['settings'], 'GET /api/settings')
  const [edited, setEdited] = useState<Edited | null>(null)
  return (
    <Page
      title="Settings"
      subtitle="The effective settings. Changes here or in the file take effect immediately."
      actions={
        <>
          <UndoButton />
          <Button icon="plus" does="POST /api/config" onClick={() => setEdited({ what: 'new project' })}>
            Add a project
          </Button>
        </>
      }
    >
      <Answered query={query}>
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
        project={id}
        reactions={project.reactions}
        onEdit={({ key, rule }) => onEdit({ what: 'reaction', project: id, key, rule })}
      />
    </Panel>
  )
}

/** Undoes the last change that ao made to the file, as long as nobody else has changed it since. */
function UndoButton() {
  const refusal = useRefusal('POST /api/config/undo')
  return refusal === null ? <Undo /> : null
}

function Undo() {
  const undo = useUndo()
  const { data } = useConfigFile()
  if (!data?.canUndo) return null
  return (
    <Button icon="restore" does="POST /api/config/undo" runs={undo}>
      Undo the last change
    </Button>
  )
}
