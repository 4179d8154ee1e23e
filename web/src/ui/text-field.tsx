// Fields with their label, hint and problem linked for screen readers.
import { type InputHTMLAttributes, type ReactNode, type Ref, type TextareaHTMLAttributes, useId } from 'react'

const BOX =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 py-1.25 text-sm text-ink placeholder:text-faint focus-visible:outline-offset-0'

interface Labels {
  label: string
  /** Read out but not shown. */
  hideLabel?: boolean
  hint?: ReactNode
  error?: string | null
}

function Field({ id, label, hideLabel, hint, error, children }: Labels & { id: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-sm font-medium'}>
        {label}
      </label>
      {children}
      {hint && (
        <div id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} role="alert" className="text-xs text-bad">
          {error}
        </div>
      )}
    </div>
  )
}

function ties(id: string, { hint, error }: Labels) {
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return { id, 'aria-describedby': described || undefined, 'aria-invalid': error ? true : undefined }
}

type TextFieldProps = Labels & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }

export function TextField({ label, hideLabel, hint, error, ...rest }: TextFieldProps) {
  const labels = { label, hideLabel: hideLabel ?? false, hint, error: error ?? null }
  const id = useId()
  return (
    <Field id={id} {...labels}>
      <input {...ties(id, labels)} {...rest} className={`${BOX} ${rest.className ?? ''}`} />
    </Field>
  )
}

type TextAreaProps = Labels & TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> }

export function TextArea({ label, hideLabel, hint, error, ...rest }: TextAreaProps) {
  const labels = { label, hideLabel: hideLabel ?? false, hint, error: error ?? null }
  const id = useId()
  return (
    <Field id={id} {...labels}>
      <textarea
        {...ties(id, labels)}
        {...rest}
        // It grows with its text and never becomes smaller than its rows.
        style={{ minHeight: `calc(${rest.rows ?? 2} * 1.25rem + 0.75rem)` }}
        className={`${BOX} field-sizing-content max-h-72 ${rest.className ?? ''}`}
      />
    </Field>
  )
}

interface SelectProps<V extends string> extends Labels {
  options: ReadonlyArray<readonly [value: V, word: string]>
  value: V
  onPick: (value: V) => void
  className?: string
}

export function Select<V extends string>({ label, hideLabel, hint, error, ...rest }: SelectProps<V>) {
  const { options, value, onPick, className = '' } = rest
  const labels = { label, hideLabel: hideLabel ?? false, hint, error: error ?? null }
  const id = useId()
  return (
    <Field id={id} {...labels}>
      <select
        {...ties(id, labels)}
        value={value}
        onChange={(event) => onPick(event.target.value as V)}
        className={`${BOX} min-h-8 pr-1 pl-1.5 ${className}`}
      >
        {options.map(([one, word]) => (
          <option key={one} value={one}>
            {word}
          </option>
        ))}
      </select>
    </Field>
  )
}

export function projectOptions(projects: ReadonlyArray<{ id: string; name: string }>) {
  return projects.map(({ id, name }) => [id, name] as const)
}
