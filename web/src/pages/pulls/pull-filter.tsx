// Which pull requests are listed. It is in the address, so that a link and the back button keep it.
import { useSearchParams } from 'wouter'
import { useBoard } from '../../api/live.ts'
import { Select, TextField } from '../../ui/text-field.tsx'

export function PullFilter() {
  const [params, setParams] = useSearchParams()
  const projects = useBoard()?.projects ?? []
  const set = (name: string, value: string) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
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
          value={params.get('project') ?? ''}
          onChange={(event) => set('project', event.target.value)}
        >
          <option value="">All projects</option>
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
        value={params.get('state') ?? ''}
        onChange={(event) => set('state', event.target.value)}
      >
        <option value="">Open</option>
        <option value="all">All</option>
      </Select>
    </search>
  )
}
