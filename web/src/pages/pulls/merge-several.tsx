// Merging several pull requests that are ready: each is the commit that was listed, one after the other, and each says how it went.
import { useRef, useState } from 'react'
import type { PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { plural } from '../../../../src/core/text/format-age.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { pullParams } from './pull-labels.ts'

const MERGE = 'POST /api/projects/:project/pulls/:number/merge'

type Outcome = { ok: boolean; text: string }

const keyOf = ({ projectId, number }: PullRow) => `${projectId}#${number}`

export function MergeSeveral({ pulls, onOpen }: { pulls: readonly PullRow[]; onOpen: (ready: PullRow[]) => void }) {
  const ready = pulls.filter(({ headSha }) => headSha !== null)
  if (ready.length < 2) return null
  return (
    <Button size="sm" icon="merge" does={MERGE} onClick={() => onOpen(ready)}>
      Merge several…
    </Button>
  )
}

export function MergeDialog({ pulls, onClose }: { pulls: readonly PullRow[]; onClose: () => void }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const [isRunning, setRunning] = useState(false)
  const isStopped = useRef(false)
  const close = () => {
    isStopped.current = true
    onClose()
  }
  const wanted = pulls.filter((pull) => !left.has(keyOf(pull)) && outcomes.get(keyOf(pull))?.ok !== true)
  const run = async () => {
    setRunning(true)
    // In order: what one merge changes, the next one has to know.
    for (const pull of wanted) {
      if (isStopped.current) break
      const outcome = await mergeOne(pull)
      setOutcomes((before) => new Map(before).set(keyOf(pull), outcome))
    }
    setRunning(false)
    await queryClient.invalidateQueries({ queryKey: ['pulls'] })
  }
  return (
    <Dialog
      title="Merge several pull requests"
      onClose={close}
      footer={
        <>
          <Button onClick={close}>
            {isRunning ? 'Stop after this one' : outcomes.size === 0 ? 'Cancel' : 'Close'}
          </Button>
          {wanted.length > 0 && (
            <Button variant="primary" does={MERGE} busy={isRunning} onClick={() => void run()}>
              {outcomes.size === 0 || isRunning ? 'Merge' : 'Try again:'} {plural(wanted.length, 'pull request')}
            </Button>
          )}
        </>
      }
    >
      <p className="mb-3 text-sm text-muted">
        Exactly the commits named here, one after the other. One that changed since is not merged.
      </p>
      <ul className="flex flex-col gap-1.5 text-sm" aria-live="polite">
        {pulls.map((pull) => {
          const key = keyOf(pull)
          const outcome = outcomes.get(key)
          return (
            <li key={key} className="flex flex-wrap items-baseline gap-x-2">
              <label className="flex min-w-0 items-baseline gap-2">
                <input
                  type="checkbox"
                  className="size-4 self-center accent-(--accent)"
                  disabled={isRunning || outcome?.ok === true}
                  checked={!left.has(key)}
                  onChange={({ target }) => {
                    const next = new Set(left)
                    if (target.checked) next.delete(key)
                    else next.add(key)
                    setLeft(next)
                  }}
                />
                <span className="min-w-0 truncate">
                  {key} <Visible text={pull.title ?? ''} />
                </span>
              </label>
              <code className="font-mono text-xs text-faint">{pull.headSha?.slice(0, 10)}</code>
              {outcome && <span className={outcome.ok ? 'text-good' : 'text-bad'}>{outcome.text}</span>}
            </li>
          )
        })}
      </ul>
    </Dialog>
  )
}

async function mergeOne(pull: PullRow): Promise<Outcome> {
  try {
    const { boarded, warnings } = await ask(MERGE, { params: pullParams(pull), body: { sha: pull.headSha ?? '' } })
    return { ok: true, text: [boarded ? 'is aboard the train' : 'merged', ...warnings].join('; ') }
  } catch (error) {
    return { ok: false, text: [(error as Error).message, hintOf(error as Error)].filter(Boolean).join('. ') }
  }
}
