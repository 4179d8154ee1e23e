// Above the conversation, always in sight: the plan, how full the context is, what it has cost, and the search.
import { useState } from 'react'
import type { PlanMessage, UsageMessage } from '../../../src/contract/agh/transcript.ts'
import type { Spent } from '../../../src/core/status/spent.ts'
import { ownValue } from '../../../src/core/text/json-fields.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { formatCost, formatCount } from '../ui/text/format.ts'
import { Readable } from '../ui/text/visible.tsx'
import type { TranscriptHead as Head } from './group-rows.ts'
import type { TranscriptSearch } from './use-transcript-search.ts'

interface Props {
  head: Head
  spent: Spent | null
  search: Omit<TranscriptSearch, 'row'>
}

export function TranscriptHead({ head: { plan, usage }, spent, search }: Props) {
  return (
    <div className="flex flex-wrap items-start gap-x-4 gap-y-1 pb-2 text-xs text-muted">
      {plan && <Plan plan={plan} />}
      {usage && <Context usage={usage} />}
      {spent?.costUsd != null && <span className="leading-7">{formatCost(spent.costUsd)}</span>}
      <IconButton
        icon="first"
        label="Go to the beginning of the conversation"
        size="sm"
        className="ml-auto"
        onClick={search.onBeginning}
      />
      <search className="flex items-center gap-1">
        <input
          type="search"
          aria-label="Search the conversation"
          placeholder="Search"
          value={search.query}
          onChange={(event) => search.onQuery(event.target.value)}
          onKeyDown={(event) => event.key === 'Enter' && search.onStep(event.shiftKey ? -1 : 1)}
          className="h-7 w-36 rounded-md border border-line-strong bg-surface px-2 text-xs text-ink placeholder:text-faint"
        />
        {search.query.trim() !== '' && (
          <>
            <span role="status" className="whitespace-nowrap">
              {search.found === 0 ? 'not found' : `${search.at + 1} of ${search.found}`}
            </span>
            <IconButton icon="down" label="Next match" size="sm" onClick={() => search.onStep(1)} />
          </>
        )}
      </search>
    </div>
  )
}

function Context({ usage: { used, size } }: { usage: UsageMessage }) {
  if (used === null) return null
  const share = size ? Math.min(1, used / size) : null
  return (
    <span className="flex h-7 items-center gap-2" title="Tokens in the context of the agent">
      {formatCount(used)}
      {size && ` of ${formatCount(size)}`} in context
      {share !== null && (
        <span aria-hidden="true" className="h-1.5 w-16 overflow-hidden rounded-full bg-sunken">
          <span
            className={`block h-full ${share > 0.8 ? 'bg-attention' : 'bg-live'}`}
            style={{ width: `${share * 100}%` }}
          />
        </span>
      )}
    </span>
  )
}

const STEPS: Record<string, { icon: IconName; word: string; look: string }> = {
  completed: { icon: 'check', word: 'done', look: 'text-good' },
  in_progress: { icon: 'pulse', word: 'under way', look: 'text-live' },
  pending: { icon: 'clock', word: 'to do', look: 'text-faint' },
}

function Plan({ plan: { entries } }: { plan: PlanMessage }) {
  const [open, setOpen] = useState(false)
  const done = entries.filter(({ status }) => status === 'completed').length
  const current = entries.find(({ status }) => status === 'in_progress')
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)} className="max-w-full">
      <summary className="flex h-7 items-center gap-2">
        <Icon name="list" className="size-3.5" />
        <span className="font-semibold">
          Plan {done} of {entries.length}
        </span>
        {!open && current && (
          <span className="max-w-72 truncate">
            <Readable text={current.content} />
          </span>
        )}
      </summary>
      {open && (
        <ol className="flex flex-col gap-1 py-1 text-sm">
          {entries.map((entry, index) => {
            const step = ownValue(STEPS, entry.status) ?? STEPS.pending!
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a plan's entries have no other name and keep their order.
              <li key={index} className="flex items-start gap-2">
                <Icon name={step.icon} className={`mt-0.5 size-3.5 ${step.look}`} />
                <span className="sr-only">{step.word}: </span>
                <span className={entry.status === 'completed' ? 'line-through' : 'text-ink'}>
                  <Readable text={entry.content} />
                </span>
              </li>
            )
          })}
        </ol>
      )}
    </details>
  )
}
