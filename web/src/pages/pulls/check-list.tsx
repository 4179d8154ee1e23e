// The checks of a pull request, each with its log.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PullCheck, PullRow } from '../../../../src/contract/dashboard/answers.ts'
import { visibleText } from '../../../../src/core/text/visible-text.ts'
import { useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { TONE_TEXT } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { hintOf } from '../../ui/error-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { toastError } from '../../ui/overlay/toast.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { formatDuration } from '../../ui/text/format.ts'
import { SafeLink } from '../../ui/text/safe-link.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { CHECK_LABELS, pullParams } from './pull-labels.ts'
import { readLog } from './read-log.ts'

/** `opened`: the check whose log is shown initially; without one, the first that failed. */
export function CheckList({ pull, opened }: { pull: PullRow; opened?: string | undefined }) {
  if (pull.checks.length === 0) return <p className="px-4 py-3 text-sm text-muted">There are no checks.</p>
  const failed = pull.checks.find(({ status, hasLog }) => status === 'failed' && hasLog)
  const shown = opened ?? failed?.name
  return (
    <>
      <ul className="divide-y">
        {pull.checks.map((check) => (
          <CheckItem key={check.id} pull={pull} check={check} startsOpen={check.hasLog && check.name === shown} />
        ))}
      </ul>
      {pull.canRerun && pull.state === 'open' && pull.ci === 'failing' && <Rerun pull={pull} />}
    </>
  )
}

const RERUN = 'POST /api/projects/:project/pulls/:number/checks/rerun'

function Rerun({ pull }: { pull: PullRow }) {
  const run = useMutation({
    mutationFn: () => ask(RERUN, { params: pullParams(pull) }),
    onError: (error) => toastError(error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['pulls'] }),
  })
  return (
    <div className="border-t px-4 py-2">
      <Button size="sm" icon="restore" does={RERUN} runs={run}>
        Run failed checks again
      </Button>
    </div>
  )
}

function CheckItem({ pull, check, startsOpen }: { pull: PullRow; check: PullCheck; startsOpen: boolean }) {
  const [open, setOpen] = useState(startsOpen)
  const { word, tone, icon } = CHECK_LABELS[check.status]
  const name = (
    <>
      <Icon
        name={icon}
        className={`${TONE_TEXT[tone]} ${check.status === 'running' ? 'motion-safe:animate-pulse' : ''}`}
      />
      <span className="min-w-0 truncate font-medium">{check.name}</span>
      <span className={`text-xs whitespace-nowrap ${TONE_TEXT[tone]}`}>{word}</span>
      {check.ranMs !== undefined && (
        <span className="text-xs whitespace-nowrap text-muted">in {formatDuration(check.ranMs)}</span>
      )}
      {check.failsOnBase && (
        <span className="truncate text-xs text-muted">fails on {pull.baseBranch ?? 'the base branch'} too</span>
      )}
      {[check.note, check.finding?.text].map(
        (text) =>
          text !== undefined && (
            <span key={text} className="truncate text-xs text-muted" title={visibleText(text)}>
              <Visible text={text} />
            </span>
          ),
      )}
    </>
  )
  return (
    <li>
      <div className="flex min-h-10 items-center gap-2 px-4 text-sm">
        {check.hasLog ? (
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="flex min-h-10 min-w-0 flex-1 items-center gap-2 text-left"
          >
            {name}
            <span className="ml-auto flex items-center gap-1 pl-2 text-xs whitespace-nowrap text-muted">
              Log <Icon name={open ? 'down' : 'right'} className="size-3" />
            </span>
          </button>
        ) : (
          <div className="flex min-w-0 flex-1 items-center gap-2">{name}</div>
        )}
        {pull.hasPage && check.url && (
          <SafeLink href={check.url} className="flex items-center gap-1 text-xs text-muted">
            Open <Icon name="external" className="size-3" />
          </SafeLink>
        )}
      </div>
      {open && <CheckLog pull={pull} check={check} />}
    </li>
  )
}

function CheckLog({ pull, check }: { pull: PullRow; check: PullCheck }) {
  const { data, error } = useAnswer(
    ['pulls', pull.projectId, pull.number, 'log', check.id, check.status],
    'GET /api/projects/:project/pulls/:number/checks/:check/log',
    { params: { ...pullParams(pull), check: check.id } },
  )
  if (error) {
    return (
      <p role="alert" className="px-4 pb-3 text-sm text-bad">
        {error.message} {hintOf(error)}
      </p>
    )
  }
  if (!data) return <Spinner label="Reading the log" className="px-4 py-2" />
  const log = readLog(data.log)
  if (log === '') return <p className="px-4 pb-3 text-sm text-muted">The check printed nothing.</p>
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard.
      tabIndex={0}
      aria-label={`Log of ${check.name}`}
      ref={scrollToEnd}
      className="mx-4 mb-3 max-h-96 overflow-auto rounded-md border bg-sunken"
    >
      <pre className="w-max min-w-full p-3 font-mono text-xs [overflow-wrap:normal]">{log}</pre>
    </section>
  )
}

/** The explanation of a failure is at the end. */
function scrollToEnd(element: HTMLElement | null): void {
  if (element) element.scrollTop = element.scrollHeight
}
