// What can be edited on the page, each as the dialog of its fields.
import { useState } from 'react'
import { valueAt } from '../../../../../src/core/config/key-path.ts'
import { Select, TextField } from '../../../ui/text-field.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { generalFields, notifierFields, projectFields, type Rule, reactionFields, routingFields } from './fields.ts'
import { type ConfigAnswer, useConfigFile } from './use-config.ts'

export type Edited =
  | { what: 'general' }
  | { what: 'project'; id: string }
  | { what: 'new project' }
  | { what: 'notifier'; name: string; plugin: string }
  | { what: 'new notifier' }
  | { what: 'routing'; names: readonly string[] }
  | { what: 'reaction'; project: string; key: string; rule: Rule }
  | { what: 'removal'; path: [string, string] }

export interface DialogProps {
  edited: Edited
  onClose: () => void
}

/** Nothing is shown until the file has been read: that takes a moment. */
export function SettingsDialog({ edited, onClose }: DialogProps) {
  const { data: file } = useConfigFile()
  if (file === undefined) return null
  switch (edited.what) {
    case 'general':
      return <EditDialog title="Defaults and budget" file={file} fields={generalFields(file)} onClose={onClose} />
    case 'project':
      return (
        <EditDialog
          title={`Project ${edited.id}`}
          file={file}
          fields={projectFields(file, edited.id)}
          onClose={onClose}
        />
      )
    case 'new project':
      return <NewProject file={file} onClose={onClose} />
    case 'notifier':
      return (
        <EditDialog
          title={`Notifier ${edited.name}`}
          file={file}
          fields={notifierFields(edited.name, edited.plugin)}
          onClose={onClose}
        />
      )
    case 'new notifier':
      return <NewNotifier file={file} onClose={onClose} />
    case 'routing':
      return <EditDialog title="Who gets what" file={file} fields={routingFields(edited.names)} onClose={onClose} />
    case 'reaction':
      return <Reaction file={file} edited={edited} onClose={onClose} />
    case 'removal':
      return <Removal file={file} path={edited.path} onClose={onClose} />
  }
}

interface FileProps {
  file: ConfigAnswer
  onClose: () => void
}

function NewProject({ file, onClose }: FileProps) {
  const [id, setId] = useState('')
  return (
    <EditDialog
      title="Add a project"
      file={file}
      fields={projectFields(file, id || 'new')}
      onClose={onClose}
      above={
        <TextField
          label="Id"
          required
          data-focus-first
          pattern="[A-Za-z0-9_][A-Za-z0-9_\-]*"
          title="Letters, digits, - and _"
          hint="Names its sessions and its data; it cannot be changed later."
          error={valueAt(file.content, ['projects', id]) === undefined ? null : 'There is a project with this id.'}
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
      }
    />
  )
}

function NewNotifier({ file, onClose }: FileProps) {
  const plugins = file.plugins.notifier ?? []
  const [plugin, setPlugin] = useState(plugins[0] ?? '')
  const [typed, setTyped] = useState('')
  const name = typed.trim() || plugin
  return (
    <EditDialog
      title="Add a notifier"
      file={file}
      fields={notifierFields(name, plugin)}
      extra={[{ path: ['notifiers', name, 'plugin'], value: plugin }]}
      onClose={onClose}
      above={
        <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
          <Select label="Kind" options={plugins.map((one) => [one, one] as const)} value={plugin} onPick={setPlugin} />
          <TextField
            label="Name"
            placeholder={plugin}
            value={typed}
            error={
              valueAt(file.content, ['notifiers', name]) === undefined ? null : 'There is a notifier of this name.'
            }
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
      }
    />
  )
}

function Reaction({ file, edited, onClose }: FileProps & { edited: Extract<Edited, { what: 'reaction' }> }) {
  const { project, key: name, rule } = edited
  const [isForAll, setForAll] = useState(false)
  const where = isForAll ? null : project
  return (
    <EditDialog
      // The same fields of another part of the file.
      key={String(isForAll)}
      title={`When ${name}`}
      file={file}
      fields={reactionFields(file, where, name, rule)}
      onClose={onClose}
      above={
        <Select
          label="For"
          options={[
            ['false', `${project} only`],
            ['true', 'all projects'],
          ]}
          value={String(isForAll)}
          onPick={(value) => setForAll(value === 'true')}
          hint="Project settings override these defaults."
        />
      }
    />
  )
}

function Removal({ file, path, onClose }: FileProps & { path: [string, string] }) {
  const [group, name] = path
  return (
    <EditDialog
      title={`Remove ${name}?`}
      file={file}
      fields={[]}
      extra={[{ path }]}
      onClose={onClose}
      above={
        <p className="text-sm">
          {group === 'projects'
            ? 'ao stops watching this project. Its sessions stay on disk and come back if you add it again under the same id.'
            : 'ao stops sending there.'}
        </p>
      }
    />
  )
}
