// The page of one issue: its text, what was said about it, its labels, and who works on it.
import { useState } from 'react'
import type { SpawnAnswer } from '../../../../src/contract/dashboard/answers.ts'
import type { IssueDetail } from '../../../../src/contract/dashboard/issues.ts'
import { useAnswer } from '../../api/answered.tsx'
import type { PageProps } from '../../routes.ts'
import { NO_LINE_YET, Page } from '../../shell/page.tsx'
import { WayBack } from '../../shell/way-back.tsx'
import { SpawnDialog } from '../../spawn/spawn-dialog.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { Markdown } from '../../ui/markdown/markdown.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { SafeLink } from '../../ui/text/safe-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import { CHANGE_ISSUE, IssueActions, IssueFacts, useIssueChange } from './issue-parts.tsx'
import { LabelMenu } from './label-menu.tsx'
import { SpawnResult } from './spawn-result.tsx'

export function IssuePage({ params }: PageProps) {
  const { project = '', id = '' } = params
  const { data, error, refetch } = useAnswer(['issues', project, 'one', id], 'GET /api/projects/:project/issues/:id', {
    params: { project, id },
  })
  if (data) return <IssueView key={`${project} ${id}`} detail={data} />
  return (
    <Page title={`Issue ${id}`} subtitle={NO_LINE_YET} above={ABOVE}>
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton label="Loading the issue" />}
    </Page>
  )
}

const ABOVE = <WayBack to="Issues" href="/issues" />

function IssueView({ detail }: { detail: IssueDetail }) {
  const { issue, comments, canChange } = detail
  const [isSpawning, setSpawning] = useState(false)
  const [result, setResult] = useState<SpawnAnswer | null>(null)
  return (
    <Page
      title={issue.title}
      above={ABOVE}
      subtitle={
        <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
          {issue.state === 'open' && <Badge tone="good">Open</Badge>}
          <span>
            {issue.projectId} #{issue.id}
          </span>
          <IssueFacts issue={issue} />
          {canChange && <LabelMenu issue={issue} />}
        </div>
      }
      actions={<IssueActions issue={issue} canChange={canChange} onSpawn={() => setSpawning(true)} />}
    >
      {result && <SpawnResult result={result} onClose={() => setResult(null)} />}
      <ol aria-label="Conversation" className="flex max-w-4xl flex-col gap-3">
        <Entry author={issue.author} at={issue.createdAt} text={issue.description} />
        {comments === null && <NotHere detail={detail} />}
        {comments?.map(({ author, body, createdAt }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: comments are only added, and two may be the same
          <Entry key={index} author={author} at={createdAt} text={body} />
        ))}
        {canChange && (
          <li>
            <CommentBox detail={detail} />
          </li>
        )}
      </ol>
      {isSpawning && (
        <SpawnDialog
          projects={[]}
          issues={[issue]}
          onClose={() => setSpawning(false)}
          onDone={(done) => {
            setSpawning(false)
            setResult(done)
          }}
        />
      )}
    </Page>
  )
}

function Entry({ author, at, text }: { author: string | null; at: string | null; text: string }) {
  return (
    <li className="min-w-0 rounded-lg border bg-surface px-4 py-3 shadow-card">
      {author !== null && (
        <div className="mb-1.5 flex flex-wrap items-center gap-2 text-xs text-muted">
          <span className="min-w-0 font-medium break-words text-ink">
            <Visible text={author} />
          </span>
          {at && <TimeAgo at={at} ago />}
        </div>
      )}
      {text.trim() === '' ? <p className="text-sm text-muted">It has no text.</p> : <Markdown text={text} />}
    </li>
  )
}

/** A conversation that only seems to be empty would be taken for all there is. */
function NotHere({ detail: { issue, tracker } }: { detail: IssueDetail }) {
  return (
    <li className="text-sm text-muted">
      Comments of the {tracker} tracker are not shown here.{' '}
      <SafeLink href={issue.url} className="text-accent">
        {issue.url && 'Read them there'}
      </SafeLink>
    </li>
  )
}

/** What was typed stays until it is sent. */
function CommentBox({ detail: { issue, tracker } }: { detail: IssueDetail }) {
  const key = `ao.issue-comment.${issue.projectId}.${issue.id}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  const write = (next: string) => {
    setText(next)
    sessionStorage.setItem(key, next)
  }
  const change = useIssueChange(issue, () => write(''))
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        change.mutate({ comment: text.trim() })
      }}
    >
      <TextArea
        label="Comment"
        hint={`It is written to the ${tracker} tracker.`}
        maxLength={50_000}
        value={text}
        onChange={(event) => write(event.target.value)}
      />
      <Button
        type="submit"
        icon="chat"
        className="self-start"
        does={CHANGE_ISSUE}
        busy={change.isPending}
        disabled={text.trim() === ''}
      >
        Comment
      </Button>
    </form>
  )
}
