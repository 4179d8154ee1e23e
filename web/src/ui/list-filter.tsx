// Which rows of a list are shown: words, project, state. They are in the address, so that a link and the back button
// preserve them.
import { useLocation, useSearchParams } from 'wouter'
import type { Board } from '../../../src/contract/dashboard/cards.ts'
import { projectOptions, Select, TextField } from './text-field.tsx'

interface Props {
  /** The list's own address; a filter returns to it from the address of one row. */
  href: string
  projects: Board['projects']
  /** The selected one; '': all of them, where that is offered. */
  project: string
  /** The list can show all projects together. */
  offersAllProjects?: boolean
  /** Value and label; the first one is not written into the address. */
  states: ReadonlyArray<readonly [value: string, word: string]>
  state: string
}

export function ListFilter({ href, projects, project, offersAllProjects = false, states, state }: Props) {
  const [params] = useSearchParams()
  const [, navigate] = useLocation()
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    // A project in the path of the address stays selected.
    if (project !== '' && projects.length > 1) next.set('project', project)
    if (value === '') next.delete(name)
    else next.set(name, value)
    navigate(`${href}${next.size > 0 ? `?${next}` : ''}`, { replace: true })
  }
  return (
    <search className="flex items-center gap-2 max-sm:w-[calc(100vw-2rem)] max-sm:*:first:flex-1">
      <TextField
        label="Search"
        hideLabel
        type="search"
        placeholder="Search"
        value={params.get('q') ?? ''}
        onChange={(event) => set('q', event.target.value)}
      />
      {projects.length > 1 && (
        <Select
          label="Project"
          hideLabel
          options={[...(offersAllProjects ? [['', 'All projects'] as const] : []), ...projectOptions(projects)]}
          value={project}
          onPick={(value) => set('project', value)}
        />
      )}
      <Select
        label="State"
        hideLabel
        options={states}
        value={state}
        onPick={(value) => set('state', value === states[0]?.[0] ? '' : value)}
      />
    </search>
  )
}

/** From the address; an unknown state counts as the first. */
export function readListFilter(params: URLSearchParams, states: Props['states']) {
  return {
    project: params.get('project') ?? '',
    state: (states.find(([value]) => value === params.get('state')) ?? states[0]!)[0],
    terms: (params.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean),
  }
}

/** Every word occurs in it. */
export function holdsAll(text: string, terms: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return terms.every((word) => lower.includes(word))
}
