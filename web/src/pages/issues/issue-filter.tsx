// Which issues are listed. It is in the address, so that a link and the back button keep it.
import { useLocation, useSearchParams } from 'wouter'
import { useBoard } from '../../api/live.ts'
import { Select, TextField } from '../../ui/text-field.tsx'

const STATES = ['open', 'closed', 'all'] as const

export function readFilter(params: URLSearchParams) {
  return {
    project: params.get('project') ?? undefined,
    state: STATES.find((one) => one === params.get('state')) ?? 'open',
    words: (params.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean),
  }
}

export function IssueFilter({ projectId, state }: { projectId: string | undefined; state: string }) {
  const [params] = useSearchParams()
  const [, navigate] = useLocation()
  const projects = useBoard()?.projects ?? []
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params)
    if (projectId !== undefined && projects.length > 1) next.set('project', projectId)
    if (value === '') next.delete(name)
    else next.set(name, value)
    navigate(`/issues${next.size > 0 ? `?${next}` : ''}`, { replace: true })
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
        <Select label="Project" hideLabel value={projectId} onChange={(event) => set('project', event.target.value)}>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
      <Select
        label="State"
        hideLabel
        value={state}
        onChange={(event) => set('state', event.target.value === 'open' ? '' : event.target.value)}
      >
        <option value="open">Open</option>
        <option value="closed">Closed</option>
        <option value="all">All</option>
      </Select>
    </search>
  )
}
