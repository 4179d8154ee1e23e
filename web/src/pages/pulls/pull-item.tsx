// One pull request in the list: what it is, its state, and its checks behind a button.
import { useState } from 'react'
import { Link } from 'wouter'
import type { PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { Badge, TONE_TEXT } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Names } from '../../ui/names.tsx'
import { SafeLink } from '../../ui/text/safe-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { CheckList } from './check-list.tsx'
import { forgeName, pullHref, rowLabels, stateWord } from './pull-labels.ts'

export function PullItem({ pull, showProject }: { pull: PullRow; showProject: boolean }) {
  const [open, setOpen] = useState(false)
  const { word, tone, icon } = stateWord(pull)
  return (
    <li className="px-4 py-3">
      <div className="flex items-start gap-3">
        <Icon name={icon} className={`mt-0.5 ${TONE_TEXT[tone]}`} />
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <Link href={pullHref(pull)} className="min-w-0 font-medium hover:underline">
              <Visible text={pull.title || `Pull request ${pull.number}`} />
            </Link>
            <span className="text-sm text-faint">#{pull.number}</span>
            {word !== 'Open' && <Badge tone={tone}>{word}</Badge>}
            {rowLabels(pull).map((one) => (
              <Badge key={one.word} tone={one.tone} icon={one.icon}>
                {one.word}
              </Badge>
            ))}
          </div>
          <Facts pull={pull} showProject={showProject} />
          {pull.staleReason !== null && (
            <p className="mt-1 text-xs text-attention">As of the last reading: {pull.staleReason}</p>
          )}
        </div>
        <Progress pull={pull} open={open} onToggle={() => setOpen(!open)} />
      </div>
      {open && (
        <div className="mt-2 rounded-md border sm:ml-7">
          <CheckList pull={pull} />
        </div>
      )}
    </li>
  )
}

function Facts({ pull, showProject }: { pull: PullRow; showProject: boolean }) {
  return (
    <div className="mt-0.5 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-muted">
      {showProject && <span className="font-medium">{pull.projectId}</span>}
      {pull.branch && (
        <span className="flex min-w-0 items-center gap-1 font-mono">
          <Icon name="branch" className="size-3" />
          <span className="truncate">{pull.branch}</span>
        </span>
      )}
      {pull.sessionId ? (
        <Link
          href={`/sessions/${encodeURIComponent(pull.sessionId)}`}
          className="flex items-center gap-1 text-accent hover:underline"
        >
          <Icon name="terminal" className="size-3" />
          {pull.sessionId}
        </Link>
      ) : (
        pull.author && <span>by {pull.author}</span>
      )}
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

function Progress({ pull, open, onToggle }: { pull: PullRow; open: boolean; onToggle: () => void }) {
  if (pull.checks.length === 0) return null
  const passed = pull.checks.filter(({ status }) => status === 'passed' || status === 'skipped').length
  return (
    <button
      type="button"
      aria-expanded={open}
      onClick={onToggle}
      className="flex min-h-7 items-center gap-1.5 rounded-md px-2 text-xs whitespace-nowrap text-muted hover:bg-hover hover:text-ink"
    >
      {passed}/{pull.checks.length}
      <span className="max-sm:sr-only"> checks</span>
      <span className="sr-only"> of #{pull.number} passed</span>
      <Icon name={open ? 'down' : 'right'} className="size-3" />
    </button>
  )
}
