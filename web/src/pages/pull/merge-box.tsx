// Whether it can be merged: what is there, what is missing, and the button.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PullDetail, PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { ChangedChecks, Findings, RiskFact } from '../../session/changed-checks.tsx'
import { TONE_TEXT } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { toast } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Select } from '../../ui/text-field.tsx'
import { pullParams, type Word } from '../pulls/pull-labels.ts'
import { missingForMerge } from './missing-for-merge.ts'

export function MergeBox({ detail }: { detail: PullDetail }) {
  const { pull, mergeProblem } = detail
  const [pending, setPending] = useState<'merge' | 'close' | null>(null)
  if (pull.state !== 'open') return null
  return (
    <Panel title="Merging">
      <ul className="flex flex-col gap-1.5 px-4 pt-3 text-sm">
        {needs(detail).map(({ word, tone, icon }) => (
          <li key={word} className="flex items-center gap-2">
            <Icon name={icon} className={TONE_TEXT[tone]} />
            {word}
          </li>
        ))}
      </ul>
      <div className="px-4 pt-1.5 text-sm empty:hidden">
        <RiskFact risk={pull.risk} isList />
        <ChangedChecks paths={detail.changedChecks} />
        <Findings findings={pull.checks.flatMap(({ finding }) => finding ?? [])} />
      </div>
      <div className="flex flex-col gap-2 px-4 py-3">
        {mergeProblem !== null && (
          <p id="merge-problem" className="text-sm text-attention">
            It cannot be merged now: {mergeProblem}.
          </p>
        )}
        <Button
          variant={missingForMerge(detail).length === 0 ? 'primary' : 'secondary'}
          icon="merge"
          does={ROUTES.merge}
          disabled={mergeProblem !== null || pull.headSha === null}
          aria-describedby={mergeProblem === null ? undefined : 'merge-problem'}
          onClick={() => setPending('merge')}
        >
          {detail.boards
            ? `Put it aboard the train to ${pull.baseBranch}`
            : `Merge into ${pull.baseBranch ?? 'the base branch'}`}
        </Button>
        <Button variant="ghost" size="sm" does={ROUTES.close} onClick={() => setPending('close')}>
          Close without merging
        </Button>
      </div>
      {pending && <Confirm detail={detail} act={pending} onClose={() => setPending(null)} />}
    </Panel>
  )
}

const CHECKS: Record<PullRow['ci'], Word> = {
  passing: { word: 'All checks pass', tone: 'good', icon: 'check' },
  failing: { word: 'Checks fail', tone: 'bad', icon: 'cross' },
  pending: { word: 'Checks have not finished', tone: 'attention', icon: 'clock' },
  none: { word: 'There are no checks', tone: 'neutral', icon: 'info' },
  unknown: { word: 'Checks unknown', tone: 'neutral', icon: 'info' },
}

const REVIEWS: Record<PullRow['review'], Word> = {
  approved: { word: 'Approved', tone: 'good', icon: 'check' },
  changes_requested: { word: 'Changes are requested', tone: 'attention', icon: 'reply' },
  pending: { word: 'Not reviewed yet', tone: 'review', icon: 'eye' },
  none: { word: 'No review required', tone: 'neutral', icon: 'info' },
  unknown: { word: 'Review unknown', tone: 'neutral', icon: 'info' },
}

function needs({ pull, reviews }: PullDetail): Word[] {
  const base = pull.baseBranch ?? 'the base branch'
  const conflicts: Word =
    pull.hasConflicts === null
      ? { word: 'Checking for conflicts', tone: 'neutral', icon: 'info' }
      : pull.hasConflicts
        ? { word: `It conflicts with ${base}`, tone: 'bad', icon: 'warning' }
        : { word: `No conflicts with ${base}`, tone: 'good', icon: 'check' }
  const isAgain = pull.review === 'pending' && reviews.length > 0
  const review = { ...REVIEWS[pull.review], ...(isAgain ? { word: 'Not reviewed since the last push' } : {}) }
  return [CHECKS[pull.ci], review, conflicts]
}

type Method = PullDetail['mergeMethods'][number]

const METHODS: Record<Method, string> = {
  squash: 'Squash: one commit with all its changes',
  merge: 'Merge commit: its commits stay as they are',
  rebase: 'Rebase: its commits one by one on top',
}

function Confirm({ detail, act, onClose }: { detail: PullDetail; act: 'merge' | 'close'; onClose: () => void }) {
  const { pull, mergeMethods } = detail
  const [method, setMethod] = useState<Method | null>(mergeMethods[0] ?? null)
  const missing = act === 'merge' ? missingForMerge(detail) : []
  const run = useMutation({
    mutationFn: () => carryOut(act, pull, method),
    onSuccess({ warnings, boarded }) {
      const merged = boarded ? 'is aboard the train' : `was merged into ${pull.baseBranch}`
      const done = act === 'merge' ? merged : 'was closed'
      toast({
        tone: warnings.length > 0 ? 'attention' : 'good',
        title: `#${pull.number} ${done}`,
        detail: warnings.join('\n') || null,
      })
      onClose()
    },
    // Also after a failure: what is shown may be outdated.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['pulls'] }),
  })
  return (
    <FormDialog
      title={act === 'merge' ? `Merge #${pull.number}?` : `Close #${pull.number} without merging?`}
      action={act === 'merge' ? (missing.length === 0 ? 'Merge' : 'Merge anyway') : 'Close it'}
      isDanger={act === 'close'}
      does={ROUTES[act]}
      runs={run}
      onClose={onClose}
    >
      <p className="text-sm">
        {act === 'merge' ? (
          <>
            Exactly the commit <code className="font-mono">{pull.headSha?.slice(0, 10)}</code> goes into{' '}
            <strong>{pull.baseBranch}</strong>. If somebody has pushed since, nothing is merged.
          </>
        ) : (
          <>
            The branch and its commits stay.
            {` It can be opened again with: ao pr reopen ${pull.number}`}
          </>
        )}
      </p>
      {missing.length > 0 && (
        <ul
          aria-label="Missing for the merge"
          className="flex flex-col gap-1.5 rounded-md bg-attention-soft px-3 py-2 text-sm text-attention"
        >
          {missing.map((one) => (
            <li key={one} className="flex items-center gap-2">
              <Icon name="warning" />
              {one}
            </li>
          ))}
        </ul>
      )}
      {act === 'merge' && method !== null && mergeMethods.length > 1 && (
        <Select
          label="How"
          options={mergeMethods.map((one) => [one, METHODS[one]] as const)}
          value={method}
          onPick={setMethod}
        />
      )}
    </FormDialog>
  )
}

const ROUTES = {
  merge: 'POST /api/projects/:project/pulls/:number/merge',
  close: 'POST /api/projects/:project/pulls/:number/close',
} as const

async function carryOut(
  act: 'merge' | 'close',
  pull: PullRow,
  method: Method | null,
): Promise<{ warnings: string[]; boarded: boolean }> {
  const params = pullParams(pull)
  if (act === 'merge') {
    return ask(ROUTES.merge, {
      params,
      body: { sha: pull.headSha ?? '', ...(method && { method }) },
    })
  }
  await ask(ROUTES.close, { params })
  return { warnings: [], boarded: false }
}
