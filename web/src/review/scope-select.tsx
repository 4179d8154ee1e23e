// Which part of the changes is shown: all of them, or one of the parts that are offered.
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { Select } from '../ui/text-field.tsx'

export interface Scope {
  /** In the address. */
  value: string
  label: string
}

export const ALL = 'all'

interface Props {
  value: string
  scopes: readonly Scope[]
  onChange: (value: string) => void
}

export function ScopeSelect({ value, scopes, onChange }: Props) {
  if (scopes.length === 0) return null
  return (
    <div className="w-40 max-w-full sm:w-52">
      <Select
        label="Which changes"
        hideLabel
        className="text-xs"
        options={[[ALL, 'All changes'], ...scopes.map((scope) => [scope.value, visibleLine(scope.label)] as const)]}
        value={value}
        onPick={onChange}
      />
    </div>
  )
}

/** Of commits, newest first. */
export function commitScopes(commits: ReadonlyArray<{ sha: string; subject: string }>): Scope[] {
  return commits
    .map(({ sha, subject }) => ({ value: `commit:${sha}`, label: `${sha.slice(0, 7)} ${subject}` }))
    .reverse()
}

/** The query for the server: `commit:<sha>`, `since:<sha>` or `uncommitted`. */
export function scopeQuery(value: string): { commit?: string; since?: string; uncommitted?: string } {
  const [kind, sha] = value.split(':')
  if (kind === 'uncommitted') return { uncommitted: '1' }
  return (kind === 'commit' || kind === 'since') && sha ? { [kind]: sha } : {}
}
