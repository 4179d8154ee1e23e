// Fields of settings as their table says, each with the problem that the server found.
import { formatKey } from '../../../../../src/core/config/key-path.ts'
import { Select, TextArea, TextField } from '../../../ui/text-field.tsx'
import { type Draft, isHidden, type SettingsField } from './draft.ts'

interface Problem {
  key: string
  message: string
  suggestion?: string | undefined
}

interface Props {
  content: unknown
  fields: readonly SettingsField[]
  draft: Draft
  onChange: (draft: Draft) => void
  problems: readonly Problem[]
}

export function SettingsForm({ content, fields, draft, onChange, problems }: Props) {
  const keys = fields.map(({ path }) => formatKey(path))
  const others = problems.filter(({ key }) => !keys.some((one) => isAbout(key, one)))
  return (
    <div className="grid gap-x-4 gap-y-3 sm:grid-cols-2">
      {fields.map((field, index) => {
        const key = keys[index]!
        const found = problems.filter((problem) => isAbout(problem.key, key))
        return (
          <div key={field.label} className={isWide(field) ? 'sm:col-span-2' : ''}>
            <FieldInput
              field={field}
              value={draft[field.label] ?? ''}
              isHidden={isHidden(content, field)}
              onChange={(value) => onChange({ ...draft, [field.label]: value })}
              error={found.length === 0 ? null : found.map(wording).join(' ')}
            />
          </div>
        )
      })}
      {others.length > 0 && (
        <ul role="alert" className="text-sm text-bad sm:col-span-2">
          {others.map((problem) => (
            <li key={problem.key + problem.message} className="break-words">
              {problem.key && <span className="font-mono text-xs">{problem.key}</span>} {wording(problem)}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function isAbout(problem: string, key: string): boolean {
  return problem === key || problem.startsWith(`${key}.`) || problem.startsWith(`${key}[`)
}

function isWide({ kind, isRequired }: SettingsField): boolean {
  return kind === 'long' || kind === 'lines' || kind === 'names' || isRequired === true
}

function wording({ message, suggestion }: Problem): string {
  return suggestion === undefined ? message : `${message}; did you mean ${suggestion}?`
}

interface InputProps {
  field: SettingsField
  value: string
  isHidden: boolean
  onChange: (value: string) => void
  error: string | null
}

function FieldInput({ field, value, isHidden: isSecret, onChange, error }: InputProps) {
  const { label, kind, choices = [], hint, inherited, isRequired } = field
  const common = { label, error, hint }
  const unset = inherited === undefined ? 'not set' : `not set (${inherited})`
  switch (kind) {
    case 'names':
      return <Names label={label} choices={choices} value={value} onChange={onChange} error={error} />
    case 'choice':
    case 'switch': {
      const offered = kind === 'switch' ? ['true', 'false'] : choices
      const all = [...new Set([...offered, ...(value === '' ? [] : [value])])]
      return (
        <Select
          {...common}
          options={[['', unset], ...all.map((one) => [one, one] as const)]}
          value={value}
          onPick={onChange}
        />
      )
    }
    case 'long':
    case 'lines':
      return <TextArea {...common} rows={2} value={value} onChange={(event) => onChange(event.target.value)} />
    default:
      return (
        <TextField
          {...common}
          required={isRequired}
          autoComplete="off"
          spellCheck={false}
          placeholder={isSecret ? 'hidden; type to replace it' : (inherited ?? '')}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )
  }
}

function Names({
  label,
  choices,
  value,
  onChange,
  error,
}: Omit<InputProps, 'field' | 'isHidden'> & { label: string; choices: readonly string[] }) {
  const chosen = value.split('\n').filter(Boolean)
  const all = [...new Set([...choices, ...chosen])]
  const change = (name: string, isOn: boolean) =>
    onChange(all.filter((one) => (one === name ? isOn : chosen.includes(one))).join('\n'))
  return (
    <fieldset className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
      <legend className="mb-1 font-medium">{label}</legend>
      {all.map((name) => (
        <label key={name} className="flex min-h-7 items-center gap-2">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={(event) => change(name, event.target.checked)}
          />
          {name}
        </label>
      ))}
      {error && (
        <div role="alert" className="w-full text-xs text-bad">
          {error}
        </div>
      )}
    </fieldset>
  )
}
