// Who left the train and with whom it failed, and what got into the base branch.
import { useState } from 'react'
import { Link } from 'wouter'
import type { TrainDeparture, TrainView } from '../../../../src/contract/dashboard/train.ts'
import { LEFT_WORDS } from '../../../../src/core/landing/train-state.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { ChangedChecks } from '../../session/changed-checks.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Dialog } from '../../ui/overlay/dialog.tsx'
import { withLocalTimes } from '../../ui/text/format.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Readable, Visible } from '../../ui/text/visible.tsx'
import { pullHref } from '../pulls/pull-labels.ts'

export function DepartureList({ train: { projectId, left } }: { train: TrainView }) {
  if (left.length === 0) return null
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-muted">Left the train</h3>
      <ul className="flex flex-col gap-1 text-sm">
        {left.map((one) => (
          <li key={one.pull} className="flex flex-wrap gap-x-2">
            <PullLink projectId={projectId} pull={one.pull} title={one.title} />
            <span className={one.why === 'red' || one.why === 'conflict' ? 'text-bad' : 'text-muted'}>
              <Readable text={withLocalTimes(reasonOf(one))} />
            </span>
            {one.commit && <code className="font-mono text-xs text-faint">{one.commit.slice(0, 10)}</code>}
            <span className="text-xs text-faint">
              <TimeAgo at={one.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function reasonOf({ why, check, ahead, files, said, cars, partners }: TrainDeparture): string {
  const others = cars.map((pull) => `#${pull}`).join(', ')
  const named = partners.map((pull) => `#${pull}`).join(', ')
  if (why === 'stranded') return `it is built on ${others}, which will not land as it was`
  if (why === 'conflict' && others !== '')
    return `it conflicts with ${named || others} ahead of it in ${files.join(', ')}`
  if ((why === 'unready' || why === 'gone') && said !== null) return said
  if (why === 'refused' && said !== null) return `${LEFT_WORDS.refused}: ${said}`
  if (why === 'red' && check !== null)
    return `${check} failed${ahead.length > 0 ? ` together with ${ahead.map((pull) => `#${pull}`).join(', ')}` : ''}`
  if (why === 'conflict' && files.length > 0)
    return `${LEFT_WORDS.conflict}${named === '' ? '' : `, in lines of ${named},`} in ${files.join(', ')}`
  return LEFT_WORDS[why]
}

export function LandedList({ train: { projectId, branch, landed, past, moved } }: { train: TrainView }) {
  if (landed.length === 0 && past.length === 0 && moved.length === 0) return null
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-muted">Landed</h3>
      <ul className="flex flex-col gap-1 text-sm">
        {moved.map(({ from, to, at, isOnRemote, pulls }) => (
          <li key={`moved ${to} ${at}`} className="flex flex-wrap gap-x-2 text-attention">
            {branch} {isOnRemote ? 'was pulled from the remote' : 'was moved by hand'}: not tested, not approved
            <code className="font-mono text-xs">
              {from.slice(0, 10)}..{to.slice(0, 10)}
            </code>
            {pulls.map((pull) => (
              <PullLink key={pull} projectId={projectId} pull={pull} />
            ))}
            <TimeAgo at={at} />
          </li>
        ))}
        {past.map(({ pull, title, by, commit, at }) => (
          <li key={`past ${pull}`} className="flex flex-wrap gap-x-2 text-attention">
            <PullLink projectId={projectId} pull={pull} title={title} />
            merged past the train by {by} as <code className="font-mono text-xs">{commit.slice(0, 10)}</code>
            <TimeAgo at={at} />
          </li>
        ))}
        {landed.map(({ pull, title, commit, at, untested, flaky }) => (
          <li key={pull} className="flex flex-wrap items-center gap-x-2">
            <PullLink projectId={projectId} pull={pull} title={title} />
            <code className="font-mono text-xs text-faint">{commit.slice(0, 10)}</code>
            <ProofButton projectId={projectId} commit={commit} />
            {untested !== null && <span className="text-bad">never tested as it is: {untested}</span>}
            {flaky.length > 0 && (
              <span className="text-muted">
                passed on the second run: <Visible text={flaky.join(', ')} />
              </span>
            )}
            <span className="text-xs text-faint">
              <TimeAgo at={at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Asked for only when somebody wants to know: every claim is checked again. */
function ProofButton({ projectId, commit }: { projectId: string; commit: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="text-xs text-accent hover:underline" onClick={() => setOpen(true)}>
        Proof<span className="sr-only"> of {commit.slice(0, 10)}</span>
      </button>
      {isOpen && (
        <Dialog title={`Proof of ${commit.slice(0, 10)}`} onClose={() => setOpen(false)}>
          <Findings projectId={projectId} commit={commit} />
        </Dialog>
      )}
    </>
  )
}

function Findings({ projectId, commit }: { projectId: string; commit: string }) {
  const query = useAnswer(['proof', projectId, commit], 'GET /api/projects/:project/train/landed/:commit', {
    params: { project: projectId, commit },
  })
  return (
    <Answered query={query}>
      {({ findings, changedChecks }) => (
        <>
          <ul className="flex flex-col gap-1.5 text-sm">
            {findings.map(({ what, proven, why }) => (
              <li key={`${what} ${why}`} className="flex items-start gap-2">
                <Icon name={proven ? 'check' : 'cross'} className={`mt-0.5 ${proven ? 'text-good' : 'text-bad'}`} />
                <span>
                  <span className="sr-only">{proven ? 'Proven' : 'Not proven'}: </span>
                  <strong className="font-medium">
                    <Visible text={what} />
                  </strong>
                  : <Readable text={withLocalTimes(why)} />
                </span>
              </li>
            ))}
          </ul>
          <ChangedChecks paths={changedChecks} />
        </>
      )}
    </Answered>
  )
}

function PullLink({ projectId, pull, title = '' }: { projectId: string; pull: number; title?: string }) {
  return (
    <Link href={pullHref({ projectId, number: pull })} className="min-w-0 truncate font-medium hover:underline">
      #{pull} <Visible text={title} />
    </Link>
  )
}
