// Merging or approving several pull requests: each is the commit that was listed, one after the other, and each says how it went.
import { useRef, useState } from 'react'
import type { PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { plural } from '../../../../src/core/text/format-age.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { RiskFact } from '../../session/changed-checks.tsx'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import type { IconName } from '../../ui/icon.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { type GROUPS, pullParams } from './pull-labels.ts'

const MERGE = 'POST /api/projects/:project/pulls/:number/merge'
const REVIEW = 'POST /api/projects/:project/pulls/:number/review'

type Outcome = { ok: boolean; text: string }

interface Act {
  verb: string
  icon: IconName
  does: typeof MERGE | typeof REVIEW
  about: string
  /** None is ticked at first. */
  isChosenOneByOne?: true
  isFor: (pull: PullRow) => boolean
  run: (pull: PullRow) => Promise<string>
}

const ACTS: Partial<Record<(typeof GROUPS)[number], Act>> = {
  'Ready to merge': {
    verb: 'Merge',
    icon: 'merge',
    does: MERGE,
    about: 'One that changed since is not merged.',
    isFor: ({ headSha }) => headSha !== null,
    run: async (pull) => {
      const { boarded, warnings } = await ask(MERGE, { params: pullParams(pull), body: { sha: pull.headSha ?? '' } })
      return [boarded ? 'is aboard the train' : 'merged', ...warnings].join('; ')
    },
  },
  'Needs review': {
    verb: 'Approve',
    icon: 'check',
    does: REVIEW,
    about: 'One that changed since is not approved. Approved and green work may be merged without another question.',
    isChosenOneByOne: true,
    isFor: ({ headSha, canReview }) => headSha !== null && canReview,
    run: async (pull) => {
      const body = { verdict: 'approve' as const, body: '', sha: pull.headSha ?? '', comments: [] }
      await ask(REVIEW, { params: pullParams(pull), body })
      return 'approved'
    },
  },
}

const keyOf = ({ projectId, number }: PullRow) => `${projectId}#${number}`

/** As they were listed when the person asked: the list goes on changing behind the dialog. */
export interface Several {
  group: (typeof GROUPS)[number]
  pulls: readonly PullRow[]
}

export function SeveralButton({ group, pulls, onOpen }: Several & { onOpen: (several: Several) => void }) {
  const act = ACTS[group]
  const ready = act ? pulls.filter(act.isFor) : []
  if (!act || ready.length < 2) return null
  return (
    <Button size="sm" icon={act.icon} does={act.does} onClick={() => onOpen({ group, pulls: ready })}>
      {act.verb} several…
    </Button>
  )
}

export function SeveralDialog({ group, pulls, onClose }: Several & { onClose: () => void }) {
  const act = ACTS[group]
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set(act?.isChosenOneByOne ? pulls.map(keyOf) : []))
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const [isRunning, setRunning] = useState(false)
  const isStopped = useRef(false)
  const close = () => {
    isStopped.current = true
    onClose()
  }
  const wanted = pulls.filter((pull) => !left.has(keyOf(pull)) && outcomes.get(keyOf(pull))?.ok !== true)
  if (!act) return null
  const run = async () => {
    setRunning(true)
    // In order: what one merge changes, the next one has to know.
    for (const pull of wanted) {
      if (isStopped.current) break
      const outcome = await carryOut(act, pull)
      setOutcomes((before) => new Map(before).set(keyOf(pull), outcome))
    }
    setRunning(false)
    await queryClient.invalidateQueries({ queryKey: ['pulls'] })
  }
  return (
    <Dialog
      title={`${act.verb} several pull requests`}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>
            {isRunning ? 'Stop after this one' : outcomes.size === 0 ? 'Cancel' : 'Close'}
          </Button>
          {wanted.length > 0 && (
            <Button variant="primary" does={act.does} busy={isRunning} onClick={() => void run()}>
              {outcomes.size === 0 || isRunning ? act.verb : 'Try again:'} {plural(wanted.length, 'pull request')}
            </Button>
          )}
        </>
      }
    >
      <p className="mb-3 text-sm text-muted">Exactly the commits named here, one after the other. {act.about}</p>
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
              <RiskFact risk={pull.risk} />
              {outcome && <span className={outcome.ok ? 'text-good' : 'text-bad'}>{outcome.text}</span>}
            </li>
          )
        })}
      </ul>
    </Dialog>
  )
}

async function carryOut(act: Act, pull: PullRow): Promise<Outcome> {
  try {
    return { ok: true, text: await act.run(pull) }
  } catch (error) {
    return { ok: false, text: [(error as Error).message, hintOf(error as Error)].filter(Boolean).join('. ') }
  }
}
