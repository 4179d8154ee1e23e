// Project, agent and search words.
import type { BoardState } from '../../api/board-store.ts'
import { foldersOf } from '../../session/pins.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Kbd } from '../../ui/text/kbd.tsx'
import { projectOptions, Select, TextField } from '../../ui/text-field.tsx'
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
  const folders = foldersOf(board.pins).map((folder) => [folder, `Pinned in ${folder}`] as const)
  const pinned = board.pins.length === 0 ? [] : ([[ALL_PINNED, 'Pinned'], ...folders] as const)
  const choices = [
    { key: 'project', label: 'Project', options: [['', 'All projects'], ...projectOptions(board.projects)] },
    { key: 'agent', label: 'Agent', options: [['', 'All agents'], ...agents.map((name) => [name, name] as const)] },
    { key: 'pinned', label: 'Pinned', options: [['', 'All sessions'], ...pinned] },
  ] as const
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
      {choices
        // With one of them there is nothing to choose.
        .filter(({ key, options }) => options.length > (key === 'pinned' ? 1 : 2) || filter[key] !== '')
        .map(({ key, label, options }) => (
          <div key={key} className="max-sm:flex-1">
            <Select
              label={label}
              hideLabel
              options={options}
              value={filter[key]}
              onPick={(value) => onChange({ ...filter, [key]: value })}
            />
          </div>
        ))}
      {isFiltering(filter) && (
        <Button variant="ghost" onClick={() => onChange(NO_FILTER)}>
          Clear
        </Button>
      )}
      <ViewMenu />
    </search>
  )
}
