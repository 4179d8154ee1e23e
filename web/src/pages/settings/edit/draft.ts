// What a person types into a form of settings, and the changes of the file that follow from it. Pure.
import { type KeyPath, valueAt } from '../../../../../src/core/config/key-path.ts'
import { HIDDEN } from '../../../../../src/core/config/secret-path.ts'

export interface SettingsField {
  path: KeyPath
  /** Different from those of the other fields. */
  label: string
  /** `lines`: a list, one item on each line. `names`: a list, chosen from `choices`. */
  kind: 'text' | 'long' | 'number' | 'switch' | 'choice' | 'lines' | 'names'
  choices?: readonly string[]
  hint?: string
  /** What is in force without the key. */
  inherited?: string
  isRequired?: true
}

export interface Change {
  path: Array<string | number>
  value?: string | number | boolean | string[]
}

/** By the field's label, so that a new entry can still get another name; empty: the key is not in the file. */
export type Draft = Readonly<Record<string, string>>

export function readDraft(content: unknown, fields: readonly SettingsField[]): Draft {
  return Object.fromEntries(fields.map(({ label, path }) => [label, asText(valueAt(content, path))]))
}

/** The literal secret of a field is unknown here; it stays unless something is typed. */
export function isHidden(content: unknown, { path }: SettingsField): boolean {
  return valueAt(content, path) === HIDDEN
}

export function changesOf(content: unknown, fields: readonly SettingsField[], draft: Draft): Change[] {
  const before = readDraft(content, fields)
  return fields.flatMap((field): Change[] => {
    const typed = draft[field.label] ?? ''
    if (typed === before[field.label]) return []
    const path = [...field.path]
    return typed === '' ? [{ path }] : [{ path, value: readTyped(field, typed) }]
  })
}

/** Anything that cannot be read as the field's kind stays text: the server says what is wrong with it. */
function readTyped({ kind }: SettingsField, typed: string): NonNullable<Change['value']> {
  switch (kind) {
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(typed.trim()) ? Number(typed) : typed
    case 'switch':
      return typed === 'true'
    case 'lines':
    case 'names':
      return typed.split('\n').filter((line) => line.trim() !== '')
    default:
      return typed
  }
}

function asText(value: unknown): string {
  if (value === undefined || value === null || value === HIDDEN) return ''
  if (Array.isArray(value)) return value.map(String).join('\n')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
