// How far two tries are apart: every pair with its size, and the diff of one of them.
import { useState } from 'react'
import type { ComparedPair, Comparison } from '../../../../src/contract/dashboard/tasks.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { DiffView } from '../../diff/diff-view.tsx'
import { LineCounts } from '../../diff/line-counts.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'

export function PairDiff({ task: { id, pairs } }: { task: Comparison }) {
  const [shown, setShown] = useState<ComparedPair | null>(null)
  return (
    <Panel title="Against each other">
      <ul className="flex flex-wrap gap-2 p-4" aria-label="Pairs of tries">
        {pairs.map((pair) => {
          const isShown = shown?.a === pair.a && shown.b === pair.b
          return (
            <li key={`${pair.a} ${pair.b}`}>
              <button
                type="button"
                aria-pressed={isShown}
                disabled={pair.files === 0}
                onClick={() => setShown(isShown ? null : pair)}
                className={`flex items-center gap-1.5 rounded border px-2 py-1 text-sm enabled:hover:border-line-strong disabled:text-muted ${isShown ? 'border-accent' : ''}`}
              >
                {pair.files > 0 && <Icon name="diff" className="size-3.5 text-faint" />}
                {pair.a} and {pair.b}:{' '}
                {pair.files === 0 ? 'the same' : <LineCounts added={pair.added} removed={pair.removed} />}
              </button>
            </li>
          )
        })}
      </ul>
      {shown && <OnePair task={id} pair={shown} />}
    </Panel>
  )
}

function OnePair({ task, pair: { a, b } }: { task: string; pair: ComparedPair }) {
  const query = useAnswer(['task-diff', task, a, b], 'GET /api/tasks/:id/diff', {
    params: { id: task },
    query: { from: a, to: b },
  })
  return (
    <div className="border-t">
      <Answered query={query}>
        {({ diff, truncated }) => (
          <DiffView
            diff={diff}
            note={truncated ? `From ${a} to ${b}; it was too large and is cut` : `From ${a} to ${b}`}
          />
        )}
      </Answered>
    </div>
  )
}
