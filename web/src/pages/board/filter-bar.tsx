// Project, agent and search words.
import type { BoardState } from '../../api/board-store.ts'
import { foldersOf } from '../../session/pins.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Kbd } from '../../ui/text/kbd.tsx'
import { Select, TextField } from '../../ui/text-field.tsx'
import { ALL_PINNED, type BoardFilter, isFiltering, NO_FILTER } from './board-filter.ts'
import { ViewMenu } from './table/view-menu.tsx'
import { focusFirstCard } from './use-board-keys.ts'

interface Props {
  board: BoardState
  filter: BoardFilter
  onChange: (filter: BoardFilter) => void
}

export function FilterBar({ board, filter, onChange }: Props) {
  const agents = [...new Set([...board.cards.values()].map((card) => card.agent))].sort()
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <div className="relative min-w-40 flex-1 max-sm:min-w-full sm:max-w-72">
        <Icon name="search" className="absolute top-2.5 left-2.5 size-3.5 text-faint" />
        <TextField
          label="Filter by text"
          hideLabel
          type="search"
          placeholder="Filter"
          data-filter
          value={filter.text}
          onChange={(event) => onChange({ ...filter, text: event.target.value })}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
            if (event.key === 'Enter' || event.key === 'ArrowDown') focusFirstCard()
          }}
          className="pl-8"
        />
        <span className="absolute top-1.5 right-2 max-sm:hidden">{filter.text === '' && <Kbd>/</Kbd>}</span>
      </div>
      {board.projects.length > 1 && (
        <div className="max-sm:flex-1">
          <Select
            label="Project"
            hideLabel
            value={filter.project}
            onChange={(event) => onChange({ ...filter, project: event.target.value })}
          >
            <option value="">All projects</option>
            {board.projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        </div>
      )}
      {(agents.length > 1 || filter.agent !== '') && (
        <div className="max-sm:flex-1">
          <Select
            label="Agent"
            hideLabel
            value={filter.agent}
            onChange={(event) => onChange({ ...filter, agent: event.target.value })}
          >
            <option value="">All agents</option>
            {agents.map((agent) => (
              <option key={agent}>{agent}</option>
            ))}
          </Select>
        </div>
      )}
      {(board.pins.length > 0 || filter.pinned !== '') && (
        <div className="max-sm:flex-1">
          <Select
            label="Pinned"
            hideLabel
            value={filter.pinned}
            onChange={(event) => onChange({ ...filter, pinned: event.target.value })}
          >
            <option value="">All sessions</option>
            <option value={ALL_PINNED}>Pinned</option>
            {foldersOf(board.pins).map((folder) => (
              <option key={folder} value={folder}>
                Pinned in {folder}
              </option>
            ))}
          </Select>
        </div>
      )}
      {isFiltering(filter) && (
        <Button variant="ghost" onClick={() => onChange(NO_FILTER)}>
          Clear
        </Button>
      )}
      <ViewMenu />
    </search>
  )
}
