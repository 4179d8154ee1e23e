// The parts of a plan, changed by a person: their texts, projects, order, and how many there are.
import type { PlanAnswer } from '../../../../src/contract/dashboard/tasks.ts'
import { useBoard } from '../../api/live.ts'
import { Button } from '../../ui/button.tsx'
import { projectOptions, Select, TextArea, TextField } from '../../ui/text-field.tsx'

export type PlanPart = Omit<PlanAnswer['children'][number], 'issue' | 'session'>

interface Props {
  parts: readonly PlanPart[]
  onChange: (parts: PlanPart[]) => void
}

const MOST_PARTS = 20

export function PlanForm({ parts, onChange }: Props) {
  const change = (key: string, part: Partial<PlanPart>) =>
    onChange(parts.map((one) => (one.key === key ? { ...one, ...part } : one)))
  const remove = (key: string) =>
    onChange(
      parts
        .filter((one) => one.key !== key)
        .map((one) => ({ ...one, needs: one.needs.filter((need) => need !== key) })),
    )
  const add = () => {
    const number = parts.reduce((most, { key }) => Math.max(most, Number(/^part-(\d+)$/.exec(key)?.[1] ?? 0)), 0) + 1
    onChange([...parts, { key: `part-${number}`, title: '', body: '', project: parts[0]?.project ?? '', needs: [] }])
  }
  return (
    <div className="flex flex-col gap-3 p-4">
      {parts.map((part) => (
        <PartFields
          key={part.key}
          part={part}
          others={parts.filter(({ key }) => key !== part.key).map(({ key }) => key)}
          onChange={(changed) => change(part.key, changed)}
          onRemove={parts.length > 1 ? () => remove(part.key) : null}
        />
      ))}
      {parts.length < MOST_PARTS && (
        <Button size="sm" icon="plus" className="self-start" onClick={add}>
          Add a part
        </Button>
      )}
    </div>
  )
}

interface FieldsProps {
  part: PlanPart
  others: readonly string[]
  onChange: (part: Partial<PlanPart>) => void
  onRemove: (() => void) | null
}

function PartFields({ part: { key, title, body, project, needs }, others, onChange, onRemove }: FieldsProps) {
  const projects = useBoard()?.projects ?? []
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border p-3">
      <legend className="px-1 font-mono text-xs text-muted">{key}</legend>
      <TextField
        label="Title"
        required
        maxLength={200}
        value={title}
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <TextArea
        label="What to do, and how to tell that it is done"
        rows={3}
        value={body}
        onChange={(event) => onChange({ body: event.target.value })}
      />
      {projects.length > 1 && (
        <Select
          label="Project"
          options={projectOptions(projects)}
          value={project}
          onPick={(value) => onChange({ project: value })}
        />
      )}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        {others.length > 0 && <span className="text-muted">Starts after</span>}
        {others.map((other) => (
          <label key={other} className="flex items-center gap-1.5 font-mono text-xs">
            <input
              type="checkbox"
              className="size-4 accent-(--accent)"
              checked={needs.includes(other)}
              onChange={({ target }) =>
                onChange({ needs: target.checked ? [...needs, other] : needs.filter((need) => need !== other) })
              }
            />
            {other}
          </label>
        ))}
        {onRemove && (
          <Button size="sm" variant="ghost" icon="cross" className="ml-auto" onClick={onRemove}>
            Remove {key}
          </Button>
        )}
      </div>
    </fieldset>
  )
}
