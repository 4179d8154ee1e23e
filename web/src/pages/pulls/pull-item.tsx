// One pull request in the list: what it is, its state, and its checks behind a button.
import { useState } from 'react'
import { Link } from 'wouter'
import type { PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { RiskFact } from '../../session/changed-checks.tsx'
import { Badge, TONE_TEXT } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Names } from '../../ui/names.tsx'
import { SafeLink } from '../../ui/text/safe-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { CheckList } from './check-list.tsx'
import { forgeName, openLabels, pullHref, stateWord, type Word } from './pull-labels.ts'
import { PullSession } from './pull-session.tsx'

export function PullItem({ pull, showProject }: { pull: PullRow; showProject: boolean }) {
  const [open, setOpen] = useState(false)
  const { word, tone, icon } = stateWord(pull)
  const { checks, review, conflicts } = openLabels(pull)
  return (
    <li className="px-4 py-3">
      <div className="flex items-start gap-3 max-sm:flex-wrap">
        <Icon name={icon} className={`mt-0.5 ${TONE_TEXT[tone]}`} />
        <div className="min-w-0 flex-1 max-sm:basis-3/4">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Link href={pullHref(pull)} className="min-w-0 font-medium hover:underline">
              <Visible text={pull.title || `Pull request ${pull.number}`} />
            </Link>
            <span className="text-sm text-faint">#{pull.number}</span>
            {word !== 'Open' && <Badge tone={tone}>{word}</Badge>}
          </div>
          <Facts pull={pull} showProject={showProject} />
          {pull.staleReason !== null && (
            <p className="mt-1 text-xs text-attention">As of the last reading: {pull.staleReason}</p>
          )}
        </div>
        <div className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1 max-sm:w-full max-sm:pl-7">
          <LabelBadge label={conflicts} />
          <span className="flex items-center sm:w-40">
            <LabelBadge label={review} />
          </span>
          <span className="flex items-center sm:w-36">
            {pull.checks.length === 0 ? (
              <LabelBadge label={checks} />
            ) : (
              <Progress pull={pull} label={checks} open={open} onToggle={() => setOpen(!open)} />
            )}
          </span>
        </div>
      </div>
      {open && (
        <div className="mt-2 rounded-md border sm:ml-7">
          <CheckList pull={pull} />
        </div>
      )}
    </li>
  )
}

function LabelBadge({ label }: { label: Word | null }) {
  return (
    label && (
      <Badge tone={label.tone} icon={label.icon}>
        {label.word}
      </Badge>
    )
  )
}

function Facts({ pull, showProject }: { pull: PullRow; showProject: boolean }) {
  return (
    <div className="mt-0.5 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-muted">
      {showProject && <span className="font-medium">{pull.projectId}</span>}
      {pull.branch && (
        <span className="flex min-w-0 items-center gap-1 font-mono">
          <Icon name="branch" className="size-3" />
          <span className="truncate">
            <Visible text={pull.branch} />
          </span>
        </span>
      )}
      {pull.sessionId ? (
        <PullSession id={pull.sessionId} />
      ) : (
        pull.author && (
          <span>
            by <Visible text={pull.author} />
          </span>
        )
      )}
      <RiskFact risk={pull.risk} />
      <Names {...pull} />
      {pull.hasPage && (
        <SafeLink href={pull.url} className="flex items-center gap-1">
          On {forgeName(pull.url)} <Icon name="external" className="size-3" />
        </SafeLink>
      )}
      {pull.updatedAt && (
        <span>
          <span className="sr-only">Changed </span>
          <TimeAgo at={pull.updatedAt} /> <span className="sr-only">ago</span>
        </span>
      )}
    </div>
  )
}

interface ProgressProps {
  pull: PullRow
  label: Word | null
  open: boolean
  onToggle: () => void
}

function Progress({ pull, label, open, onToggle }: ProgressProps) {
  const passed = pull.checks.filter(({ status }) => status === 'passed' || status === 'skipped').length
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className="flex min-h-7 items-center gap-1.5 rounded-md px-1.5 text-xs whitespace-nowrap text-muted hover:bg-hover hover:text-ink"
    >
      {label && <Icon name={label.icon} className={`size-3 ${TONE_TEXT[label.tone]}`} />}
      {passed} of {pull.checks.length} passed
      <span className="sr-only"> checks of #{pull.number}</span>
      <Icon name={open ? 'down' : 'right'} className="size-3" />
    </button>
  )
}
