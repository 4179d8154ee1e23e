// What was spent, by agent, model, project, issue or merged pull request, and as a file for a spreadsheet.
import { useState } from 'react'
import { COST_GROUPS, type CostGroup, costCsv } from '../../../../src/core/budget/cost-report.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import type { AnswerOf } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Panel } from '../../ui/panel.tsx'
import { formatCost } from '../../ui/text/format.ts'
import { Select } from '../../ui/text-field.tsx'

const LABELS: Record<CostGroup, string> = {
  agent: 'By agent',
  model: 'By model',
  project: 'By project',
  issue: 'By issue',
  pull: 'By merged pull request',
  session: 'By session',
}
const SHOWN = 50

type Rows = AnswerOf<'GET /api/cost'>['rows']

export function CostTable() {
  const [by, setBy] = useState<CostGroup>('agent')
  const cost = useAnswer(['cost', by], 'GET /api/cost', { query: { by } })
  const rows = cost.data?.rows ?? []
  return (
    <Panel title="Cost">
      <div className="flex flex-wrap items-center gap-2 px-4 pt-3">
        <div className="w-52">
          <Select
            label="Cost by"
            hideLabel
            options={COST_GROUPS.map((one) => [one, LABELS[one]] as const)}
            value={by}
            onPick={setBy}
          />
        </div>
        <Button size="sm" disabled={rows.length === 0} onClick={() => download(`cost-by-${by}.csv`, costCsv(rows, by))}>
          Download CSV
        </Button>
      </div>
      <Answered query={cost}>{(answer) => <Table rows={answer.rows} by={by} />}</Answered>
    </Panel>
  )
}

function Table({ rows, by }: { rows: Rows; by: CostGroup }) {
  if (rows.length === 0) return <EmptyState title="Nothing was spent, as far as is known" />
  const most = Math.max(...rows.map(({ costUsd }) => costUsd ?? 0), 0.000_001)
  return (
    <div className="overflow-x-auto px-4 py-3">
      <table className="w-full text-sm">
        <thead className="text-left text-xs text-muted">
          <tr>
            <th className="py-1 pr-4 font-medium">{LABELS[by].slice('By '.length)}</th>
            <th className="py-1 pr-4 text-right font-medium">Sessions</th>
            <th className="py-1 pr-4 text-right font-medium">Tokens</th>
            <th className="py-1 text-right font-medium">Cost</th>
            <th className="w-1/4 max-sm:hidden">
              <span className="sr-only">Share</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map(({ name, sessions, tokens, costUsd, unpriced }) => (
            <tr key={name} className="border-t">
              <td className="py-1 pr-4 break-all">{name}</td>
              <td className="py-1 pr-4 text-right">{sessions}</td>
              <td className="py-1 pr-4 text-right">{tokens.toLocaleString('en')}</td>
              <td className="py-1 text-right whitespace-nowrap">
                {formatCost(costUsd)}
                {unpriced > 0 && costUsd !== null && (
                  <span className="text-muted" title={`${unpriced} of them without a known price`}>
                    {' '}
                    or more
                  </span>
                )}
              </td>
              <td className="py-1 pl-4 max-sm:hidden">
                <span
                  aria-hidden="true"
                  className="block h-1.5 rounded-full bg-accent"
                  style={{ width: `${(100 * (costUsd ?? 0)) / most}%` }}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN && <p className="pt-2 text-xs text-muted">{rows.length - SHOWN} more are in the file.</p>}
    </div>
  )
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1_000)
}
